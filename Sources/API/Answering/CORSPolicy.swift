import Foundation
import HTTP

/// Which pages of other hosts may call the API from a browser. None, unless somebody says so.
///
/// Credentials are never allowed: the session cookie works on this origin alone, so that a page of
/// another has to have a key or a ticket.
public struct CORSPolicy: Sendable {
    private let origins: Set<String>

    public static let none = CORSPolicy(origins: [])

    /// - Parameter origins: as `origin(_:)` gives them.
    public init(origins: Set<String>) { self.origins = origins }

    /// - Returns: as browsers write it, without the scheme's own port. Nil when it is not a scheme,
    ///   a host and perhaps a port.
    public static func origin(_ text: String) -> String? {
        let text = text.lowercased()
        guard text.utf8.count <= Limits.hostNameBytesMax, text.allSatisfy(\.isASCII),
            let url = URL(string: text), let scheme = url.scheme,
            let ownPort = ["https": 443, "http": 80][scheme], let host = url.host(),
            // No browser sends a `*` or what is no name, and origins are compared as they are.
            isHost(host)
        else { return nil }
        let bare = "\(scheme)://\(host.contains(":") ? "[\(host)]" : host)"
        guard let port = url.port else { return text == bare ? bare : nil }
        // Nothing but a port may come behind.
        guard (1...65_535).contains(port), text == "\(bare):\(port)" else { return nil }
        return port == ownPort ? bare : text
    }

    /// An address, or labels with dots between them.
    private static func isHost(_ text: String) -> Bool {
        if text.contains(":") { return text.allSatisfy { $0.isHexDigit || ":.".contains($0) } }
        let name = text.hasSuffix(".") ? text.dropLast() : text[...]
        return name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty && !label.hasPrefix("-") && !label.hasSuffix("-")
                && label.allSatisfy { $0.isLetter || $0.isNumber || "-_".contains($0) }
        }
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
        response.headers.append(
            "access-control-allow-headers",
            ([Self.allowed] + Self.attributes(askedFor: request)).joined(separator: ", "))
        response.headers.append(
            "access-control-max-age", String(Limits.preflightSeconds))
    }

    /// Fields of CloudEvents in binary mode, which may have attributes of anybody's.
    private static func attributes(askedFor request: Request) -> [String] {
        request.headers.values(of: "access-control-request-headers").flatMap { field -> [String] in
            field.lowercased().split(separator: ",").map { $0.filter { $0 != " " } }
        }.filter { name in
            let attribute = name.dropFirst(BinaryCloudEvent.prefix.count)
            return name.hasPrefix(BinaryCloudEvent.prefix) && !attribute.isEmpty
                && attribute.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        }
    }

    private static let allowed =
        "authorization, content-encoding, content-type, if-none-match, last-event-id, "
        + "traceparent, tracestate, x-request-id"
    private static let exposed =
        "etag, islet-head, islet-position, link, location, retry-after, www-authenticate, "
        + "x-request-id"
}
