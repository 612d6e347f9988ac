import COpenSSL
import Glibc

/// OpenSSL's error queue, which is per thread: empty it before a call whose result is looked up in
/// it, take from it right after.
enum OpenSSLErrors {
    static func clear() {
        ERR_clear_error()
    }

    /// OpenSSL's number for the newest error on this thread's queue.
    static var lastReason: Int32 {
        ERR_GET_REASON(ERR_peek_last_error())
    }

    /// - Parameter isDone: what a function has answered.
    static func check(_ isDone: Bool) throws(TLSError) {
        guard isDone else { throw .libraryFailed(takeReason()) }
    }

    /// - Parameter pointer: to what a function has made; nil if it could not.
    static func check(_ pointer: OpaquePointer?) throws(TLSError) -> OpaquePointer {
        guard let pointer else { throw .libraryFailed(takeReason()) }
        return pointer
    }

    /// The reason of the oldest error on this thread's queue, which is the cause of those after it.
    static func takeReason() -> String {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0 else { return "no reason given" }
        // What the system refused has its own number, without OpenSSL's words.
        if code & UInt(UInt32(1) << 31) != 0 {
            return String(cString: strerror(Int32(truncatingIfNeeded: code & 0x7FFF_FFFF)))
        }
        guard let reason = ERR_reason_error_string(code) else { return "error \(code)" }
        return String(cString: reason)
    }
}
