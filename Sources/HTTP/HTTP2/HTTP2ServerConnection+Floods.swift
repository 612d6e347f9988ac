import CNGHTTP2
import EventLoop

/// What costs the client little and this side much.
extension HTTP2ServerConnection {
    /// Counts a field of a header block. One byte can name a long field that the connection's table
    /// has: a block may be thousands of times as long once it is decoded.
    /// - Returns: false when the block is so long that the connection ends.
    func count(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) -> Bool {
        let count = name.count + value.count + 32
        blockBytes += count
        blockFields += 1
        decodableBytes -= count
        guard server.isForClients,
            blockBytes > server.limits.headBytesMax * HTTP2Limits.answeredHeads
                || blockFields > server.limits.headersMax * HTTP2Limits.answeredHeads
        else { return true }
        isFlooded = true
        return false
    }

    /// Takes the client's turn for what has been decoded, as if it were requests.
    /// - Returns: false when it has to wait for the turn.
    func mayDecode() -> Bool {
        while decodableBytes < 0 {
            guard mayBegin() else { return false }
            decodableBytes += HTTP2Limits.decodedBytesPerTurn
        }
        return true
    }

    /// Counts a frame that asks for work and carries nothing.
    func count(_ frame: UnsafePointer<nghttp2_frame>) {
        let head = frame.pointee.hd
        let isEnd = head.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        switch UInt32(head.type) {
        case NGHTTP2_HEADERS.rawValue, NGHTTP2_WINDOW_UPDATE.rawValue: break
        case NGHTTP2_DATA.rawValue where head.length > 0 || isEnd: break
        default: count(in: &idleFrames, HTTP2Limits.idleFrames)
        }
    }

    /// Counts a stream that ended before its answer began, also if this side has reset it: a client
    /// can make this side do it by frames that break the rules, or by opening more than it may. So
    /// is one counted whose head is too long.
    func countGivenUp() {
        count(in: &resets, HTTP2Limits.resets)
    }

    private func count(in bucket: inout RateBucket, _ rate: RateBucket.Rate) {
        let now = Int64(server.loop.nowMillis) * 1_000
        if bucket.take(1, rate, at: now) != nil { isFlooded = true }
    }

    func endFlood() {
        guard let session, let pump else { return }
        nghttp2_session_terminate_session(
            session.pointer, HTTP2ErrorCode.enhanceYourCalm.rawValue)
        pump.flushThenEnd(.protocolViolation("too much of no use"))
    }
}
