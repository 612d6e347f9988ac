import Encodings
import HTTP

/// What the browser keeps of somebody who has signed in to the dashboard: a secret of its own, that
/// no script can read and no other site can have sent.
struct SessionCookie: Sendable {
    let token: String
    private let isSecure: Bool

    init(token: String, isSecure: Bool) {
        self.token = token
        self.isSecure = isSecure
    }

    /// - Returns: nil where a key or ticket is sent beside it, which is who asks, or where there is
    ///   none.
    init?(of request: Request) {
        guard request.headers["authorization"] == nil else { return nil }
        let name = Self.name(isSecure: request.isSecure)
        for field in request.headers.values(of: "cookie") {
            for pair in field.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == name,
                    parts[1].utf8.count <= Limits.keyBytesMax
                else { continue }
                self.init(token: String(parts[1]), isSecure: request.isSecure)
                return
            }
        }
        return nil
    }

    /// By TLS the browser lets nobody but this very host set it.
    private static func name(isSecure: Bool) -> String {
        isSecure ? "__Host-islet-session" : "islet-session"
    }

    /// - Parameter seconds: 0 has the browser forget it.
    func header(seconds: Int64) -> String {
        "\(Self.name(isSecure: isSecure))=\(seconds > 0 ? token : ""); Path=/; "
            + "Max-Age=\(max(0, seconds)); HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }

    /// What a page of ours knows and another site's does not: it follows from the secret, so every
    /// node knows it.
    func csrfToken(_ seal: TicketSeal) -> String {
        Base64URL.encode(seal.code(Self.message, Array(token.utf8)))
    }

    private static let message = Array("csrf".utf8)

    /// Whatever changes something has to say the token.
    func checkOrigin(of request: Request, _ seal: TicketSeal) throws(ProblemDocument) {
        guard request.method != Method.get.rawValue else { return }
        if let site = request.headers["sec-fetch-site"], site != "same-origin" {
            throw ProblemDocument(.crossSite, "The browser says that it comes from another site.")
        }
        guard let given = request.headers["x-csrf-token"],
            let code = Base64URL.decode(given),
            seal.isValid(code, Self.message, Array(token.utf8))
        else {
            throw ProblemDocument(
                .crossSite, "`X-CSRF-Token` is missing or is not that of this sign-in.")
        }
    }
}
