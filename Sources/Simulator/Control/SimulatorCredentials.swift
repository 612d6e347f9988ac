import Encodings
import Domain
import Foundation
import TLS

/// What a sender needs to talk to the simulated Apple. The key is made up, so it is no secret.
public struct SimulatorCredentials: Hashable, Sendable, Codable {
    /// For pushes and broadcasts.
    public var apnsPort: Int
    /// For channel management.
    public var managementPort: Int
    /// Trust this authority.
    public var authorityPEM: String
    /// Sign provider tokens with this key.
    public var signingKeyPEM: String
    public var teamID: String
    public var keyID: String
    public var bundleID: String
}

extension SimulatorCredentials {
    /// Signed as Apple wants it, for people who try something out by hand.
    func providerToken(issuedAt: Moment) -> String? {
        guard let key = try? ES256PrivateKey(pem: signingKeyPEM) else { return nil }
        let input = [
            #"{"alg":"ES256","kid":"\#(keyID)"}"#,
            #"{"iss":"\#(teamID)","iat":\#(issuedAt.unixSeconds)}"#,
        ].map { Base64URL.encode($0.utf8) }.joined(separator: ".")
        return input + "." + Base64URL.encode(key.sign(Array(input.utf8)))
    }
}
