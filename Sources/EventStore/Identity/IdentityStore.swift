public import Domain

/// Which log the database has, and whether it may be worked on.
public protocol IdentityStore: Sendable {
    func look() async throws(EventStoreError) -> LogSighting
    /// Positions that these tenants' logs end at.
    func heads(_ tenants: [TenantID]) async throws(EventStoreError) -> [TenantID: Int64]
    /// Leaves a sign of life, unless the log is held.
    /// - Parameter run: in which the log was seen. What a look has shown says nothing of another
    ///   server, so nothing is done in another run, here and below.
    /// - Returns: it, once it is as durable as the database makes anything.
    func beat(_ epoch: Int64, in run: String) async throws(EventStoreError) -> Moment?
    /// Somebody knows that Postgres was promoted and nothing is missing.
    func vouch(_ epoch: Int64, in run: String) async throws(EventStoreError)
    /// Nothing is sent from now on. It is noted among the acts of each tenant.
    /// - Parameter run: nil for whichever it is.
    func hold(_ why: LogHold, in run: String?) async throws(EventStoreError)
    /// One at a time. It is noted as a hold is.
    /// - Returns: the epoch from now on; nil when the log does not stand as it was seen, and
    ///   nothing was done.
    func accept(_ acceptance: LogAcceptance) async throws(EventStoreError) -> Int64?
    /// Up to which position a log of today is that of an older epoch; nil for one that it does not
    /// come from.
    func kept(_ tenant: TenantID, _ since: Int64) async throws(EventStoreError) -> Int64?
    func inconsistencies() async throws(EventStoreError) -> [LogInconsistency]
}
