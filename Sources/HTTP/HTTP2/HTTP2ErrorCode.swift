/// Why a stream or a connection ended. Source: RFC 9113, section 7.
public struct HTTP2ErrorCode: Hashable, Sendable {
    let rawValue: UInt32

    public static let noError = HTTP2ErrorCode(rawValue: 0x0)
    public static let internalError = HTTP2ErrorCode(rawValue: 0x2)
    /// The server did not begin to process the stream: it may be sent again.
    public static let refusedStream = HTTP2ErrorCode(rawValue: 0x7)
    public static let cancel = HTTP2ErrorCode(rawValue: 0x8)
    public static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 0xb)
}
