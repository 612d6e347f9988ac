import Domain
import EventStore
import Foundation

/// Everything that is kept.
struct MemoryTables {
    /// By number, which counts from 1.
    private(set) var tenants: [MemoryTenant] = []
    private var nodes = 0
    private(set) var ended: Set<Int> = []
    /// Of registrations and devices.
    private var serial: Int64 = 0
    /// After the first one.
    var epochs: [MemoryEpoch] = []

    static let claimVoid = EventStoreError.unavailable(detail: "the claim is void: claim again")

    subscript(id: TenantID) -> MemoryTenant {
        get { tenants[Int(id.rawValue) - 1] }
        _modify { yield &tenants[Int(id.rawValue) - 1] }
    }

    subscript(tenant: TenantID, activity: ActivityID) -> MemoryActivity {
        get { self[tenant].activities[activity]?.activity ?? MemoryActivity() }
        _modify { yield &self[tenant].activities[activity, default: IndexedActivity()].activity }
    }

    subscript(claim: DeliveryClaim) -> MemoryActivity {
        get { self[claim.tenant, claim.snapshot.activityID] }
        _modify { yield &self[claim.tenant, claim.snapshot.activityID] }
    }

    mutating func makeNode() -> Int {
        nodes += 1
        return nodes
    }

    mutating func end(_ node: Int) {
        ended.insert(node)
        free(node)
    }

    /// What the node owns.
    mutating func free(_ node: Int) {
        for index in tenants.indices {
            if tenants[index].foldedBy == node { tenants[index].foldedBy = nil }
            for activity in tenants[index].activities.keys
            where tenants[index].activities[activity]?.activity.claim?.node == node {
                tenants[index].activities[activity]?.activity.claim = nil
            }
        }
    }

    /// After a restore: sessions are the process's and not the data's.
    mutating func carryOn(from later: MemoryTables) {
        (nodes, ended) = (later.nodes, Set(1...max(1, later.nodes)))
        for node in 1...max(1, nodes) { end(node) }
    }

    mutating func ensureTenant(_ name: String, at now: Moment) -> Tenant {
        let known = tenants.first { $0.tenant.name.hasBytes(of: name) }
        if let known { return known.tenant }
        let id = TenantID(rawValue: Int32(tenants.count + 1))
        let tenant = Tenant(id: id, name: name)
        tenants.append(MemoryTenant(tenant: tenant, movedAt: now))
        return tenant
    }

    func requireKnown(_ tenant: TenantID) throws(EventStoreError) {
        guard tenants.indices.contains(Int(tenant.rawValue) - 1) else {
            throw .failed(sqlState: "23503", detail: "unknown tenant")
        }
    }

    func isOwned(_ claim: DeliveryClaim, by node: Int) -> Bool {
        self[claim].claim == MemoryActivity.Claim(node: node, timestamp: claim.timestamp)
    }

    func requireOwned(_ claim: DeliveryClaim, by node: Int) throws(EventStoreError) {
        guard isOwned(claim, by: node) else { throw Self.claimVoid }
    }

    /// Nothing of what the node owned is left.
    func ownsNothing(_ node: Int) -> Bool {
        tenants.allSatisfy { tenant in
            tenant.foldedBy != node
                && tenant.activities.values.allSatisfy { $0.index.claimedBy != node }
        }
    }

    mutating func nextID() -> Int64 {
        serial += 1
        return serial
    }
}

struct MemoryTenant {
    let tenant: Tenant
    /// Position 1 first.
    var events: [RecordedEvent] = []
    /// Indices of `events`, version 1 first.
    var streams: [ActivityID: [Int]] = [:]
    /// Indices of `events`.
    var known: [IdempotencyKey: Int] = [:]
    var policies: [StoredPolicy] = []
    var checkpoint: Int64 = 0
    var movedAt: Moment
    /// The node that has the checkpoint locked.
    var foldedBy: Int?
    var parked: [ParkedEvent] = []
    var activities: [ActivityID: IndexedActivity] = [:]
    var devices: [MemoryDevice] = []

    struct IdempotencyKey: Hashable {
        @ByBytes var source: String
        @ByBytes var id: String

        init(_ event: NewEvent) { (source, id) = (event.source, event.id) }
    }

    var head: Int64 { Int64(events.count) }

    func stream(_ activity: ActivityID) -> [RecordedEvent] {
        (streams[activity] ?? []).map { events[$0] }
    }

    func device(_ id: Int64) -> MemoryDevice? { devices.first { $0.id == id } }
}

struct MemoryActivity {
    struct Claim: Hashable {
        var node: Int
        var timestamp: Int64
    }

    var snapshot: Snapshot?
    /// By version.
    private(set) var ledger: [LedgerRow] = []
    /// Indices of `ledger`.
    private var unsettled: [Int] = []
    private var endVersion = Int64.max
    /// By id.
    var cards: [MemoryCard] = []
    var claim: Claim?
    var lastTimestamp: Int64?
    /// How far a fan-out has come.
    var fanOut: RecordedProgress?
    var audience: MemoryAudience?
    var starts: [MemoryStart] = []
    /// By id.
    var channels: [MemoryChannel] = []

