public import Domain
public import EventStore

// What a store has in the place of what it does not have.

/// Of a store that nobody replays.
public struct NoReplays: ReplayStore {
    public init() {}

    public func page(_: TenantID, _: ClosedRange<Int64>) async throws(EventStoreError)
        -> any LogPage
    {
        throw Self.isNone
    }

    public func ledger(_: TenantID, _: [StreamPart]) async throws(EventStoreError) -> any LedgerPage
    {
        throw Self.isNone
    }

    public func census(_: TenantID) async throws(EventStoreError) -> LedgerCensus { LedgerCensus() }

    public func snapshotCount(_: TenantID, _: Int64) async throws(EventStoreError) -> Int { 0 }

    public func snapshots(_: TenantID, _: [ActivityID]) async throws(EventStoreError)
        -> [any StoredSnapshot]
    { [] }

    public func strays(_: TenantID, _: Stray.Kind, _: Int64, _: Int) async throws(EventStoreError)
        -> [Stray]
    { [] }

    public func phones(_: TenantID, _: ActivityID, _: Int64, _: Int) async throws(EventStoreError)
        -> [PhoneRow]
    { [] }

    public func neighbours(_: TenantID, _: ActivityID, _: Int) async throws(EventStoreError)
        -> [ActivityID]
    { [] }

    private static let isNone = EventStoreError.unavailable(detail: "this store cannot be replayed")
}

/// One that knows of nothing.
public struct NoUpkeep: UpkeepStore {
    public init() {}

    public func status() async throws(EventStoreError) -> [ProjectionStatus] { [] }

    public func lags() async throws(EventStoreError) -> [ProjectionLag] { [] }

    public func parked(_: TenantID, _: ActivityID?, _: Int64, _: Int) async throws(EventStoreError)
        -> [ParkedRow]
    { [] }

    public func skipped(_: TenantID, _: ActivityID, _: Int) async throws(EventStoreError) -> [Int64]
    { [] }

    public func refold(
        _: TenantID, _: ActivityID, _: Int64?, _: @Sendable (RefoldInput) -> FoldOutcome?
    ) async throws(EventStoreError) -> Bool { false }
}

/// One for which no time ever comes.
public struct NoClock: ClockStore {
    public init() {}

    public func due(_: Moment, _: DueActivity.Place?, _: Int) async throws(EventStoreError)
        -> [DueActivity]
    { [] }

    public func nextDue(_: Moment) async throws(EventStoreError) -> Moment? { nil }

    public func correct(_: [DueTime]) async throws(EventStoreError) {}
}

/// Of a store whose log is never restored.
public struct NeverRestored: IdentityStore {
    private let position: Int64?

    /// - Parameter position: up to which the log is that of an older epoch, if any of it is.
    public init(keeping position: Int64? = nil) { self.position = position }

    public func look() async throws(EventStoreError) -> LogSighting {
        LogSighting(
            epoch: firstLogEpoch, hold: nil, beatAt: Moment(microseconds: 0), silenceSeconds: 0,
            run: "")
    }

    public func heads(_: [TenantID]) async throws(EventStoreError) -> [TenantID: Int64] { [:] }

    public func beat(_: Int64) async throws(EventStoreError) -> Moment? { nil }

    public func vouch(_: Int64) async throws(EventStoreError) {}

    public func hold(_: LogHold) async throws(EventStoreError) {}

    public func accept(_: LogAcceptance) async throws(EventStoreError) -> Int64? { firstLogEpoch }

    public func kept(_: TenantID, _: Int64) async throws(EventStoreError) -> Int64? { position }

    public func faults() async throws(EventStoreError) -> [LogFault] { [] }
}

/// Of a store that has no webhooks.
public struct NoWebhooks: WebhookStore {
    public init() {}

    public func all(_: TenantID, _: String?) async throws(EventStoreError) -> [(
        Webhook, WebhookFigures
    )] { [] }

    public func add(_: Webhook, _: WebhookSecret) async throws(EventStoreError) -> Bool { false }

    public func edit(_: TenantID, _: String, _: WebhookEdit) async throws(EventStoreError) -> Bool {
        false
    }

    public func resume(_: TenantID, _: String) async throws(EventStoreError) {}

    public func remove(_: TenantID, _: String) async throws(EventStoreError) -> Bool { false }

    public func secrets(_: (tenant: TenantID, id: String)?) async throws(EventStoreError)
        -> [WebhookSecret]
    { [] }

