import Foundation
public import Terminal

/// Where a server of Islet's is, as an option says it.
public struct ServerURL: Sendable {
    /// With the scheme, and without a slash at its end.
    public let text: String

    public init(_ text: String, option: String) throws(CommandFailure) {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme),
            let host = url.host(), !host.isEmpty, ["", "/"].contains(url.path()),
            url.query() == nil, url.user() == nil, url.fragment() == nil,
            (1...65_535).contains(url.port ?? 80)
        else {
            throw .usage(
                "--\(option) must be a URL such as http://127.0.0.1:8080 or "
                    + "https://islet.example.com, without a path")
        }
        self.text = text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// One on this machine.
    public init(localPort: Int) { text = "http://127.0.0.1:\(localPort)" }
}
