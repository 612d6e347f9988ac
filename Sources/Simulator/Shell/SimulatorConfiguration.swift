public import Domain

/// A further key that the simulated Apple knows: of another developer account, or of the same.
public struct SimulatedKey: Sendable {
    public var teamID: String
    public var keyID: String
    public var publicKeyPEM: String
    /// Apps of that account.
    public var bundleIDs: Set<String>
}

/// What a simulated Apple is like and where it listens.
public struct SimulatorConfiguration: Sendable {
    /// Address to listen on; the certificate names it too.
    public var host = "127.0.0.1"
    /// Further names and addresses the certificate is for.
    public var furtherHosts: [String] = ["localhost"]
    /// 0 for any free port.
    public var apnsPort = 0
    /// Of channel management; 0 for any free port.
    public var managementPort = 0
    /// 0 for any free port.
    public var controlPort = 0
    public var environment = APNsEnvironment.sandbox
    /// Ten characters.
    public var teamID = "ISLETTEAM0"
    /// Ten characters.
    public var keyID = "ISLETKEY00"
    public var bundleID = "dev.islet.demo"
    /// The team's signing key; nil to generate one. Only its public half is used to check tokens.
    public var signingKeyPEM: String?
    public var furtherKeys: [SimulatedKey] = []
    /// Equal seeds give equal tokens and identifiers; nil for random ones.
    public var seed: UInt64?
    /// What the app on the phones can decode.
    public var kinds: [CardKind] = CardKind.catalog
    /// What broadcasting is like for the app.
    public var broadcast = BroadcastRules()
    /// What the phones allow.
    public var rules = PhoneRules()
    /// What is refused although Apple may take it.
    public var refused: Set<Oddity> = []
    /// Hears a sentence the first time that something odd is taken.
    public var heed: @Sendable (_ oddity: Oddity, _ sentence: String) -> Void = { _, _ in }
    public var now: @Sendable () -> Moment

    public init(now: @escaping @Sendable () -> Moment) {
        self.now = now
    }
}
