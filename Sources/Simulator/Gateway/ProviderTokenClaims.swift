import Encodings
import Domain
import Foundation

/// A provider token taken apart; whether to believe it is for `ProviderGate` to say.
struct ProviderTokenClaims {
    var keyID: String
    var teamID: String
    var issuedAt: Moment
    var issueTimeIsText: Bool
    var signingInput: [UInt8]
    var signature: [UInt8]

    private struct Header: Decodable {
        var alg: String
        var kid: String
    }

    private struct Claims: Decodable {
        var iss: String
        var iat: IssueTime
    }

    /// Seconds since 1970. Apple documents a number; released clients send a string of digits.
    private struct IssueTime: Decodable {
        var seconds: Double
        var isText: Bool

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }),
                    let number = Double(text)
                else {
                    throw DecodingError.dataCorruptedError(
                        in: container, debugDescription: "not digits")
                }
                (seconds, isText) = (number, true)
            } else {
                (seconds, isText) = (try container.decode(Double.self), false)
            }
        }
    }

    /// - Returns: nil unless it is `header.claims.signature` with `ES256` and all that Apple asks.
    init?(_ token: String) {
        guard token.utf8.count <= Limits.providerTokenBytesMax else { return nil }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let headerBytes = Base64URL.decode(parts[0]),
            let claimBytes = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2]),
            let header = try? JSONDecoder().decode(Header.self, from: Data(headerBytes)),
            let claims = try? JSONDecoder().decode(Claims.self, from: Data(claimBytes)),
            header.alg == "ES256", claims.iat.seconds.isFinite,
            abs(claims.iat.seconds) < 1e11
        else { return nil }
        keyID = header.kid
        teamID = claims.iss
        issuedAt = Moment(microseconds: 0).adding(seconds: claims.iat.seconds)
        issueTimeIsText = claims.iat.isText
        signingInput = Array("\(parts[0]).\(parts[1])".utf8)
        self.signature = signature
    }
}
