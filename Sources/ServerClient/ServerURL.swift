import Foundation
public import Terminal

/// Where a server of Islet's is, as an option says it.
public struct ServerURL: Sendable {
    public let text: String
    public let host: String
    public let port: Int

    public init(_ text: String, option: String) throws(CommandFailure) {
        guard let url = URL(string: text), url.scheme == "http", let host = url.host() else {
            throw .usage(
                "--\(option) must be a URL such as http://127.0.0.1:8080; TLS is not spoken")
        }
        (self.text, self.host, port) = (text, host, url.port ?? 80)
    }
}
