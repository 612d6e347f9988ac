public import Domain

/// Tenants, their API keys and their limits. Keys are known here by their SHA-256 only.
public protocol TenantStore: Sendable {
    /// The tenant of that name, created when there is none.
    func ensure(_ name: String) async throws(EventStoreError) -> Tenant
    func all() async throws(EventStoreError) -> [Tenant]
    /// When the tenant was made: another one that is given its name later was made at another time.
    /// Nil when there is no such tenant.
    func createdAt(_ tenant: TenantID) async throws(EventStoreError) -> Moment?
    /// - Returns: the key's id; nil when the tenant has as many keys in force as it may have.
    func createKey(_ key: NewAPIKey) async throws(EventStoreError) -> Int64?
    /// Keys of one tenant or of all after an id, revoked and expired ones too, by id.
    func keys(
        _ tenant: TenantID?, _ after: Int64, _ limit: Int
    ) async throws(EventStoreError) -> [APIKeyRecord]
    /// Ends a key and tells every node. A second time changes nothing.
    /// - Parameter tenant: whose the key has to be; nil for anybody's.
    /// - Returns: the key as it is now; nil when there is no such id.
    func revokeKey(
        _ id: Int64, of tenant: TenantID?
    ) async throws(EventStoreError) -> APIKeyRecord?
    /// Nil when no tenant has or has had such a key. Fails with `moving` while the tenant has left
    /// this cell and is not open in the other one yet.
    func lookUp(key sha256: [UInt8]) async throws(EventStoreError) -> KeyLookup?
    /// This cell and those that are known here, by name.
    func cells() async throws(EventStoreError) -> [Cell]
    /// Names this cell, or says where another is. What is nil stays as it is.
    func setCell(_ cell: Cell) async throws(EventStoreError)
    /// Tenants that are on their way to or from this cell.
    func moves() async throws(EventStoreError) -> [MovingTenant]
    func limits(_ tenant: TenantID) async throws(EventStoreError) -> TenantLimits
    /// Replaces all limits of the tenant and tells every node.
    func setLimits(_ tenant: TenantID, _ limits: TenantLimits) async throws(EventStoreError)
    /// What each tenant's log takes up.
    /// - Parameter isNew: whether to look at what has come since the last look.
    func usage(_ isNew: Bool) async throws(EventStoreError) -> [TenantID: TenantUsage]
}

extension TenantStore {
    /// All keys of one tenant or of all, revoked and expired ones too, by id.
    public func keys(_ tenant: TenantID?) async throws(EventStoreError) -> [APIKeyRecord] {
        var keys: [APIKeyRecord] = []
        while true {
            let page = try await self.keys(tenant, keys.last?.id ?? 0, Limits.pageKeys)
            keys += page
            guard page.count == Limits.pageKeys else { return keys }
        }
    }

    /// See `revokeKey(_:of:)`.
    public func revokeKey(_ id: Int64) async throws(EventStoreError) -> APIKeyRecord? {
        try await revokeKey(id, of: nil)
    }

    /// The name of this cell, which new keys and tickets begin with; nil before it has one.
    public func ownCell() async throws(EventStoreError) -> Cell? {
        try await cells().first(where: \.isHere)
    }
}
