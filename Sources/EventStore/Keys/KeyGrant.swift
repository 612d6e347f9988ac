public import Domain

public struct Tenant: Hashable, Sendable {
    public var id: TenantID
    public var name: String

    public init(id: TenantID, name: String) {
        self.id = id
        self.name = name
    }
}

/// What a presented API key, or a sign-in, stands for, were it still valid.
public struct KeyGrant: Hashable, Sendable {
    public var keyID: Int64
    public var tenant: Tenant
    public var scopes: Set<Scope>
    public var expiresAt: Moment?
    public var revokedAt: Moment?
    /// A browser signed in with the key and presents a secret of its own.
    public var isSignIn: Bool
    public var limits: TenantLimits

    public init(
        keyID: Int64 = 0, tenant: Tenant, scopes: Set<Scope>, expiresAt: Moment? = nil,
        revokedAt: Moment? = nil, isSignIn: Bool = false, limits: TenantLimits = .none
    ) {
        self.keyID = keyID
        self.tenant = tenant
        self.scopes = scopes
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
        self.isSignIn = isSignIn
        self.limits = limits
    }
}
