public import Domain
public import EventStore

// What a store has for each part that it lacks.

/// Of a store that nobody replays.
public struct NoReplays: ReplayStore {
    public init() {}

    public func page(_: TenantID, _: ClosedRange<Int64>) throws(EventStoreError) -> any LogPage {
        throw Self.isNone
    }

    public func ledger(_: TenantID, _: [StreamPart]) throws(EventStoreError) -> any LedgerPage {
        throw Self.isNone
    }

    public func census(_: TenantID) -> LedgerCensus { LedgerCensus() }

    public func snapshotCount(_: TenantID, _: Int64) -> Int { 0 }

    public func snapshots(_: TenantID, _: [ActivityID]) -> [Snapshot] { [] }

    public func preceding(_: TenantID, _: [StreamPart], _: Int64) -> [ActivityID: Int64] { [:] }

    public func strays(_: TenantID, _: Stray.Kind, _: Int64, _: Int) -> [Stray] { [] }

    public func touched(_: TenantID, _: [ActivityID], _: Int64) -> [TouchedActivity] { [] }

    public func gaps(_: TenantID) -> ArchivedGaps {
        (through: 0, missing: 0, dropped: 0)
    }

    public func mark(_: TenantID) -> String { "" }

    public func phones(_: TenantID, _: ActivityID, _: Int64, _: Int) -> [PhoneRow] { [] }

    public func neighbours(_: TenantID, _: ActivityID, _: Int) -> [ActivityID] { [] }

    public func elsewhere() -> Set<TenantID> { [] }

    private static let isNone = EventStoreError.unavailable(detail: "this store cannot be replayed")
}

/// One that knows of nothing.
public struct NoUpkeep: UpkeepStore {
    private let lagsFailure: EventStoreError?

    /// - Parameter lagsFailure: what a look at the lags ends with.
    public init(lagsFailure: EventStoreError? = nil) { self.lagsFailure = lagsFailure }

    public func status() -> [ProjectionStatus] { [] }

    public func lags() throws(EventStoreError) -> [ProjectionLag] {
        if let lagsFailure { throw lagsFailure }
        return []
    }

    public func parked(
        _: TenantID, _: ActivityID?, isSkipped _: Bool?, _: Int64, _: Int
    ) -> [ParkedRow] { [] }

    public func skipped(_: TenantID, _: ActivityID, _: Int) -> [Int64] { [] }

    public func refold(
        _: TenantID, _: ActivityID, _: Int64?, _: @Sendable (RefoldInput) -> FoldResult?
    ) -> Bool { false }
}

/// One for which no time ever comes.
public struct NoClock: ClockStore {
    public init() {}

    public func due(_: Moment, _: DueActivity.Place?, _: Int) -> [DueActivity] { [] }

    public func nextDue(_: Moment) -> Moment? { nil }

    public func correct(_: [DueActivity]) {}

    public func time() -> Moment { Moment(unixSeconds: 0) }
}

/// Of a store whose log is never restored.
public struct NeverRestored: IdentityStore {
    private let position: Int64?

    /// - Parameter position: up to which the log is that of an older epoch, if any of it is.
    public init(keeping position: Int64? = nil) { self.position = position }

    public func look() -> LogSighting {
        LogSighting(
            epoch: firstLogEpoch, hold: nil, beatAt: Moment(microseconds: 0), silenceSeconds: 0,
            run: "")
    }

    public func heads(_: [TenantID]) -> [TenantID: Int64] { [:] }

    public func beat(_: Int64, in _: String) -> Moment? { nil }

    public func vouch(_: Int64, in _: String) {}

    public func hold(_: LogHold, in _: String?) {}

    public func accept(_: LogAcceptance) -> Int64? { firstLogEpoch }

    public func kept(_: TenantID, _: Int64) -> Int64? { position }

    public func inconsistencies() -> [LogInconsistency] { [] }
}

/// Of a store that has no webhooks.
public struct NoWebhooks: WebhookStore {
    public init() {}

    public func all(_: TenantID, _: String?) -> [(Webhook, WebhookFigures)] { [] }

    public func add(_: Webhook, _: WebhookSecret) -> Bool { false }

    public func edit(_: TenantID, _: String, _: WebhookEdit) -> Bool { false }

    public func resume(_: TenantID, _: String) {}

    public func remove(_: TenantID, _: String) -> Bool { false }

    public func secrets(_: (tenant: TenantID, id: String)?) -> [WebhookSecret] { [] }

    public func rotate(_: WebhookSecret, _: Double) -> Bool { false }

    public func reseal(_: WebhookSecret, _: [UInt8], _: String) -> Bool { false }

    public var feed: any WebhookFeed { NoWebhookFeed() }
}

public struct NoWebhookFeed: WebhookFeed {
    public init() {}

    public func take(_: Int, _: String, _: Moment?, except _: [String]) -> [WebhookLease] { [] }

    public func work(_: WebhookLease, _: Int, _: Moment?) -> WebhookWork { WebhookWork() }

    public func record(_: WebhookLease, _: WebhookResults, _: Moment?) -> Bool { false }

    public func renew(_: WebhookLease, _: Moment?) -> Bool { true }

    public func release(_: WebhookLease) {}
}

/// Of a store that gives nothing up.
public struct NoDeadLetters: DeadLetterStore {
    public init() {}

    public func list(_: TenantID, _: DeadLetterFilter, _: DeadLetterPlace?, _: Int)
        -> [DeadLetter]
    { [] }

    public func counts(_: TenantID) -> [DeadLetter.Carrier: Int] { [:] }

    public func retry(_: TenantID, _: DeadLetter.ID) -> Bool { false }

    public func dismiss(_: TenantID, _: DeadLetter.ID) -> Bool { false }
}

