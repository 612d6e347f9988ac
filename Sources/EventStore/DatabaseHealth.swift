import Postgres

/// What the store's database connections have lived through since the program started: for
/// readiness and metrics. Reading it costs a lock and no query.
public struct DatabaseHealth: Sendable {
    /// Calls that were given up because the database did not answer in time.
    public var callsTimedOut = 0
    /// Connections that were given up because it did not answer a cancel request either: a server
    /// that hangs, or a network that swallows.
    public var connectionsSilent = 0
    /// Commits of any kind that synchronous standbys had not confirmed when the wait for them
    /// ended. Those of appends were answered `outcome-unknown`.
    public var commitsNotReplicated = 0
    /// How long ago the last of them was; nil when there was none.
    public var secondsSinceNotReplicated: Double?
    /// Times that the database was reached again after a connection had broken.
    public var reconnects = 0
    /// Times that it was another server then.
    public var serverChanges = 0
    /// False from the breaking of a connection until the next one stands.
    public var isReached = true
    /// Open right now, by pool: `main`, `deliveries`, `visitors`.
    public var connectionsOpen: [String: Int] = [:]
    /// How long ago an append last succeeded; nil when none has.
    public var secondsSinceAppend: Double?
    /// Set while appends fail: nil again after the first that succeeds.
    public var appendFailure: AppendFailure?

    public struct AppendFailure: Sendable {
        /// How long ago the first one failed since one succeeded.
        public var secondsSinceFirst: Double
        public var count: Int
        /// Of the last one.
        public var error: EventStoreError
    }

    public init() {}
}

extension DatabaseHealth {
    init(_ state: ConnectionRecord.State) {
        callsTimedOut = state.callsTimedOut
        connectionsSilent = state.connectionsSilent
        commitsNotReplicated = state.commitsNotReplicated
        secondsSinceNotReplicated = state.lastNotReplicatedAt.map(Self.secondsSince)
        reconnects = state.reconnects
        serverChanges = state.serverChanges
        isReached = state.isReached
        connectionsOpen = state.connectionsOpen
        secondsSinceAppend = state.lastAppendAt.map(Self.secondsSince)
        appendFailure = state.lastAppendFailure.map {
            AppendFailure(
                secondsSinceFirst: Self.secondsSince($0.since), count: $0.count,
                error: EventStoreError($0.error))
        }
    }

    private static func secondsSince(_ instant: ContinuousClock.Instant) -> Double {
        (ContinuousClock.now - instant) / .seconds(1)
    }
}
