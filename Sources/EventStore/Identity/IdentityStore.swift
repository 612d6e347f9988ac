public import Domain

/// Which log the database holds, and whether it may be worked on.
public struct IdentityStore: Sendable {
    public var look: @Sendable () async throws(EventStoreError) -> LogSighting
    /// Positions that these tenants' logs end at.
    public var heads:
        @Sendable (_ tenants: [TenantID]) async throws(EventStoreError) -> [TenantID: Int64]
    /// Leaves a sign of life, unless the log is held.
    /// - Returns: it, once it is as durable as the database makes anything.
    public var beat: @Sendable (_ epoch: Int64) async throws(EventStoreError) -> Moment?
    /// Somebody knows that Postgres was promoted and nothing is missing.
    public var vouch: @Sendable (_ epoch: Int64) async throws(EventStoreError) -> Void
    /// Nothing is sent from now on.
    public var hold: @Sendable (_ why: LogHold) async throws(EventStoreError) -> Void
    /// - Returns: the epoch from now on.
    public var accept:
        @Sendable (_ acceptance: LogAcceptance) async throws(EventStoreError) -> Int64
    /// Up to which position a log of today is that of an older epoch; nil for one that it does not
    /// come from.
    public var kept:
        @Sendable (_ tenant: TenantID, _ since: Int64) async throws(EventStoreError) -> Int64?
    public var faults: @Sendable () async throws(EventStoreError) -> [LogFault]

    public init(
        look: @escaping @Sendable () async throws(EventStoreError) -> LogSighting,
        heads:
            @escaping @Sendable (_ tenants: [TenantID]) async throws(EventStoreError)
            -> [TenantID: Int64],
        beat: @escaping @Sendable (_ epoch: Int64) async throws(EventStoreError) -> Moment?,
        vouch: @escaping @Sendable (_ epoch: Int64) async throws(EventStoreError) -> Void,
        hold: @escaping @Sendable (_ why: LogHold) async throws(EventStoreError) -> Void,
        accept:
            @escaping @Sendable (_ acceptance: LogAcceptance) async throws(EventStoreError)
            -> Int64,
        kept:
            @escaping @Sendable (_ tenant: TenantID, _ since: Int64)
            async throws(EventStoreError) -> Int64?,
        faults: @escaping @Sendable () async throws(EventStoreError) -> [LogFault]
    ) {
        self.look = look
        self.heads = heads
        self.beat = beat
        self.vouch = vouch
        self.hold = hold
        self.accept = accept
        self.kept = kept
        self.faults = faults
    }

    /// Of a store whose log is never restored.
    public static let none = IdentityStore(
        look: {
            LogSighting(
                epoch: firstLogEpoch, hold: nil, beatAt: Moment(microseconds: 0),
                silenceSeconds: 0, run: "")
        },
        heads: { _ in [:] }, beat: { _ in nil }, vouch: { _ in }, hold: { _ in },
        accept: { _ in firstLogEpoch }, kept: { _, _ in nil }, faults: { [] })
}
