public import TLS

/// What a provider signs its tokens with. Never describes the key.
public struct APNsCredentials: Sendable, CustomStringConvertible, CustomReflectable {
    /// 10 characters.
    public var teamID: String
    /// 10 characters.
    public var keyID: String
    public var key: ES256PrivateKey

    public init(teamID: String, keyID: String, key: ES256PrivateKey) {
        self.teamID = teamID
        self.keyID = keyID
        self.key = key
    }

    public var description: String { "<credentials of key \(keyID)>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
