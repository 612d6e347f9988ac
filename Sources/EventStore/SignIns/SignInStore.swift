public import Domain

/// Somebody who has signed in to the dashboard with an API key. What their browser keeps opens what
/// the key opens, until it ends or the key does. `TenantStore.grant` knows it as it knows keys.
public struct NewSignIn: Hashable, Sendable {
    public var tenant: TenantID
    public var keyID: Int64
    /// Of what the browser keeps, which nobody else does.
    public var sha256: [UInt8]
    public var expiresAt: Moment

    public init(tenant: TenantID, keyID: Int64, sha256: [UInt8], expiresAt: Moment) {
        self.tenant = tenant
        self.keyID = keyID
        self.sha256 = sha256
        self.expiresAt = expiresAt
    }
}

/// Who is signed in. Every node learns of every change.
public protocol SignInStore: Sendable {
    /// Of a key that has too many, the oldest end.
    func open(_ signIn: NewSignIn) async throws(EventStoreError)
    func end(_ tenant: TenantID, _ sha256: [UInt8]) async throws(EventStoreError)
    /// All that were opened with a key.
    func endAll(_ tenant: TenantID, _ keyID: Int64) async throws(EventStoreError)
}
