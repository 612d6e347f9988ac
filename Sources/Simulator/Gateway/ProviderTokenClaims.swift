import Domain
import Foundation

/// A provider token taken apart; whether to believe it is for `ProviderGate` to say.
struct ProviderTokenClaims {
    var keyID: String
    var teamID: String
    var issuedAt: Moment
    var signingInput: [UInt8]
    var signature: [UInt8]

    private struct Header: Decodable {
        var alg: String
        var kid: String
    }

    private struct Claims: Decodable {
        var iss: String
        /// Seconds; the decoder refuses a string or a boolean here, as Apple does.
        var iat: Double
    }

    /// - Returns: nil unless it is `header.claims.signature` with `ES256` and all that Apple asks.
    init?(_ token: String) {
        guard token.utf8.count <= Limits.providerTokenBytesMax else { return nil }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let headerBytes = Self.base64URL(parts[0]),
            let claimBytes = Self.base64URL(parts[1]), let signature = Self.base64URL(parts[2]),
            let header = try? JSONDecoder().decode(Header.self, from: headerBytes),
            let claims = try? JSONDecoder().decode(Claims.self, from: claimBytes),
            header.alg == "ES256", claims.iat.isFinite, abs(claims.iat) < 1e11
        else { return nil }
        keyID = header.kid
        teamID = claims.iss
        issuedAt = Moment(microseconds: 0).adding(seconds: claims.iat)
        signingInput = Array("\(parts[0]).\(parts[1])".utf8)
        self.signature = Array(signature)
    }

    /// RFC 4648 section 5 without padding; nil for another alphabet or length.
    private static func base64URL(_ text: Substring) -> Data? {
        guard !text.isEmpty, text.utf8.count % 4 != 1 else { return nil }
        var standard = ""
        standard.reserveCapacity(text.utf8.count + 3)
        for character in text.unicodeScalars {
            switch character {
            case "-": standard += "+"
            case "_": standard += "/"
            case "a"..."z", "A"..."Z", "0"..."9": standard.unicodeScalars.append(character)
            default: return nil
            }
        }
        standard += String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        return Data(base64Encoded: standard)
    }
}