    public func rotate(_: WebhookSecret, _: Double) async throws(EventStoreError) -> Bool { false }

    public func reseal(_: WebhookSecret, _: [UInt8], _: String) async throws(EventStoreError)
        -> Bool
    { false }

    public var feed: any WebhookFeed { NoWebhookFeed() }
}

public struct NoWebhookFeed: WebhookFeed {
    public init() {}

    public func take(_: Int, _: String, _: Moment?) async throws(EventStoreError) -> [WebhookLease]
    { [] }

    public func work(_: WebhookLease, _: Int, _: Moment?) async throws(EventStoreError)
        -> WebhookWork
    { WebhookWork() }

    public func record(_: WebhookLease, _: WebhookResults, _: Moment?) async throws(EventStoreError)
        -> Bool
    { false }

    public func renew(_: WebhookLease, _: Moment?) async throws(EventStoreError) -> Bool { true }

    public func release(_: WebhookLease) async throws(EventStoreError) {}
}

/// Of a store that gives nothing up.
public struct NoDeadLetters: DeadLetterStore {
    public init() {}

    public func list(_: TenantID, _: DeadLetterFilter, _: DeadLetterPlace?, _: Int)
        async throws(EventStoreError) -> [DeadLetter]
    { [] }

    public func counts(_: TenantID) async throws(EventStoreError) -> [DeadLetter.Carrier: Int] {
        [:]
    }

    public func retry(_: TenantID, _: DeadLetter.ID) async throws(EventStoreError) -> Bool { false }

    public func dismiss(_: TenantID, _: DeadLetter.ID) async throws(EventStoreError) -> Bool {
        false
    }
}

/// Of a store that nobody looks after.
public struct NoBoard: BoardStore {
    public init() {}

    public func search(_: TenantID, _: String, _: [String]) async throws(EventStoreError) -> (
        snapshots: [Snapshot], isPartial: Bool
    ) { ([], false) }

    public func standings(_: TenantID, _: [ActivityID]) async throws(EventStoreError)
        -> [ActivityID: Standing]
    { [:] }

    public func phones(_: TenantID, _: ActivityID, _: Int64?, _: Int) async throws(EventStoreError)
        -> [PhoneRow]
    { [] }

    public func attention(_: TenantID, _: Moment) async throws(EventStoreError) -> Attention {
        Attention(progress: Progress(position: 0, head: 0))
    }
}

/// Of a store that writes no acts down.
public struct NoAudit: AuditStore {
    public init() {}

    public func list(_: TenantID?, _: Int64?, _: Int) async throws(EventStoreError) -> [AuditEntry]
    { [] }

    public func list(of _: [TenantID], _: Int64?, _: Int)
        async throws(EventStoreError) -> [AuditEntry]
    { [] }

    public func named(_: String) async throws(EventStoreError) -> NamedTenants { NamedTenants() }
}

/// Of a store that nobody signs in to.
public struct NoSignIns: SignInStore {
    public init() {}

    public func open(_: TenantID, _: Int64, _: [UInt8], _: Moment) async throws(EventStoreError) {}

    public func end(_: TenantID, _: [UInt8]) async throws(EventStoreError) {}

    public func endAll(_: TenantID, _: Int64) async throws(EventStoreError) {}
}

/// Of a store that keeps no figures.
public struct NoSeries: SeriesStore {
    public init() {}

    public func add(_: [SeriesRow]) async throws(EventStoreError) {}

    public func read(_: TenantID, _: Moment, _: Int) async throws(EventStoreError) -> [SeriesRow] {
        []
    }

    public func prune(_: Moment) async throws(EventStoreError) {}
}

/// Of a store that no operator looks at.
public struct NoOperators: OperatorStore {
    public init() {}

    public func appKeys(_: TenantID) async throws(EventStoreError) -> [AppKeyRecord] { [] }

    public func appAlarms(_: TenantID) async throws(EventStoreError) -> [AppAlarm] { [] }

    public func deferredPhones(_: TenantID) async throws(EventStoreError) -> [DeferredPhones] { [] }

    public func channels(_: TenantID, _: Int64, _: Int) async throws(EventStoreError) -> [Channel] {
        []
    }

    public func attempts(_: TenantID, _: String, _: Int) async throws(EventStoreError)
        -> [WebhookAttempt]
    { [] }

    public func nodes(_: TenantID) async throws(EventStoreError) -> [NodeSighting] { [] }
}

