import HTTP

/// Which pages of other hosts may call the API from a browser. None, unless somebody says so.
///
/// No cookies are ever allowed, for none are used: a page has to hold a key or a ticket.
public struct CORSPolicy: Sendable {
    private let origins: Set<String>

    public static let none = CORSPolicy(origins: [])

    /// - Parameter origins: as `origin(_:)` gives them.
    public init(origins: Set<String>) { self.origins = origins }

    /// - Returns: nil when it is not a scheme, a host and perhaps a port, as browsers write them.
    public static func origin(_ text: String) -> String? {
        let text = text.lowercased()
        for scheme in ["https://", "http://"] where text.hasPrefix(scheme) {
            let authority = text.dropFirst(scheme.count)
            let isPlain = authority.utf8.allSatisfy { byte in
                AttributeName.isLegal(byte) || "-.:[]".utf8.contains(byte)
            }
            return isPlain && !authority.isEmpty && authority.utf8.count <= Limits.hostNameBytesMax
                ? text : nil
        }
        return nil
    }

    func add(to response: inout Response, of request: Request) {
        guard !origins.isEmpty else { return }
        response.headers.append("vary", "origin")
        guard let origin = request.headers["origin"], origins.contains(origin) else { return }
        response.headers.append("access-control-allow-origin", origin)
        guard request.method == "OPTIONS", request.headers["access-control-request-method"] != nil
        else {
            response.headers.append("access-control-expose-headers", Self.exposed)
            return
        }
        let methods = response.headers["allow"] ?? ""
        response.headers.append("access-control-allow-methods", methods)
        response.headers.append("access-control-allow-headers", Self.allowed)
        response.headers.append(
            "access-control-max-age", String(Limits.preflightSeconds))
    }

    private static let allowed =
        "authorization, content-encoding, content-type, if-none-match, last-event-id, "
        + "traceparent, x-request-id"
    private static let exposed =
        "etag, islet-head, islet-position, link, location, retry-after, www-authenticate, "
        + "x-request-id"
}
