/// A proxy that opens tunnels by `CONNECT`. Never shows what it asks for as proof.
/// Source: RFC 9110, section 9.3.6.
public struct HTTPProxy: Sendable, CustomStringConvertible, CustomReflectable {
    public var host: String
    public var port: Int
    /// The value of the `proxy-authorization` field; nil for a proxy that lets anybody through.
    let authorization: String?

    public init(host: String, port: Int, authorization: String? = nil) {
        self.host = host
        self.port = port
        self.authorization = authorization
    }

    public var description: String { "\(host):\(port)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
