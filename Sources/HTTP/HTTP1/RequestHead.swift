import CHTTPParser

/// A request's head as parsed, with the checks that Beast leaves to the application.
struct RequestHead {
    /// All but its body.
    var request: Request
    var isHTTP11: Bool
    var keepsAlive: Bool
    var hasBody: Bool
    /// It announces more than a body in memory may have.
    var isBodyTooLarge: Bool

    private var hostCount = 0
    private var lengthCount = 0
    private var host: String?
    private var length: String?
    private var codingCount = 0
    private var transferEncoding: String?
    private var expectation: String?

    init(
        _ request: Request, isHTTP11: Bool, keepsAlive: Bool, hasBody: Bool, isBodyTooLarge: Bool
    ) {
        self.request = request
        self.isHTTP11 = isHTTP11
        self.keepsAlive = keepsAlive
        self.hasBody = hasBody
        self.isBodyTooLarge = isBodyTooLarge
    }

    /// Remembers the fields that decide about framing.
    mutating func note(_ kind: CHPFieldKind, _ value: String) {
        switch kind {
        case .other: break
        case .host: (hostCount, host) = (hostCount + 1, value)
        case .contentLength: (lengthCount, length) = (lengthCount + 1, value)
        case .transferEncoding: (codingCount, transferEncoding) = (codingCount + 1, value)
        case .expect: expectation = value
        }
    }

    var isHead: Bool { request.method == "HEAD" }

    /// Length of the body; nil when it comes in chunks and nobody knows.
    var bodyBytes: Int? { length.flatMap { Int($0) } }

    /// The client waits for a word before it sends the body.
    var awaitsContinue: Bool { expectation != nil && hasBody && isHTTP11 }

    /// Refuses what another server on the way might read differently, and brings the target into
    /// the form that handlers know.
    mutating func check() throws(Rejection) {
        try checkHost()
        try checkFraming()
        if let expectation, expectation.lowercased() != "100-continue" {
            throw Rejection(.expectationUnknown, "The only expectation known is 100-continue.")
        }
        request.target = try Self.normalized(request.target, method: request.method)
    }

    private func checkHost() throws(Rejection) {
        guard hostCount == 1 || (hostCount == 0 && !isHTTP11) else {
            throw Rejection(.malformed, "A request needs exactly one Host field.")
        }
        try Self.check(host: host)
    }

    static func check(host: String?) throws(Rejection) {
        guard host.map({ $0.isEmpty || Authority.isValid($0) }) ?? true else {
            throw Rejection(
                .malformed, "The Host field is not a host, with or without a colon and a port.")
        }
    }

    private func checkFraming() throws(Rejection) {
        if let transferEncoding {
            try check(coding: transferEncoding)
            guard isHTTP11 else {
                throw Rejection(.malformed, "HTTP/1.0 has no transfer codings.")
            }
        }
        // Equal lengths are harmless in theory; nobody honest sends two.
        guard lengthCount <= 1, length?.utf8.allSatisfy(Self.isDigit) ?? true else {
            throw Rejection(.malformed, "A request has at most one Content-Length, a number.")
        }
    }

    /// Where chunked is not the last coding, nobody can tell where the body ends (RFC 9112, 6.3).
    private func check(coding field: String) throws(Rejection) {
        guard codingCount == 1 else {
            throw Rejection(.malformed, "A request has at most one Transfer-Encoding field.")
        }
        if field == "chunked" { return }
        let codings = field.lowercased().split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.filter { $0 != " " && $0 != "\t" } }
        guard codings.last == "chunked", codings.count(where: { $0 == "chunked" }) == 1,
            !codings.contains("")
        else {
            throw Rejection(.malformed, "A Transfer-Encoding ends in chunked, which it has once.")
        }
        guard codings.count == 1 else {
            throw Rejection(.transferCodingUnknown, "The only transfer coding known is chunked.")
        }
    }

    /// The target in the form that handlers know.
    static func normalized(_ target: String, method: String) throws(Rejection) -> String {
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") }) else {
            throw Rejection(.malformed, "The request target has bytes that must be escaped.")
        }
        if target.utf8.first == UInt8(ascii: "/") {
            return PathEscapes.normalized(target)
        }
        if target == "*", method == "OPTIONS" { return target }
        // The absolute form, as sent to proxies, must be understood by every server.
        guard let scheme = ["http://", "https://"].first(where: { target.hasPrefix($0) }) else {
            throw Rejection(.malformed, "The request target must begin with a slash.")
        }
        let rest = target.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.isEmpty, Authority.isValid(authority) else {
            throw Rejection(.malformed, "The request target has no host that is one.")
        }
        let path = rest[authority.endIndex...]
        return PathEscapes.normalized(path.hasPrefix("/") ? String(path) : "/" + path)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }
}