/// Of a store that writes no acts down.
public struct NoAudit: AuditStore {
    public func page(
        of _: TenantID, _: Int64?, _: Int, bytesMax _: Int
    ) -> (acts: [AuditEntry], isEnd: Bool) { ([], true) }

    public init() {}

    public func list(_: TenantID?, _: Int64?, _: Int) -> [AuditEntry] { [] }

    public func list(of _: [TenantID], _: Int64?, _: Int) -> [AuditEntry] { [] }

    public func named(_: String) -> (here: [TenantID], cell: String?) { ([], nil) }
}

/// Of a store that nobody signs in to.
public struct NoSignIns: SignInStore {
    public init() {}

    public func open(_: TenantID, _: Int64, _: [UInt8], _: Moment) {}

    public func end(_: TenantID, _: [UInt8]) {}

    public func endAll(_: TenantID, _: Int64) {}
}

/// Of a store that keeps no figures.
public struct NoSeries: SeriesStore {
    public init() {}

    public func add(_: [SeriesRow]) {}

    public func read(_: TenantID, _: Moment, _: Int) -> [SeriesRow] { [] }

    public func prune(_: Moment) {}
}

/// Of a store that no operator looks at.
public struct NoOperators: OperatorStore {
    public init() {}

    public func appKeys(_: TenantID) -> [AppKeyRecord] { [] }

    public func appAlarms(_: TenantID) -> [AppAlarm] { [] }

    public func deferredPhones(_: TenantID) -> [DeferredPhones] { [] }

    public func channels(_: TenantID, _: Int64, _: Int) -> [Channel] { [] }

    public func attempts(_: TenantID, _: String, _: Int) -> [WebhookAttempt] { [] }

    public func nodes(_: TenantID) -> [NodeSighting] { [] }
}

/// Of a store that keeps everything.
public struct NoRetention: RetentionStore {
    public init() {}

    public func alone<Answer: Sendable>(
        _: TenantID, _ body: () async -> Answer
    ) async -> Answer? { await body() }

    public func archives(_: TenantID) -> [LogArchive] { [] }

    public func archives(_: TenantID, of _: [ActivityID]) -> [LogArchive] { [] }

    public func note(_: LogArchive, of _: TenantID) throws(EventStoreError) { throw Self.keepsAll }

    public func noteAgain(_: LogArchive, of _: TenantID) throws(EventStoreError) {
        throw Self.keepsAll
    }

    public func position(_: TenantID, before _: Moment) throws(EventStoreError) -> Int64 {
        throw Self.keepsAll
    }

    public func dropped(_: TenantID) -> Int64 { 0 }

    public func droppable(_: TenantID, _: Retention, after _: ActivityID?) -> DroppablePage {
        ([], nil)
    }

    public func records(_: TenantID, _: [DroppableActivity]) -> [String] { [] }

    public func drop(_: TenantID, _: [DroppableActivity]) throws(EventStoreError)
        -> DroppedActivities
    { throw Self.keepsAll }

    public func sweep(_: Leftover, before _: Moment) -> Int { 0 }

    public func remove(_: TenantID) throws(EventStoreError) -> Int64 { throw Self.keepsAll }

    private static let keepsAll = EventStoreError.unavailable(detail: "this store keeps everything")
}

/// Of a store in which nothing can be erased.
public struct NoErasure: ErasureStore {
    public init() {}

    public func content(_: TenantID, _: ActivityID) throws(EventStoreError) -> ErasureContent {
        throw Self.erasesNothing
    }

    public func erase(
        _: TenantID, _: ActivityID,
        _: @Sendable (ErasureContent) -> Result<ErasureChanges, ErasureRefusal>
    ) throws(EventStoreError) -> Result<ErasureChanges, ErasureRefusal> {
        throw Self.erasesNothing
    }

    public func keys(_: TenantID, _: [ActivityID], isMaking _: Bool)
        throws(EventStoreError) -> [ActivityID: [UInt8]]
    { throw Self.erasesNothing }

    public func erasedCount(_: TenantID) -> Int64 { 0 }

    private static let erasesNothing = EventStoreError.unavailable(
        detail: "nothing can be erased in this store")
}

/// Of a store in which no app has a key and nothing waits.
public struct NoApps: AppStore {
    public init() {}

    public func keys() -> [AppKeyRecord] { [] }

    public func add(_: NewAppKey, _: AppKeyRules.Intent) -> AppKeyRules.Refusal? { nil }

    public func remove(_: TenantID, _: String, _: String?) -> Int { 0 }

    public func reseal(_: AppKeyRecord, _: [UInt8], _: String) -> Bool { false }

    public func alarms() -> [AppAlarm] { [] }

    public func raise(_: AppAlarm) {}

    public func clear(_: TenantApp) {}

    public func clearIdle(_: [AppAlarm]) -> [AppAlarm] { [] }

    public func deferred() -> [DeferredPhones] { [] }

    public func deferredBy(_: TenantID, _: ActivityID) -> [DeferredPhones] { [] }

    public func release(_: TenantApp) {}
}

/// Of a store that nobody rebuilds.
public struct NoRebuilds: RebuildStore {
    public init() {}

    public func begin(_: TenantID, _: String, _: [String: Int]) throws(EventStoreError)
        -> RebuildProgress
    { throw .unavailable(detail: "no rebuilds") }

    public func list() -> [RebuildProgress] { [] }

    public func setPaused(_: TenantID, _: Bool) -> Bool { false }

    public func cancel(_: TenantID) -> Bool { false }

    public func take(_: TenantID?, _: [String: Int]) -> (any RebuildSession)? { nil }

    public func outdated(_: [String: Int]) -> [TenantID] { [] }
}
