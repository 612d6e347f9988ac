public import Domain

/// Which log the database holds, and whether it may be worked on.
public protocol IdentityStore: Sendable {
    func look() async throws(EventStoreError) -> LogSighting
    /// Positions that these tenants' logs end at.
    func heads(_ tenants: [TenantID]) async throws(EventStoreError) -> [TenantID: Int64]
    /// Leaves a sign of life, unless the log is held.
    /// - Returns: it, once it is as durable as the database makes anything.
    func beat(_ epoch: Int64) async throws(EventStoreError) -> Moment?
    /// Somebody knows that Postgres was promoted and nothing is missing.
    func vouch(_ epoch: Int64) async throws(EventStoreError)
    /// Nothing is sent from now on.
    func hold(_ why: LogHold) async throws(EventStoreError)
    /// The database's log is the one from now on.
    /// - Parameters:
    ///   - isComplete: nothing is missing: it is the same log, in another place.
    ///   - aheadSeconds: how much the clock of the database before may have been ahead of this
    ///     one's.
    /// - Returns: the epoch from now on.
    func accept(isComplete: Bool, aheadSeconds: Int) async throws(EventStoreError) -> Int64
    /// Up to which position a log of today is that of an older epoch; nil for one that it does not
    /// come from.
    func kept(_ tenant: TenantID, _ since: Int64) async throws(EventStoreError) -> Int64?
    func faults() async throws(EventStoreError) -> [LogFault]
}
