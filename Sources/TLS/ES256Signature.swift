import COpenSSL

/// Converts between the two spellings of an ECDSA signature: OpenSSL's DER sequence of two
/// integers, and the r‖s of JSON Web Signatures, each 32 bytes with leading zeros kept.
public enum ES256Signature {
    static let joinedBytes = 64
    /// A sequence of two integers of at most 33 bytes needs 72.
    static let derBytesMax = 80

    /// Nil unless `der` is spelled as DER wants it: each number as short as it can be, and nothing
    /// behind them.
    public static func joined(der: ArraySlice<UInt8>) -> [UInt8]? {
        let signature = der.withUnsafeBufferPointer { bytes in
            var cursor = bytes.baseAddress
            return d2i_ECDSA_SIG(nil, &cursor, bytes.count)
        }
        guard let signature else { return nil }
        defer { ECDSA_SIG_free(signature) }
        var r = [UInt8](repeating: 0, count: joinedBytes / 2)
        var s = r
        guard BN_bn2binpad(ECDSA_SIG_get0_r(signature), &r, Int32(r.count)) == r.count,
            BN_bn2binpad(ECDSA_SIG_get0_s(signature), &s, Int32(s.count)) == s.count
        else { return nil }
        let joined = r + s
        return Self.der(joined: joined)?.elementsEqual(der) == true ? joined : nil
    }

    /// Nil unless `joined` is 64 bytes.
    static func der(joined: [UInt8]) -> [UInt8]? {
        guard joined.count == joinedBytes, let signature = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(signature) }
        let half = Int32(joinedBytes / 2)
        let r = BN_bin2bn(Array(joined.prefix(joinedBytes / 2)), half, nil)
        let s = BN_bin2bn(Array(joined.suffix(joinedBytes / 2)), half, nil)
        // It fails if one is missing. On success the signature owns both numbers.
        guard ECDSA_SIG_set0(signature, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: derBytesMax)
        let count = bytes.withUnsafeMutableBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return i2d_ECDSA_SIG(signature, &cursor)
        }
        return count > 0 ? Array(bytes.prefix(Int(count))) : nil
    }
}
