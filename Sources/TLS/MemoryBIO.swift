import COpenSSL

/// A growing byte buffer of OpenSSL's, for reading and writing PEM.
final class MemoryBIO {
    let pointer: OpaquePointer

    init() throws(TLSError) {
        guard let bio = BIO_new(BIO_s_mem()) else {
            throw .libraryFailed(OpenSSLErrors.takeReason())
        }
        pointer = bio
    }

    convenience init(_ text: String) throws(TLSError) {
        try self.init()
        let bytes = Array(text.utf8)
        guard bytes.isEmpty || BIO_write(pointer, bytes, Int32(clamping: bytes.count)) > 0 else {
            throw .libraryFailed(OpenSSLErrors.takeReason())
        }
    }

    deinit {
        BIO_free(pointer)
    }

    func takeBytes() -> [UInt8] {
        Self.takeBytes(of: pointer)
    }

    func takeText() -> String {
        String(decoding: takeBytes(), as: UTF8.self)
    }

    /// Everything that waits in the buffer, in one array.
    static func takeBytes(of bio: OpaquePointer) -> [UInt8] {
        let waiting = BIO_ctrl_pending(bio)
        guard waiting > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: waiting) { buffer, count in
            count = max(0, Int(BIO_read(bio, buffer.baseAddress, Int32(clamping: waiting))))
        }
    }

    /// Appends everything that waits in the buffer, without an array in between.
    static func drain(_ bio: OpaquePointer, into bytes: inout [UInt8]) {
        var start: UnsafeMutablePointer<UInt8>?
        let waiting = islet_BIO_get_mem_data(bio, &start)
        guard waiting > 0 else { return }
        bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: waiting))
        islet_BIO_reset(bio)
    }
}
