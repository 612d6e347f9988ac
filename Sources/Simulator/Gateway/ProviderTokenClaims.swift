import Encodings
import Domain
import JSON

/// A provider token taken apart; whether to believe it is for `ProviderGate` to say.
struct ProviderTokenClaims {
    var keyID: String
    var teamID: String
    var issuedAt: Moment
    var issueTimeIsText: Bool
    var signingInput: [UInt8]
    var signature: [UInt8]

    /// - Returns: nil unless it is `header.claims.signature` with `ES256` and all that Apple asks.
    init?(_ token: String) {
        guard token.utf8.count <= Limits.providerTokenBytesMax else { return nil }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]),
            let claims = Self.object(parts[1]), let signature = Base64URL.decode(parts[2]),
            header["alg"]?.text == "ES256", let keyID = header["kid"]?.text,
            let teamID = claims["iss"]?.text, let issuedAt = claims["iat"],
            let seconds = Self.seconds(issuedAt), abs(seconds) < 1e11
        else { return nil }
        self.keyID = keyID
        self.teamID = teamID
        self.issuedAt = Moment(microseconds: 0).adding(seconds: seconds)
        issueTimeIsText = issuedAt.text != nil
        signingInput = Array("\(parts[0]).\(parts[1])".utf8)
        self.signature = signature
    }

    private static func object(_ part: Substring) -> JSON? {
        Base64URL.decode(part).flatMap { try? JSONParser.parse($0, isStrict: false) }
    }

    /// Since 1970. Apple documents a number; released clients send a string of digits.
    private static func seconds(_ issuedAt: JSON) -> Double? {
        switch issuedAt {
        case .number(let literal): Double(literal)
        case .string(let text) where text.utf8.allSatisfy({ (48...57).contains($0) }): Double(text)
        case .null, .bool, .string, .array, .object, .encoded: nil
        }
    }
}
