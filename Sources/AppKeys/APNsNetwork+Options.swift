import APNsClient
import Foundation
import HTTP
import Terminal

extension APNsNetwork {
    static let proxyOption = OptionSpec(
        "apns-proxy", .text(placeholder: "URL"),
        "HTTP proxy on the way to APNs, http://[user:password@]host:port; it must let CONNECT "
            + "through. Give a password by the environment variable: others on the machine can "
            + "read command lines.", isSecret: true)

    static func make(
        _ arguments: Arguments, log: Log?, observer: (any APNsObserver)? = nil
    ) throws(CommandFailure) -> APNsNetwork {
        var proxy: HTTPProxy?
        if let text = arguments.text("apns-proxy") {
            proxy = HTTPProxy(url: text)
            guard proxy != nil else {
                // Without the text, which may have a password.
                throw .usage(
                    "--apns-proxy (ISLET_APNS_PROXY) must look like http://host:port or "
                        + "http://user:password@host:port, with special characters in user and "
                        + "password percent-encoded")
            }
        }
        return APNsNetwork(
            proxy: proxy, circuits: Circuits { $0.write(to: log) }, observer: observer)
    }
}

extension HTTPProxy {
    /// - Parameter url: `http://[user:password@]host:port`; nil for anything else.
    init?(url: String) {
        guard let url = URL(string: url), url.scheme?.lowercased() == "http",
            let host = url.host(), !host.isEmpty, let port = url.port, (1...65_535).contains(port),
            ["", "/"].contains(url.path()), url.query() == nil, url.fragment() == nil
        else { return nil }
        var authorization: String?
        if let user = url.user(percentEncoded: false) {
            let pair = "\(user):\(url.password(percentEncoded: false) ?? "")"
            authorization = "Basic \(Data(pair.utf8).base64EncodedString())"
        }
        self.init(host: host, port: port, authorization: authorization)
    }
}

extension Circuits.Diagnostic {
    fileprivate func write(to log: Log?) {
        switch self {
        case .opened(let endpoint, let failures, let reason):
            log?(
                .error, "APNs cannot be reached: pushes wait until it can",
                [
                    "host": "\(endpoint.host):\(endpoint.port)", "failures": "\(failures)",
                    "reason": reason,
                ])
        case .closed(let endpoint):
            log?(
                .info, "APNs can be reached again", ["host": "\(endpoint.host):\(endpoint.port)"])
        }
    }
}
