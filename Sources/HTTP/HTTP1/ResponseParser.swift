import CHTTPParser

/// Takes one response out of a stream of bytes.
final class ResponseParser {
    enum Step {
        case more
        case done
        case failed(HTTPError)
    }

    private let parser: OpaquePointer
    /// What Beast left over: the beginning of a line whose end is still to come. At most
    /// `Limits.responseHeadBytesMax` and one read.
    private var pending: [UInt8] = []
    /// All that has come: with the limits of head and body this bounds trailers too.
    private var receivedBytes = 0
    private let receivedBytesMax: Int

    init(bodyBytesMax: Int, isHead: Bool) {
        guard
            let parser = chp_response_create(Limits.responseHeadBytesMax, bodyBytesMax, isHead)
        else { fatalError("out of memory") }
        self.parser = parser
        receivedBytesMax =
            Limits.responseFramingFactor * (bodyBytesMax + Limits.responseHeadBytesMax)
    }

    deinit { chp_response_destroy(parser) }

    func feed(_ bytes: UnsafeRawBufferPointer) -> Step {
        receivedBytes += bytes.count
        guard receivedBytes <= receivedBytesMax else { return .failed(.tooLarge) }
        pending += bytes
        var used = 0
        let verdict = pending.withUnsafeBytes {
            chp_response_feed(parser, $0.baseAddress, $0.count, &used)
        }
        pending.removeFirst(used)
        let isTooLong = pending.count > Limits.responseHeadBytesMax && verdict == .more
        return isTooLong ? .failed(.tooLarge) : step(verdict)
    }

    /// The peer will send no more.
    func end() -> Step {
        // To Beast nothing at all is an answer without a body, and a good one.
        receivedBytes > 0 ? step(chp_response_end(parser)) : .failed(.connectionClosed)
    }

    /// After `.done`.
    func response() -> Response {
        var headers = Headers()
        withUnsafeMutablePointer(to: &headers) { headers in
            chp_response_fields(parser, headers) { context, name, value in
                context?.assumingMemoryBound(to: Headers.self).pointee
                    .append(name.string.lowercased(), value.string)
            }
        }
        let body = chp_response_body(parser)
        return Response(
            status: Int(chp_response_status(parser)), headers: headers,
            body: .bytes(Array(UnsafeRawBufferPointer(start: body.base, count: body.count))))
    }

    private func step(_ verdict: CHPVerdict) -> Step {
        switch verdict {
        case .more: .more
        case .done: .done
        case .bodyTooLarge: .failed(.tooLarge)
        case .outOfMemory: .failed(.connectionClosed)
        case .head, .malformed, .lineTooLong, .headTooLarge, .versionUnknown:
            .failed(.protocolViolation("the answer is not valid HTTP/1.1"))
        }
    }
}
