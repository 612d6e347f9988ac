import CHTTPParser

/// Takes one request after the other out of a stream of bytes.
final class RequestParser {
    /// What came of some bytes; `rejected` is final, the others say how to go on.
    enum Step {
        case more
        case head
        case done
        case rejected(Rejection)
    }

    private let parser: OpaquePointer
    /// The bound of the present request.
    private var bodyBytesMax: Int
    private let bodyBytesMaxOfAny: Int

    init(_ limits: ServerLimits) {
        bodyBytesMax = limits.bodyBytesMax
        bodyBytesMaxOfAny = limits.bodyBytesMax
        let limits = CHPLimits(
            head_bytes_max: limits.headBytesMax, headers_max: limits.headersMax,
            body_bytes_max: limits.bodyBytesMax, kept_body_bytes_max: Limits.keptBodyBytesMax)
        guard let parser = chp_create(limits) else { fatalError("out of memory") }
        self.parser = parser
    }

    deinit { chp_destroy(parser) }

    /// Gets ready for the next request.
    func reset() {
        bodyBytesMax = bodyBytesMaxOfAny
        chp_reset(parser)
    }

    /// - Returns: how many of the bytes were taken, and what came of them.
    func feed(_ bytes: UnsafeRawBufferPointer) -> (used: Int, step: Step) {
        var used = 0
        let step: Step =
            switch chp_feed(parser, bytes.baseAddress, bytes.count, &used) {
            case .more: .more
            case .head: .head
            case .done: .done
            case .malformed: .rejected(Rejection(.malformed, "The request is not valid HTTP/1.1."))
            case .lineTooLong: .rejected(Rejection(.targetTooLong, "The request line is too long."))
            case .headTooLarge:
                .rejected(Rejection(.headTooLarge, "The header fields are too many or too long."))
            case .bodyTooLarge: .rejected(Self.bodyTooLarge(bodyBytesMax))
            case .versionUnknown:
                .rejected(Rejection(.versionUnknown, "This server speaks HTTP/1.1 and HTTP/1.0."))
            case .outOfMemory:
                .rejected(Rejection(.tooManyConnections, "The server has no room; try again."))
            }
        return (used, step)
    }

    static func bodyTooLarge(_ bytesMax: Int) -> Rejection {
        Rejection(.bodyTooLarge, "The body must not be longer than \(bytesMax) bytes.")
    }

    /// After `.head`: what this request's body may have.
    func limitBody(to bytesMax: Int) {
        bodyBytesMax = bytesMax
        chp_limit_body(parser, bytesMax)
    }

    /// What has come of the body.
    var bodyCount: Int { chp_body(parser).count }

    /// After `.head`: the body may be of any length; `takeBodyPart` is called after each `feed`.
    func streamBody() { limitBody(to: .max) }

    /// What has come of a streamed body since the last call.
    func takeBodyPart() -> [UInt8] {
        let part = body()
        chp_drop_body(parser)
        return part
    }

    /// After `.head`.
    func head() -> RequestHead {
        let head = chp_head(parser)
        var result = RequestHead(
            Request(method: head.method.string, target: head.target.string, headers: Headers()),
            isHTTP11: head.is_http11, keepsAlive: head.keeps_alive, hasBody: head.has_body,
            isBodyTooLarge: head.is_body_too_large)
        result.request.headers.reserveCapacity(head.field_count)
        for field in UnsafeBufferPointer(start: head.fields, count: head.field_count) {
            let value = field.value.string
            result.request.headers.append(field.name.string, value)
            result.note(field.kind, value)
        }
        return result
    }

    /// After `.done`.
    func body() -> [UInt8] {
        let body = chp_body(parser)
        return body.count == 0
            ? [] : Array(UnsafeRawBufferPointer(start: body.base, count: body.count))
    }
}

extension CHPText {
    var string: String {
        String(decoding: UnsafeRawBufferPointer(start: base, count: count), as: UTF8.self)
    }
}