    /// Those that push, are not completed, and that no end came before.
    var pending: [Decision] {
        unsettled.map { ledger[$0].decision }.filter { $0.version <= endVersion }
    }

    /// When the first of them may be sent.
    var firstPending: Moment? {
        var first: Moment?
        for index in unsettled where ledger[index].decision.version <= endVersion {
            let due = ledger[index].decision.order?.sendAfter ?? .epoch
            first = min(first ?? due, due)
        }
        return first
    }

    /// Folds one more change.
    mutating func add(_ decision: Decision) {
        if decision.verdict.pushes { unsettled.append(ledger.count) }
        if decision.verdict == .end { endVersion = min(endVersion, decision.version) }
        ledger.append(LedgerRow(decision: decision, outcome: nil))
    }

    /// Whatever pushes up to this version, whether or not an end came before.
    mutating func complete(upTo version: Int64, _ outcome: LedgerRow.Outcome) {
        fanOut = nil
        for index in unsettled where ledger[index].decision.version <= version {
            ledger[index].outcome = outcome
        }
        unsettled.removeAll { ledger[$0].outcome != nil }
    }

    var lastCompleted: Decision? {
        ledger.last { $0.outcome != nil && $0.decision.verdict.pushes }?.decision
    }

    /// Version of the newest decision that a phone has been sent. For a phone that is owed nothing,
    /// the fan-out says it and then the ledger.
    func deliveredVersion(_ card: MemoryCard) -> Int64 {
        guard card.isUpToDate, card.closedAt == nil else { return card.sentVersion }
        let underWay = fanOut.flatMap { card.id <= $0.afterRegistrationID ? $0.completesUpTo : nil }
        return max(card.sentVersion, underWay ?? 0, lastCompleted?.version ?? 0)
    }

    /// The old card of a start lives, and the fresh one is on its phone: APNs has accepted that
    /// one, or nobody knows, and the app has registered another token since.
    func isEnding(_ start: MemoryStart) -> Bool {
        let old = cards.first { $0.id == start.replacedRegistrationID }
        guard let old, old.deadAt == nil else { return false }
        return switch start.start.state {
        case .started: true
        case .unknown: old.state.closing == .replaced
        case .waiting, .held, .trying, .refused, .needless: false
        }
    }

    func start(of device: Int64, restartVersion: Int64) -> MemoryStart? {
        starts.first { $0.deviceID == device && $0.restartVersion == restartVersion }
    }
}

/// A registration.
struct MemoryCard {
    var id: Int64
    var token: PushToken
    var state: CardState
    var environment: APNsEnvironment
    var bundleID: String
    var locale: String?
    var isFrequent: Bool
    var sentVersion: Int64
    var attempts: Int
    var retryAt: Moment?
    var registeredAt: Moment
    var lastFailure: String?
    /// Also that of an unfit one.
    var deadAt: Moment?
    var isUnfit = false
    /// APNs has accepted a push to the token.
    var isProven = false
    var closedAt: Moment?
    /// What it had missed before it caught up last.
    var caughtUp: PhonesBehind.Span?
    /// How it stood when a push had failed and it registered again before it caught up.
    var missed: MissedPush?
    /// The same card's under its token before.
    var rotatedFrom: Int64?

    var isServed: Bool { deadAt == nil && closedAt == nil }

    /// It got the last push that was for it, and is owed nothing.
    var isUpToDate: Bool { attempts == 0 && retryAt == nil }

    /// One that waits for its app has not failed, and has missed something.
    mutating func countTry(_ result: PhoneResult) {
        attempts = result.waitsForApp ? max(attempts, 1) : attempts + 1
    }
}

/// What a card had, and since when it wanted more.
struct MissedPush {
    var sentVersion: Int64
    var registeredAt: Moment

    init(by card: MemoryCard) {
        (sentVersion, registeredAt) = (card.sentVersion, card.registeredAt)
    }
}

/// A phone on which cards may be started.
struct MemoryDevice {
    struct Token {
        var wish: StartWish
        var version: Int32 = 1
        var putAt: Moment
        var changedAt: Moment
        var isDead = false
    }

    var id: Int64
    var installation: String
    var bundleID: String
    var budget: Data?
    var budgetVersion: Int64 = 0
    /// By kind.
    var tokens: [String: Token] = [:]
}

struct MemoryAudience {
    /// Sorted.
    var topics: [String]
    var notBefore: Moment?
    var dueAt: Moment?
    var putVersion: Int32 = 1
    var cursor: Int64 = 0
    var isClosed = false
}

struct MemoryStart {
    var deviceID: Int64
    var restartVersion: Int64
    var start: CardStart
    var putVersion: Int32
    /// Timestamp of the claim that tried it.
    var claimedBy: Int64?
    var replacedRegistrationID: Int64?
    var changedAt: Moment
}
