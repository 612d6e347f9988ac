import API
import EventLoop
import HTTP
import Terminal

/// A port of its own for those who look after the node: metrics, and the probes once more.
///
/// Apart from the port for clients, since metrics say how much goes on, and for whom.
struct MetricsListener: Sendable {
    static let options = [
        OptionSpec(
            "metrics-port", .integer(0...65535),
            "Port for GET /metrics, for Prometheus and what reads OpenMetrics, and for /livez and "
                + "/readyz; 0 for any. Asks for no key: let nobody but your own monitoring reach "
                + "it. Default: no metrics."),
        OptionSpec(
            "metrics-host", .text(placeholder: "ADDRESS"),
            "Address of that port; or unix:PATH, and then no port.",
            default: "127.0.0.1", needs: "metrics-port"),
        OptionSpec(
            "metrics-tls", .flag, "That port speaks HTTPS too, with --tls-certificate.",
            needs: "metrics-port"),
    ]

    static func isWanted(_ arguments: Arguments) -> Bool {
        arguments.integer("metrics-port") != nil
    }

    private let server: HTTP1Server
    private let host: String
    private let port: Int
    private let isSecure: Bool

    /// - Returns: nil without the option.
    init?(
        _ arguments: Arguments, on loop: EventLoop, _ door: FrontDoor, _ metrics: NodeMetrics
    ) throws(CommandFailure) {
        guard let port = arguments.integer("metrics-port") else { return nil }
        let identity = try FrontDoor.metricsIdentity(arguments, door.certificate)
        isSecure = identity != nil
        host = arguments.text("metrics-host") ?? ""
        self.port = port
        var limits = ServerLimits.standard
        limits.bodyBytesMax = 1_024
        limits.connectionsMax = Self.connectionsMax
        limits.connectionsPerAddressMax = Self.connectionsMax
        server = HTTP1Server(
            loop: loop, host: host, port: port, identity: identity, socketMode: door.socketMode,
            limits: limits, rejection: API.rejection
        ) { await Self.answer($0, metrics) }
    }

    func start(log: Log) async throws(CommandFailure) {
        let port: Int
        do { port = try await server.start() } catch {
            throw .failed(
                "cannot listen on --metrics-port and --metrics-host: "
                    + PortOwner.complaint(error, port: self.port, option: "metrics-port"))
        }
        let url = FrontDoor.url(host: host, port: port, isSecure: isSecure)
        log(.info, "metrics", ["url": "\(url)/metrics"])
    }

    func close() async { await server.drain(within: .milliseconds(100)) }

    private static func answer(
        _ request: Request, _ metrics: NodeMetrics
    ) async -> Response {
        let isRead = request.method == "GET" || request.method == "HEAD"
        switch request.path {
        case "/metrics" where isRead: return MetricsText.response(await metrics.all(), to: request)
        case let path where API.healthPaths.contains(String(path)):
            return await metrics.service.handler(request)
        default:
            return Response(
                status: 404, headers: ["content-type": "text/plain; charset=utf-8"],
                body: .bytes(Array("This port has GET /metrics, /livez and /readyz.\n".utf8)))
        }
    }

    /// A few who look, and somebody with curl.
    private static let connectionsMax = 32
}
