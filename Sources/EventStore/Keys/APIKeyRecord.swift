public import Domain

/// A key to be. The key itself stays with its owner.
public struct NewAPIKey: Hashable, Sendable {
    public var tenant: TenantID
    public var sha256: [UInt8]
    public var scopes: Set<Scope>
    /// 1 to 200 bytes for people, such as the name of the service that has the key.
    public var label: String?
    public var expiresAt: Moment?

    public init(
        tenant: TenantID, sha256: [UInt8], scopes: Set<Scope>, label: String? = nil,
        expiresAt: Moment? = nil
    ) {
        self.tenant = tenant
        self.sha256 = sha256
        self.scopes = scopes
        self.label = label
        self.expiresAt = expiresAt
    }
}

/// What lists show of a key: never the key nor its hash.
public struct APIKeyRecord: Hashable, Sendable {
    /// Whether it opens anything, and if not, why.
    public enum State: String, Sendable {
        case active, expired, revoked
    }

    public var id: Int64
    public var tenant: Tenant
    public var label: String?
    public var scopes: Set<Scope>
    public var createdAt: Moment
    public var expiresAt: Moment?
    /// Coarse: to about an hour. Nil when it was never used.
    public var lastUsedAt: Moment?
    public var revokedAt: Moment?

    public init(
        id: Int64, tenant: Tenant, label: String?, scopes: Set<Scope>, createdAt: Moment,
        expiresAt: Moment?, lastUsedAt: Moment?, revokedAt: Moment?
    ) {
        self.id = id
        self.tenant = tenant
        self.label = label
        self.scopes = scopes
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.lastUsedAt = lastUsedAt
        self.revokedAt = revokedAt
    }

    /// A key that was revoked stays so when it expires.
    public func state(at now: Moment) -> State {
        if revokedAt != nil { return .revoked }
        return expiresAt.map { $0 <= now } == true ? .expired : .active
    }
}