/// Of a store that nobody watches.
public struct NoFleet: FleetStore {
    public init() {}

    public func look() async throws(EventStoreError) -> FleetFacts {
        throw .unavailable(detail: "this store has no fleet")
    }
}

/// Of a store that keeps everything.
public struct NoRetention: RetentionStore {
    public init() {}

    public func archives(_: TenantID) async throws(EventStoreError) -> [LogArchive] { [] }

    public func note(_: LogArchive, of _: TenantID) async throws(EventStoreError) {
        throw Self.keepsAll
    }

    public func position(_: TenantID, before _: Moment) async throws(EventStoreError) -> Int64 {
        throw Self.keepsAll
    }

    public func dropped(_: TenantID) async throws(EventStoreError) -> Int64 { 0 }

    public func droppable(_: TenantID, _: Retention, after _: ActivityID?)
        async throws(EventStoreError) -> DroppablePage
    { ([], nil) }

    public func records(_: TenantID, _: [DroppableActivity]) async throws(EventStoreError)
        -> [String]
    { [] }

    public func drop(_: TenantID, _: [DroppableActivity]) async throws(EventStoreError)
        -> DroppedActivities
    { throw Self.keepsAll }

    public func sweep(_: Leftover, before _: Moment) async throws(EventStoreError) -> Int { 0 }

    public func remove(_: TenantID) async throws(EventStoreError) -> Int64 { throw Self.keepsAll }

    private static let keepsAll = EventStoreError.unavailable(detail: "this store keeps everything")
}

/// Of a store in which nothing can be erased.
public struct NoErasure: ErasureStore {
    public init() {}

    public func content(_: TenantID, _: ActivityID) async throws(EventStoreError) -> ErasureContent
    { throw Self.erasesNothing }

    public func erase(
        _: TenantID, _: ActivityID,
        _: @Sendable (ErasureContent) -> Result<ErasureOutcome, ErasureRefusal>
    ) async throws(EventStoreError) -> Result<ErasureOutcome, ErasureRefusal> {
        throw Self.erasesNothing
    }

    public func keys(_: TenantID, _: [ActivityID], isMaking _: Bool)
        async throws(EventStoreError) -> [ActivityID: [UInt8]]
    { throw Self.erasesNothing }

    public func erasedCount(_: TenantID) async throws(EventStoreError) -> Int64 { 0 }

    private static let erasesNothing = EventStoreError.unavailable(
        detail: "nothing can be erased in this store")
}

/// Of a store in which no app has a key and nothing waits.
public struct NoApps: AppStore {
    public init() {}

    public func keys() async throws(EventStoreError) -> [AppKeyRecord] { [] }

    public func add(_: NewAppKey, _: AppKeyRules.Intent) async throws(EventStoreError)
        -> AppKeyRules
        .Refusal?
    { nil }

    public func remove(_: TenantID, _: String, _: String?) async throws(EventStoreError) -> Int {
        0
    }

    public func reseal(_: AppKeyRecord, _: [UInt8], _: String) async throws(EventStoreError) -> Bool
    {
        false
    }

    public func alarms() async throws(EventStoreError) -> [AppAlarm] { [] }

    public func raise(_: AppAlarm) async throws(EventStoreError) {}

    public func clear(_: TenantApp) async throws(EventStoreError) {}

    public func deferred() async throws(EventStoreError) -> [DeferredPhones] { [] }

    public func deferredBy(_: TenantID, _: ActivityID) async throws(EventStoreError)
        -> [DeferredPhones]
    {
        []
    }

    public func release(_: TenantApp) async throws(EventStoreError) {}
}

/// Of a store that nobody rebuilds.
public struct NoRebuilds: RebuildStore {
    public init() {}

    public func begin(_: TenantID, _: String, _: [String: Int]) async throws(EventStoreError)
        -> RebuildProgress
    { throw .unavailable(detail: "no rebuilds") }

    public func list() async throws(EventStoreError) -> [RebuildProgress] { [] }

    public func setPaused(_: TenantID, _: Bool) async throws(EventStoreError) -> Bool { false }

    public func cancel(_: TenantID) async throws(EventStoreError) -> Bool { false }

    public func take(_: TenantID?, _: [String: Int]) async throws(EventStoreError) -> (
        any RebuildSession
    )? {
        nil
    }

    public func outdated(_: [String: Int]) async throws(EventStoreError) -> [TenantID] { [] }
}
