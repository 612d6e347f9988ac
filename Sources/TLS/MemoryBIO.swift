import COpenSSL

/// A growing byte buffer of OpenSSL's, for reading and writing PEM.
final class MemoryBIO {
    let pointer: OpaquePointer

    init() throws(TLSError) {
        pointer = try OpenSSLErrors.check(BIO_new(BIO_s_mem()))
    }

    convenience init(_ text: String) throws(TLSError) {
        try self.init()
        let bytes = Array(text.utf8)
        try OpenSSLErrors.check(
            bytes.isEmpty || BIO_write(pointer, bytes, Int32(clamping: bytes.count)) > 0)
    }

    deinit {
        BIO_free(pointer)
    }

    /// What a function of OpenSSL writes into one.
    static func text(_ write: (OpaquePointer) -> Int32) throws(TLSError) -> String {
        let bio = try MemoryBIO()
        try OpenSSLErrors.check(write(bio.pointer) == 1)
        var bytes: [UInt8] = []
        drain(bio.pointer, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends everything that waits in the buffer.
    static func drain(_ bio: OpaquePointer, into bytes: inout [UInt8]) {
        var start: UnsafeMutablePointer<UInt8>?
        let waiting = islet_BIO_get_mem_data(bio, &start)
        guard waiting > 0 else { return }
        bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: waiting))
        islet_BIO_reset(bio)
    }
}
