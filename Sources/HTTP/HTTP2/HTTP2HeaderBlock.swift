import CNGHTTP2

/// Header fields laid out as nghttp2 wants them. Kept and reused by a connection, so that a request
/// allocates nothing here; nghttp2 copies the fields when it takes them.
///
/// nghttp2 itself never indexes `authorization` and leaves `:path` out of its table, as APNs asks.
struct HTTP2HeaderBlock {
    private struct Span {
        var name: Range<Int>
        var value: Range<Int>
    }

    private var bytes: [UInt8] = []
    private var spans: [Span] = []

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        spans.removeAll(keepingCapacity: true)
    }

    mutating func append(_ name: String, _ value: String) {
        let start = bytes.count
        bytes.append(contentsOf: name.utf8)
        let middle = bytes.count
        bytes.append(contentsOf: value.utf8)
        spans.append(Span(name: start..<middle, value: middle..<bytes.count))
    }

    /// As `append`, for what may have come in from outside: no byte that a field cannot have.
    mutating func appendClean(_ name: String, _ value: String) {
        let start = bytes.count
        append(name, value)
        for index in start..<bytes.count where bytes[index] < 0x20 || bytes[index] == 0x7f {
            bytes[index] = UInt8(ascii: " ")
        }
    }

    /// - Parameter headers: none that speaks of an HTTP/1.1 connection (RFC 9113, 8.2.2).
    mutating func append(_ headers: Headers) {
        for field in headers.fields { append(field.name, field.value) }
    }

    mutating func withFields<Result>(
        _ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result
    ) -> Result {
        bytes.withUnsafeMutableBufferPointer { bytes in
            withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: spans.count) { fields in
                for (index, span) in spans.enumerated() {
                    fields.initializeElement(
                        at: index,
                        to: nghttp2_nv(
                            name: bytes.baseAddress.map { $0 + span.name.lowerBound },
                            value: bytes.baseAddress.map { $0 + span.value.lowerBound },
                            namelen: span.name.count, valuelen: span.value.count,
                            flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)))
                }
                return body(fields.baseAddress, spans.count)
            }
        }
    }
}
