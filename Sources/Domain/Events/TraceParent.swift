/// Which trace a request belongs to, and which of its spans made it.
/// Source: W3C Trace Context, `traceparent`.
public struct TraceParent: Hashable, Sendable {
    /// 32 lower-case hexadecimal digits, not all zero.
    public let traceID: String
    /// 16 such digits, not all zero.
    public let spanID: String
    /// The program that began the trace wants it recorded.
    public let isSampled: Bool

    /// Nil for a text that is none. Of later versions, what they share with the first is read.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        let dash = UInt8(ascii: "-")
        guard bytes.count >= 55, bytes[2] == dash, bytes[35] == dash, bytes[52] == dash,
            let version = Self.hexadecimal(bytes[0..<2]), version != "ff",
            let traceID = Self.hexadecimal(bytes[3..<35]), traceID.contains(where: { $0 != "0" }),
            let spanID = Self.hexadecimal(bytes[36..<52]), spanID.contains(where: { $0 != "0" }),
            let flags = Self.hexadecimal(bytes[53..<55]).flatMap({ UInt8($0, radix: 16) }),
            bytes.count == 55 || (version != "00" && bytes[55] == dash)
        else { return nil }
        self.traceID = traceID
        self.spanID = spanID
        isSampled = flags & 1 == 1
    }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String? {
        let isLower = bytes.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
        return isLower ? String(decoding: bytes, as: UTF8.self) : nil
    }
}
