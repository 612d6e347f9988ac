/// The JSON Web Token that authenticates a provider, up to its signature.
///
/// Source: Establishing a token-based connection to APNs; RFC 7515 for the encoding.
public struct ProviderToken: Hashable, Sendable {
    /// 10 characters.
    public var keyID: String
    /// 10 characters.
    public var teamID: String
    /// Unix seconds; goes out as a JSON number.
    public var issuedAt: Int64

    public init(keyID: String, teamID: String, issuedAt: Int64) {
        self.keyID = keyID
        self.teamID = teamID
        self.issuedAt = issuedAt
    }

    /// The bytes to be signed with ES256.
    public var signingInput: [UInt8] {
        let header = #"{"alg":"ES256","kid":"\#(keyID)"}"#
        let claims = #"{"iss":"\#(teamID)","iat":\#(issuedAt)}"#
        return Base64URL.encode(Array(header.utf8)) + Array(".".utf8)
            + Base64URL.encode(Array(claims.utf8))
    }

    /// The whole token.
    /// - Parameter signature: r‖s of the P-256 signature over `signingInput`, 64 bytes.
    public func signed(with signature: [UInt8]) -> String {
        precondition(signature.count == 64, "ES256 signatures have 64 bytes")
        return String(
            decoding: signingInput + Array(".".utf8) + Base64URL.encode(signature), as: UTF8.self)
    }
}

/// Base64 with the URL-safe alphabet and no padding. Source: RFC 4648, section 5.
public enum Base64URL {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    public static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 4 / 3 + 3)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for (index, byte) in group.enumerated() { bits |= UInt32(byte) << (16 - 8 * index) }
            for index in 0...group.count {
                text.append(alphabet[Int(bits >> (18 - 6 * index)) & 63])
            }
        }
        return text
    }

    /// - Returns: nil for a character outside the alphabet or an impossible length.
    public static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for character in text {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 1
            if count == 4 {
                bytes += [UInt8(bits >> 16 & 255), UInt8(bits >> 8 & 255), UInt8(bits & 255)]
                bits = 0
                count = 0
            }
        }
        switch count {
        case 0: return bytes
        case 2: return bytes + [UInt8(bits >> 4 & 255)]
        case 3: return bytes + [UInt8(bits >> 10 & 255), UInt8(bits >> 2 & 255)]
        default: return nil
        }
    }
}
