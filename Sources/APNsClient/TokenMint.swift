import APNs
import TLS

/// Makes provider tokens: at the first use, then again when the last one has grown old.
///
/// Synchronous, so that nobody can come in between: one token at a time by construction. Signing
/// takes about 26 µs.
struct TokenMint {
    struct Token {
        /// The value of the `authorization` field.
        var authorization: String
        /// Tells tokens apart without comparing secrets.
        var number: Int
    }

    private let credentials: APNsCredentials
    private var current: (token: Token, issuedAt: Int64)?
    private var minted = 0
    private var lastRenewal: Int64?

    init(_ credentials: APNsCredentials) {
        self.credentials = credentials
    }

    /// - Parameter now: Unix seconds.
    mutating func token(at now: Int64) -> Token {
        if let current, abs(now - current.issuedAt) < Limits.providerTokenReuseSeconds {
            return current.token
        }
        return mint(at: now)
    }

    /// Replaces a token that was refused for its age.
    ///
    /// Done once in 20 minutes: should the new one be refused too, this machine's clock is wrong
    /// and more tokens would only add "too many" to "expired".
    /// - Returns: whether there is now another token than the refused one.
    mutating func renew(refused number: Int, at now: Int64) -> Bool {
        if let current, current.token.number > number { return true }
        let pause = APNs.Limits.providerTokenRefreshSecondsMin
        if let lastRenewal, abs(now - lastRenewal) < pause { return false }
        lastRenewal = now
        _ = mint(at: now)
        return true
    }

    private mutating func mint(at now: Int64) -> Token {
        minted += 1
        let unsigned = ProviderToken(
            keyID: credentials.keyID, teamID: credentials.teamID, issuedAt: now)
        let signature = credentials.key.sign(unsigned.signingInput)
        let token = Token(
            authorization: "bearer \(unsigned.signed(with: signature))", number: minted)
        current = (token, now)
        return token
    }
}
