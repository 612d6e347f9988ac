public import Domain

/// What an API key may do.
public enum Scope: String, CaseIterable, Sendable {
    case eventsWrite = "events:write"
    case activitiesRead = "activities:read"
    case registrationsWrite = "registrations:write"
    case admin
}

public struct Tenant: Hashable, Sendable {
    public var id: TenantID
    public var name: String

    public init(id: TenantID, name: String) {
        self.id = id
        self.name = name
    }
}

/// What a presented API key stands for.
public struct KeyGrant: Hashable, Sendable {
    public var tenant: Tenant
    public var scopes: Set<Scope>

    public init(tenant: Tenant, scopes: Set<Scope>) {
        self.tenant = tenant
        self.scopes = scopes
    }
}

/// Tenants and their API keys. Keys are known here by their SHA-256 only.
public struct TenantStore: Sendable {
    /// The tenant of that name, created when there is none.
    public var ensure: @Sendable (_ name: String) async throws(EventStoreError) -> Tenant
    public var all: @Sendable () async throws(EventStoreError) -> [Tenant]
    public var addKey:
        @Sendable (_ tenant: TenantID, _ sha256: [UInt8], _ scopes: Set<Scope>)
            async throws(EventStoreError) -> Void
    /// Nil when no such key exists.
    public var grant: @Sendable (_ sha256: [UInt8]) async throws(EventStoreError) -> KeyGrant?

    public init(
        ensure: @escaping @Sendable (_ name: String) async throws(EventStoreError) -> Tenant,
        all: @escaping @Sendable () async throws(EventStoreError) -> [Tenant],
        addKey:
            @escaping @Sendable (_ tenant: TenantID, _ sha256: [UInt8], _ scopes: Set<Scope>)
            async throws(EventStoreError) -> Void,
        grant:
            @escaping @Sendable (_ sha256: [UInt8]) async throws(EventStoreError) -> KeyGrant?
    ) {
        self.ensure = ensure
        self.all = all
        self.addKey = addKey
        self.grant = grant
    }
}
