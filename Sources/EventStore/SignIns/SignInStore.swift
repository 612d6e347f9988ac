public import Domain

/// Who is signed in to the dashboard with an API key. What their browser keeps opens what the key
/// opens, until it ends or the key does. `TenantStore.lookUp` knows it as it knows keys. Every
/// node learns of every change.
public protocol SignInStore: Sendable {
    /// Signs somebody in. Of a key that has too many sign-ins, the oldest end.
    /// - Parameter sha256: of what the browser keeps, which nobody else does.
    func open(_ tenant: TenantID, _ keyID: Int64, _ sha256: [UInt8], _ expiresAt: Moment)
        async throws(EventStoreError)
    func end(_ tenant: TenantID, _ sha256: [UInt8]) async throws(EventStoreError)
    /// All that were opened with a key.
    func endAll(_ tenant: TenantID, _ keyID: Int64) async throws(EventStoreError)
}
