import Encodings

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
        let parts = [header, claims].map { Base64URL.encode($0.utf8) }
        return Array(parts.joined(separator: ".").utf8)
    }

    /// The whole token.
    /// - Parameter signature: r‖s of the P-256 signature over `signingInput`, 64 bytes.
    public func signed(with signature: [UInt8]) -> String {
        precondition(signature.count == 64, "ES256 signatures have 64 bytes")
        return String(decoding: signingInput, as: UTF8.self) + "." + Base64URL.encode(signature)
    }
}
