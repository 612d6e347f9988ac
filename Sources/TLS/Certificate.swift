import COpenSSL
import Glibc

/// Owns one `X509`; not shared between threads.
final class Certificate {
    let pointer: OpaquePointer

    /// Takes ownership.
    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        X509_free(pointer)
    }

    /// Every certificate in the text, in order; never empty.
    static func read(pem: String) throws(TLSError) -> [Certificate] {
        let bio = try MemoryBIO(pem)
        var certificates: [Certificate] = []
        OpenSSLErrors.clear()
        while let pointer = PEM_read_bio_X509(bio.pointer, nil, { _, _, _, _ in -1 }, nil) {
            certificates.append(Certificate(pointer))
        }
        // The last read always fails; it is a fault unless it failed for want of another "BEGIN".
        let isAtEnd = OpenSSLErrors.lastReason == PEM_R_NO_START_LINE
        let reason = OpenSSLErrors.takeReason()
        guard !certificates.isEmpty, isAtEnd else { throw .certificateUnreadable(reason) }
        return certificates
    }

    /// When it ends, in seconds of Unix time; nil if it does not say.
    var end: Int64? {
        var parts = tm()
        guard let time = X509_get0_notAfter(pointer), ASN1_TIME_to_tm(time, &parts) == 1 else {
            return nil
        }
        return Int64(timegm(&parts))
    }

    func pem() throws(TLSError) -> String {
        try MemoryBIO.text { PEM_write_bio_X509($0, pointer) }
    }
}
