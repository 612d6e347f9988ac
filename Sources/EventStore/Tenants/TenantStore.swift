public import Domain

/// Tenants, their API keys and their limits. Keys are known here by their SHA-256 only.
public struct TenantStore: Sendable {
    /// The tenant of that name, created when there is none.
    public var ensure: @Sendable (_ name: String) async throws(EventStoreError) -> Tenant
    public var all: @Sendable () async throws(EventStoreError) -> [Tenant]
    /// - Returns: the key's id.
    public var createKey: @Sendable (NewAPIKey) async throws(EventStoreError) -> Int64
    /// Keys of one tenant or of all, revoked and expired ones too, by id.
    public var keys: @Sendable (TenantID?) async throws(EventStoreError) -> [APIKeyRecord]
    /// Ends a key and tells every node. A second time changes nothing.
    /// - Returns: the key as it is now; nil when there is no such id.
    public var revokeKey: @Sendable (_ id: Int64) async throws(EventStoreError) -> APIKeyRecord?
    /// Nil when no such key exists. Expired and revoked keys have one: the caller must look.
    public var grant: @Sendable (_ sha256: [UInt8]) async throws(EventStoreError) -> KeyGrant?
    public var limits: @Sendable (TenantID) async throws(EventStoreError) -> TenantLimits
    /// Replaces all limits of the tenant and tells every node.
    public var setLimits: @Sendable (TenantID, TenantLimits) async throws(EventStoreError) -> Void
    /// What each tenant's log takes up.
    /// - Parameter isNew: whether to look at what has come since the last look.
    public var usage:
        @Sendable (_ isNew: Bool) async throws(EventStoreError) -> [TenantID: TenantUsage]

    public init(
        ensure: @escaping @Sendable (_ name: String) async throws(EventStoreError) -> Tenant,
        all: @escaping @Sendable () async throws(EventStoreError) -> [Tenant],
        createKey: @escaping @Sendable (NewAPIKey) async throws(EventStoreError) -> Int64,
        keys: @escaping @Sendable (TenantID?) async throws(EventStoreError) -> [APIKeyRecord],
        revokeKey:
            @escaping @Sendable (_ id: Int64) async throws(EventStoreError) -> APIKeyRecord?,
        grant: @escaping @Sendable (_ sha256: [UInt8]) async throws(EventStoreError) -> KeyGrant?,
        limits: @escaping @Sendable (TenantID) async throws(EventStoreError) -> TenantLimits,
        setLimits:
            @escaping @Sendable (TenantID, TenantLimits) async throws(EventStoreError) -> Void,
        usage:
            @escaping @Sendable (_ isNew: Bool) async throws(EventStoreError)
            -> [TenantID: TenantUsage] = { _ in [:] }
    ) {
        self.ensure = ensure
        self.all = all
        self.createKey = createKey
        self.keys = keys
        self.revokeKey = revokeKey
        self.grant = grant
        self.limits = limits
        self.setLimits = setLimits
        self.usage = usage
    }

    /// A key without label and end.
    public func addKey(
        _ tenant: TenantID, _ sha256: [UInt8], _ scopes: Set<Scope>
    ) async throws(EventStoreError) {
        _ = try await createKey(NewAPIKey(tenant: tenant, sha256: sha256, scopes: scopes))
    }
}
