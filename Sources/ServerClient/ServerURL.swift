import Foundation

/// Where a server of Islet's is, as an option says it.
struct ServerURL: Sendable {
    let text: String
    let host: String
    let port: Int

    init(_ text: String, option: String) throws(CommandFailure) {
        guard let url = URL(string: text), url.scheme == "http", let host = url.host() else {
            throw .usage(
                "--\(option) must be a URL such as http://127.0.0.1:8080; TLS is not spoken")
        }
        (self.text, self.host, port) = (text, host, url.port ?? 80)
    }
}
