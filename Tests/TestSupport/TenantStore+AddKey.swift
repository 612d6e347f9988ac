public import Domain
public import EventStore

extension TenantStore {
    /// A key without label and end.
    public func addKey(
        _ tenant: TenantID, _ sha256: [UInt8], _ scopes: Set<Scope>
    ) async throws(EventStoreError) {
        _ = try await createKey(NewAPIKey(tenant: tenant, sha256: sha256, scopes: scopes))
    }

    /// Nil when the key opens nothing here.
    public func grant(_ sha256: [UInt8]) async throws(EventStoreError) -> KeyGrant? {
        guard case .granted(let grant) = try await lookUp(key: sha256) else { return nil }
        return grant
    }
}
