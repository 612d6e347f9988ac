/// A host and port that speak the APNs protocol: Apple's, or a simulator's.
public struct APNsEndpoint: Hashable, Sendable {
    public var host: String
    public var port: Int

    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    public static let production = APNsEndpoint(host: "api.push.apple.com", port: 443)
    public static let sandbox = APNsEndpoint(host: "api.sandbox.push.apple.com", port: 443)

    /// Where channels are made and deleted: a host and port of their own.
    /// Source: Sending channel management requests to APNs.
    public static let productionChannels = APNsEndpoint(
        host: "api-manage-broadcast.push.apple.com", port: 2196)
    public static let sandboxChannels = APNsEndpoint(
        host: "api-manage-broadcast.sandbox.push.apple.com", port: 2195)
}
