public import Domain

/// A process of Islet that is connected to the database, and what it is sending.
public struct NodeSighting: Hashable, Sendable {
    public var name: String
    public var connections: Int
    /// Of its first connection.
    public var since: Moment?
    /// Activities of the tenant for which it is sending something.
    public var claims: Int

    public init(name: String, connections: Int, since: Moment?, claims: Int) {
        self.name = name
        self.connections = connections
        self.since = since
        self.claims = claims
    }
}

/// A message to a webhook that did not arrive, and what came of it.
public struct WebhookAttempt: Hashable, Sendable {
    public var id: Int64
    public var message: WaitingMessage
    public var kind: String?
    public var triedAt: Moment
    /// Nil once it is given up.
    public var retryAt: Moment?
    public var givenUpAt: Moment?
    public var lastFailure: String

    public init(
        id: Int64, message: WaitingMessage, kind: String?, triedAt: Moment, retryAt: Moment?,
        givenUpAt: Moment?, lastFailure: String
    ) {
        self.id = id
        self.message = message
        self.kind = kind
        self.triedAt = triedAt
        self.retryAt = retryAt
        self.givenUpAt = givenUpAt
        self.lastFailure = lastFailure
    }
}

/// What operators look at and nobody else asks for.
public protocol OperatorStore: Sendable {
    /// Keys of a tenant's apps, without their seals.
    func appKeys(_ tenant: TenantID) async throws(EventStoreError) -> [AppKeyRecord]
    func appAlarms(_ tenant: TenantID) async throws(EventStoreError) -> [AppAlarm]
    /// Phones that wait, up to a bound.
    func deferredPhones(_ tenant: TenantID) async throws(EventStoreError) -> [DeferredPhones]
    /// Current channels by id, after one.
    func channels(_ tenant: TenantID, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [Channel]
    /// Messages of a webhook that wait or were given up, the last tried first.
    func attempts(_ tenant: TenantID, _ webhookID: String, _ limit: Int)
        async throws(EventStoreError) -> [WebhookAttempt]
    /// By name. A node that died and left something claimed is there without a connection.
    func nodes(_ tenant: TenantID) async throws(EventStoreError) -> [NodeSighting]
}
