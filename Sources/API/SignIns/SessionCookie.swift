import Encodings
import HTTP
import TLS

/// What the browser keeps of somebody who has signed in to the dashboard: a secret of its own, that
/// no script can read and no other site can have sent.
struct SessionCookie: Sendable {
    let token: String
    private let name: String
    private let isSecure: Bool

    /// - Parameter request: that it answers or came with.
    init(token: String, for request: Request) {
        self.token = token
        name = Self.name(for: request)
        isSecure = request.isSecure
    }

    /// - Returns: nil where a key or ticket is sent beside it, which is who asks, or where there is
    ///   none.
    init?(of request: Request) {
        guard request.headers["authorization"] == nil else { return nil }
        let name = Self.name(for: request)
        for field in request.headers.values(of: "cookie") {
            for pair in field.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == name,
                    parts[1].utf8.count <= Limits.keyBytesMax
                else { continue }
                self.init(token: String(parts[1]), for: request)
                return
            }
        }
        return nil
    }

    /// With TLS the browser lets only this very host set it. A browser has the same cookies for all
    /// ports of a host, so a port that is not the scheme's own is part of the name. Otherwise
    /// somebody who signs in to another Islet there would be signed out here.
    private static func name(for request: Request) -> String {
        let name = request.isSecure ? "__Host-islet-session" : "islet-session"
        let ownPort: UInt16 = request.isSecure ? 443 : 80
        guard let host = request.headers["host"], let colon = host.lastIndex(of: ":"),
            // An address of IPv6 has colons too.
            !host[colon...].contains("]"),
            let port = UInt16(host[host.index(after: colon)...]), port != ownPort
        else { return name }
        return "\(name)-\(port)"
    }

    /// - Parameter seconds: 0 has the browser forget it.
    func header(seconds: Int64) -> String {
        "\(name)=\(seconds > 0 ? token : ""); Path=/; "
            + "Max-Age=\(max(0, seconds)); HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }

    /// What a page of ours knows and another site's does not: it follows from the secret, so every
    /// node knows it.
    var csrfToken: String {
        Base64URL.encode(HMACSHA256.code(for: Self.message, key: Array(token.utf8)))
    }

    private static let message = Array("csrf".utf8)

    /// Whatever changes something has to say the token.
    func checkOrigin(of request: Request) throws(ProblemDocument) {
        guard request.method != Method.get.rawValue else { return }
        if let site = request.headers["sec-fetch-site"], site != "same-origin" {
            throw ProblemDocument(.crossSite, "The browser says that it comes from another site.")
        }
        guard let given = request.headers["x-csrf-token"],
            let code = Base64URL.decode(given),
            HMACSHA256.isValid(code, for: Self.message, key: Array(token.utf8))
        else {
            throw ProblemDocument(
                .crossSite, "`X-CSRF-Token` is missing or is not that of this sign-in.")
        }
    }
}
