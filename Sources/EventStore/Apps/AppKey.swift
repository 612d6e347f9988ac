public import Domain

/// What an app's key is for. Apple ties new keys to one environment; older ones work in both.
public enum AppKeyScope: String, CaseIterable, Sendable {
    case sandbox, production, both

    public func covers(_ environment: APNsEnvironment) -> Bool {
        self == .both || rawValue == environment.rawValue
    }

    func overlaps(_ other: AppKeyScope) -> Bool {
        APNsEnvironment.allCases.contains { covers($0) && other.covers($0) }
    }
}

/// Which key it is. Its seal is bound to this, so that no row can pass for another.
public struct AppKeyIdentity: Hashable, Sendable {
    public var tenant: TenantID
    /// Without the push-type suffix.
    @ByBytes public var bundleID: String
    /// The developer account's id, 10 characters.
    @ByBytes public var teamID: String
    /// Apple's id of the key, 10 characters.
    @ByBytes public var keyID: String
    public var scope: AppKeyScope

    public init(
        tenant: TenantID, bundleID: String, teamID: String, keyID: String, scope: AppKeyScope
    ) {
        self.tenant = tenant
        self.bundleID = bundleID
        self.teamID = teamID
        self.keyID = keyID
        self.scope = scope
    }
}

/// A key as the database has it.
public struct AppKeyRecord: Hashable, Sendable {
    /// The later added, the greater.
    public var id: Int64
    public var identity: AppKeyIdentity
    /// Never the key itself.
    public var sealed: [UInt8]
    /// Tells master keys apart; no secret.
    public var masterKeyID: String
    public var addedAt: Moment

    public init(
        id: Int64, identity: AppKeyIdentity, sealed: [UInt8], masterKeyID: String,
        addedAt: Moment
    ) {
        self.id = id
        self.identity = identity
        self.sealed = sealed
        self.masterKeyID = masterKeyID
        self.addedAt = addedAt
    }
}

/// A key to be added, sealed already.
public struct NewAppKey: Sendable {
    public var identity: AppKeyIdentity
    public var sealed: [UInt8]
    public var masterKeyID: String

    public init(identity: AppKeyIdentity, sealed: [UInt8], masterKeyID: String) {
        self.identity = identity
        self.sealed = sealed
        self.masterKeyID = masterKeyID
    }
}
