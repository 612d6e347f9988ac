import Domain
import EventStore
import struct Foundation.Data
import Projections
import TLS
import TestSupport

/// A store in memory that keeps what the API is promised: dense positions, one result per event,
/// tenants apart.
actor FakeStore {
    struct Key: Hashable {
        var tenant: TenantID
        var activity: ActivityID
    }

    private struct Listener {
        var subjects: Set<StoreNotification.Subject>
        var continuation: AsyncStream<StoreNotification>.Continuation

        func hears(_ notification: StoreNotification) -> Bool {
            guard case .happened(let subject, _) = notification else { return true }
            return subjects.contains(subject)
        }
    }

    /// When everything is recorded, noticed and put.
    static let now = Moment(unixSeconds: 1_800_000_000)

    private(set) var grants: [[UInt8]: KeyGrant] = [:]
    private(set) var grantLookups = 0
    /// Where tenants are that have left, by the hashes of their keys and by their ids.
    private(set) var departures: [[UInt8]: Cell] = [:]
    private(set) var knownCells: [Cell] = []
    private(set) var departedTenants: [TenantID: Cell] = [:]
    private var signedIn: Set<[UInt8]> = []
    var logs: [TenantID: [RecordedEvent]] = [:]
    private var policies: [TenantID: [StoredPolicy]] = [:]
    private var snapshots: [Key: Snapshot] = [:]
    private(set) var notices: [Key: ActivityChange.Place] = [:]
    private var ledger: [Key: [LedgerRow]] = [:]
    private var cards: [Key: CardModel] = [:]
    private var channels: [Channel] = []
    private var secrets: [TenantID: [TicketSecret]] = [:]
    /// Those that are served.
    var tokens: [Key: [PushToken]] { cards.mapValues(\.served) }
    private(set) var appendedBatches = 0
    /// Of each question for changes, whether it came from somebody who follows already.
    var followings: [Bool] = []
    private var folded: [TenantID: Int] = [:]
    private var failure: EventStoreError?
    /// APNs takes nothing, and all phones wait.
    var isKeyRefused = false
    /// Not the actor's own, because a listener is notified from the moment on at which it asks for
    /// them.
    private nonisolated let listeners = Lever<[Listener]>([])

    func grant(_ key: String, _ grant: KeyGrant) { grants[Self.hash(key)] = grant }
    func name(_ cell: Cell) { knownCells = [cell] }
    func depart(_ tenant: TenantID, _ key: String, to cell: Cell) {
        grants[Self.hash(key)] = nil
        secrets[tenant] = nil
        departures[Self.hash(key)] = cell
        departedTenants[tenant] = cell
    }
    func revoke(_ key: String) { grants[Self.hash(key)] = nil }
    private static func hash(_ key: String) -> [UInt8] { SHA256.hash(Array(key.utf8)) }
    func endSignIns(_ isEnded: @Sendable ([UInt8], KeyGrant) -> Bool) {
        grants = grants.filter { !(signedIn.contains($0.key) && isEnded($0.key, $0.value)) }
    }
    func open(_: TenantID, _ keyID: Int64, _ sha256: [UInt8], _ expiresAt: Moment) {
        let keys = grants.filter { !signedIn.contains($0.key) }.values
        guard var grant = keys.first(where: { $0.keyID == keyID }) else { return }
        grant.expiresAt = expiresAt
        grant.isSignIn = true
        grants[sha256] = grant
        signedIn.insert(sha256)
    }
    func fail(with error: EventStoreError?) { failure = error }
    nonisolated func tell(_ notification: StoreNotification) {
        for listener in listeners.value where listener.hears(notification) {
            listener.continuation.yield(notification)
        }
    }
    func refuseKey(_ isRefused: Bool) { isKeyRefused = isRefused }
    func silenceNotifications() { listeners.value = [] }
    func log(of tenant: TenantID) -> [RecordedEvent] { logs[tenant] ?? [] }

    /// What the projector would do: folds what is new, decides, and notifies others of it.
    func fold(_ tenant: TenantID) throws {
        for recorded in log(of: tenant).dropFirst(folded[tenant, default: 0]) {
            let key = Key(tenant: tenant, activity: recorded.event.activityID)
            let change = try ActivityCatalog.standard.fold(recorded, into: snapshots[key])
            snapshots[key] = change.snapshot
            ledger[key, default: []].append(row(for: change))
            folded[tenant, default: 0] += 1
        }
        tell(.happened(.folded, tenant))
    }

    /// Makes the ledger say something else about a version.
    func revise(
        _ tenant: TenantID, _ activity: ActivityID, _ version: Int64,
        _ change: @Sendable (inout LedgerRow) -> Void
    ) {
        let key = Key(tenant: tenant, activity: activity)
        let rows = ledger[key, default: []]
        for index in rows.indices where rows[index].decision.version == version {
            change(&ledger[key, default: []][index])
        }
    }

    /// Marks an activity as one that could not be folded.
    func block(
        _ tenant: TenantID, _ activity: ActivityID, _ blockage: String, kind: String? = nil
    ) {
        let key = Key(tenant: tenant, activity: activity)
        snapshots[key]?.blockage = blockage
        if let kind { snapshots[key]?.kind = kind }
        notices[key] = ActivityChange.Place(
            position: Int64(folded[tenant, default: 0]), noticeNumber: Int64(notices.count) + 1)
    }

    func inForce(
        _ tenant: TenantID, _ positions: ClosedRange<Int64>
    ) throws(EventStoreError) -> [StoredPolicy] {
        try check()
        return policies[tenant, default: []].inForce(positions)
    }

    func versions(
        _ tenant: TenantID, _ kind: String, _ newest: Int, _ limit: Int
    ) throws(EventStoreError) -> [StoredPolicy] {
        try check()
        return policies[tenant, default: []].versions(kind, newest, limit)
    }

    func openChannels() {
        for index in channels.indices {
            channels[index].state = .open
            channels[index].channelID = "channel-\(index)=="
        }
    }

    func channels(
        _ tenant: TenantID, _ activity: ActivityID
    ) throws(EventStoreError) -> [Channel] {
        try check()
        return channels.filter { $0.tenant == tenant && $0.activityID == activity }
    }

    func add(_ channel: Channel) { channels.append(channel) }

    func put(
        _ tenant: TenantID, _ kind: String, _ expected: Int?, _ document: Data, _ bytesMax: Int
    ) throws(EventStoreError) -> PolicyPut {
        try check()
        let newest = policies[tenant, default: []].last { $0.kind == kind }
        if let newest, newest.document == document {
            return .known(version: newest.version, fromPosition: newest.fromPosition)
        }
        guard policies[tenant, default: []].hasRoom(for: document, bytesMax) else { return .full }
        let version = newest?.version ?? 0
        guard expected == nil || expected == version else { return .conflict }
        let fromPosition = Int64(log(of: tenant).count) + 1
        policies[tenant, default: []].append(
            StoredPolicy(
                kind: kind, version: version + 1, fromPosition: fromPosition, document: document,
                putAt: Self.now))
        return .done(version: version + 1, fromPosition: fromPosition)
    }

    func row(for change: FoldedChange) -> LedgerRow {
        let snapshot = change.snapshot
        let significance = change.assessment.significance
        let verdict = change.assessment.ending == nil ? significance.verdict : .end
        let outcome = LedgerRow.Outcome(
            carriedBy: snapshot.version, timestamp: 1_800_000_000, accepted: 2, failed: 1,
            completedAt: snapshot.updatedAt)
        return LedgerRow(
            decision: Decision(
                activityID: snapshot.activityID, version: snapshot.version,
                position: snapshot.position, verdict: verdict, rule: change.assessment.rule,
                reason: change.assessment.reason, alert: change.alert,
                contentState: snapshot.contentState, decidedAt: snapshot.updatedAt,
                alertContext: change.alert.map { _ in change.assessment.alertContext },
                significance: significance),
            outcome: verdict.pushes ? outcome : nil)
    }

    func check() throws(EventStoreError) {
        if let failure { throw failure }
    }

    func lookUp(_ sha256: [UInt8]) throws(EventStoreError) -> KeyGrant? {
        try check()
        grantLookups += 1
        return grants[sha256]
    }

    func append(
        _ tenant: TenantID, _ events: [NewEvent], isAtomic: Bool
    ) throws(EventStoreError) -> [AppendResult] {
        if isAtomic { return try appendTogether(tenant, events) }
        var outcomes: [AppendResult] = []
        for event in events { outcomes += try appendTogether(tenant, [event]) }
        return outcomes
    }

    private func appendTogether(
        _ tenant: TenantID, _ events: [NewEvent]
    ) throws(EventStoreError) -> [AppendResult] {
        try check()
        appendedBatches += 1
        var log = logs[tenant] ?? []
        var outcomes: [AppendResult] = []
        for event in events {
            let known = log.first { $0.event.id == event.id && $0.event.source == event.source }
            let version = Int64(log.count { $0.event.activityID == event.activityID })
            if let known {
                outcomes.append(
                    event.repeats(known.event)
                        ? .alreadyKnown(position: known.position, version: known.version)
                        : .contentConflict(position: known.position))
            } else if let expected = event.expectedVersion, expected != version {
                outcomes.append(.versionConflict(actual: version))
            } else {
                let position = Int64(log.count) + 1
                log.append(
                    RecordedEvent(
                        tenant: tenant, position: position, version: version + 1,
                        recordedAt: Self.now, event: event.asRecorded))
                outcomes.append(.recorded(position: position, version: version + 1))
            }
        }
        guard outcomes.allSatisfy(\.isAccepted) else {
            let before = Int64(logs[tenant]?.count ?? 0)
            return outcomes.map { $0.withdrawn(after: before) }
        }
        logs[tenant] = log
        tell(.happened(.appended, tenant))
        return outcomes
    }

    func select(
        _ tenant: TenantID, _ filter: EventFilter, _ positions: ClosedRange<Int64>, _ limit: Int
    ) throws(EventStoreError) -> [RecordedEvent] {
        try check()
        let wanted = log(of: tenant).filter {
            positions.contains($0.position) && filter.accepts($0.event)
        }
        return Array(wanted.prefix(limit))
    }

    func readActivity(
        _ tenant: TenantID, _ activity: ActivityID, _ after: Int64, _ limit: Int
    ) throws(EventStoreError) -> [RecordedEvent] {
        try check()
        let stream = log(of: tenant).filter { $0.event.activityID == activity }
        return Array(stream.filter { $0.version > after }.prefix(limit))
    }

    func snapshot(
        _ tenant: TenantID, _ activity: ActivityID
    ) throws(EventStoreError) -> Snapshot? {
        try check()
        return snapshots[Key(tenant: tenant, activity: activity)]
    }

    func all(of tenant: TenantID) throws(EventStoreError) -> [Snapshot] {
        try check()
        return snapshots.filter { $0.key.tenant == tenant }.map(\.value)
    }

    func freshness(_ tenant: TenantID) throws(EventStoreError) -> Freshness {
        try check()
        return Freshness(
            position: Int64(folded[tenant, default: 0]), head: Int64(log(of: tenant).count))
    }

    func decided(
        _ tenant: TenantID, _ snapshots: [Snapshot]
    ) throws(EventStoreError) -> [ActivityID: LedgerRow] {
        try check()
        var found: [ActivityID: LedgerRow] = [:]
        for snapshot in snapshots {
            found[snapshot.activityID] = ledger[
                Key(tenant: tenant, activity: snapshot.activityID)
            ]?.first { $0.decision.version == snapshot.version }
        }
        return found
    }

    func decisions(
        _ tenant: TenantID, _ activity: ActivityID, _ after: Int64, _ limit: Int
    ) throws(EventStoreError) -> [LedgerRow] {
        try check()
        let rows = ledger[Key(tenant: tenant, activity: activity)] ?? []
        return Array(rows.filter { $0.decision.version > after }.prefix(limit))
    }

    func checkpoint(_ tenant: TenantID) throws(EventStoreError) -> Int64 {
        try check()
        return snapshots.filter { $0.key.tenant == tenant }.values.map(\.position).max() ?? 0
    }

    func head(_ tenant: TenantID) throws(EventStoreError) -> Int64 {
        try max(Int64(log(of: tenant).count), checkpoint(tenant))
    }

    func change(
        _ tenant: TenantID, _ activity: ActivityID, _ request: CardRequest, _ rules: CardRules
    ) throws(EventStoreError) -> (change: CardChange, id: Int64?) {
        try check()
        let key = Key(tenant: tenant, activity: activity)
        return (cards[key, default: CardModel()].change(request, rules), 1)
    }

    func ring(_ tenant: TenantID) throws(EventStoreError) -> TicketRing {
        try check()
        let living = grants.values.filter { $0.tenant.id == tenant && $0.revokedAt == nil }
        var ring = TicketRing(newestKeyID: grants.values.map(\.keyID).max() ?? 0)
        (ring.secrets, ring.livingKeys) = (secrets[tenant] ?? [], Set(living.map(\.keyID)))
        return ring
    }

    /// As the store: two count at a time.
    func addSecret(_ tenant: TenantID, _ fresh: [UInt8]) throws(EventStoreError) -> TicketSecret {
        try check()
        let secret = TicketSecret(id: (secrets[tenant]?.last?.id ?? 0) + 1, bytes: fresh)
        secrets[tenant] = (secrets[tenant] ?? []).suffix(1) + [secret]
        return secret
    }
}

extension FakeStore {
    nonisolated var store: EventStore {
        EventStore(
            tenants: self, log: self, policies: self, projections: self, reads: self,
            rebuilds: NoRebuilds(), replays: NoReplays(), upkeep: NoUpkeep(), clock: NoClock(),
            registrations: self, tickets: self, deliveries: FakeDeliveryStore(),
            startTokens: FakeStartTokenStore(), startDeliveries: FakeStartDeliveryStore(),
            channels: self, apps: NoApps(), webhooks: NoWebhooks(), deadLetters: NoDeadLetters(),
            board: self, audit: NoAudit(), signIns: self, series: NoSeries(),
            operators: NoOperators(), identity: NeverRestored(),
            retention: NoRetention(), erasure: NoErasure(),
            listen: { subjects in
                let (stream, continuation) = AsyncStream<StoreNotification>.makeStream()
                continuation.yield(.resumed)
                self.listeners.update {
                    $0.append(Listener(subjects: subjects, continuation: continuation))
                }
                return stream
            })
    }
}
