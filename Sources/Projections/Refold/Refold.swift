public import Domain
import Foundation

/// An activity folded again from its first event on, for its state alone: nothing is decided, a
/// report is assessed only if no other follows at once, and nothing is turned into JSON before the
/// end. So a log is folded many times as fast as it was the first time. The outcome is the same.
public struct Refold: Sendable {
    private var activity: any RefoldedActivity

    /// Begins with an activity's first event.
    /// - Throws: `FoldError` when that belongs to no kind or is refused.
    public init(
        _ first: RecordedEvent, under book: PolicyBook = .builtIn,
        catalog: ActivityCatalog = .standard
    ) throws(FoldError) {
        guard let kind = catalog.refolding(eventType: first.event.type) else {
            throw .unknownKind(first.event.type)
        }
        activity = try kind.begin(first, under: book)
    }

    /// Goes on where a snapshot was written.
    /// - Throws: `FoldError` when its kind is unknown or another version of Islet stored it.
    public init(
        _ snapshot: Snapshot, catalog: ActivityCatalog = .standard
    ) throws(FoldError) {
        guard let kind = catalog.refolding(kind: snapshot.kind) else {
            throw .unknownKind(snapshot.kind)
        }
        activity = try kind.resume(snapshot)
    }

    /// Folds the activity's next event.
    /// - Throws: `FoldError`; the activity then stays as it was.
    public mutating func fold(
        _ recorded: RecordedEvent, under book: PolicyBook = .builtIn
    ) throws(FoldError) {
        try activity.fold(recorded, under: book)
    }

    /// As folded so far, without a dispatch machine's state.
    public func snapshot() -> Snapshot { activity.snapshot() }
}

/// A refold whose kind is not known at compile time.
protocol RefoldedActivity: Sendable {
    mutating func fold(_ recorded: RecordedEvent, under book: PolicyBook) throws(FoldError)
    func snapshot() -> Snapshot
}

/// Makes refolds of one kind.
protocol RefoldingKind: Sendable {
    func begin(
        _ first: RecordedEvent, under book: PolicyBook
    ) throws(FoldError) -> any RefoldedActivity
    func resume(_ snapshot: Snapshot) throws(FoldError) -> any RefoldedActivity
}

/// A kind with its schemas where they are quickly found.
final class TypedRefolding<Kind: ActivityKind>: RefoldingKind {
    private let schemas: [String: EventSchema<Kind.Event>]
    /// Of every type of event there is.
    private let kindNames: [String: String]

    init(_ kind: Kind.Type, kindNames: [String: String]) {
        self.kindNames = kindNames
        schemas = Dictionary(uniqueKeysWithValues: Kind.schemas.map { ($0.type, $0) })
    }

    func begin(
        _ first: RecordedEvent, under book: PolicyBook
    ) throws(FoldError) -> any RefoldedActivity {
        var activity = TypedRefold<Kind>(first, self)
        try activity.fold(first, under: book)
        return activity
    }

    func resume(_ snapshot: Snapshot) throws(FoldError) -> any RefoldedActivity {
        try TypedRefold<Kind>(snapshot, self)
    }

    func event(_ recorded: RecordedEvent) throws(FoldError) -> Kind.Event {
        let type = recorded.event.type
        guard let schema = schemas[type] else {
            guard let found = kindNames[type] else { throw .unknownKind(type) }
            throw .kindMismatch(expected: Kind.name, found: found)
        }
        do {
            return try schema.event(
                schemaVersion: recorded.event.schemaVersion, data: recorded.event.data)
        } catch { throw .refused(error) }
    }
}

struct TypedRefold<Kind: ActivityKind>: RefoldedActivity {
    /// A report whose assessment has not been asked for. Of all that an assessment says, a fold
    /// keeps when the state goes stale, how long an ended card stays, and outside of quiet hours
    /// nothing else; until the end the next report says that anew.
    private struct Unassessed {
        var before: Kind.State
        var event: Kind.Event
        var occurredAt: Moment
        var recordedAt: Moment
        var isFirst: Bool
        var policy: Policy
    }

    private let kind: TypedRefolding<Kind>
    private var memory: FoldMemory<Kind.State>
    /// Of the last event; its JSON members are written by `snapshot()`.
    private var newest: Snapshot
    private var unassessed: Unassessed?

    init(_ first: RecordedEvent, _ kind: TypedRefolding<Kind>) {
        self.kind = kind
        memory = FoldMemory(
            facts: Kind.initial, lifetime: Lifetime(appearedAt: first.recordedAt))
        newest = Snapshot(
            activityID: first.event.activityID, kind: Kind.name, version: 0, position: 0,
            phase: .scheduled, state: Data(), attributes: Data(), contentState: Data(),
            updatedAt: first.recordedAt, foldVersion: Kind.foldVersion)
    }

    init(_ snapshot: Snapshot, _ kind: TypedRefolding<Kind>) throws(FoldError) {
        self.kind = kind
        memory = try FoldMemory(snapshot)
        newest = snapshot
        newest.foldVersion = Kind.foldVersion
    }

    mutating func fold(
        _ recorded: RecordedEvent, under book: PolicyBook
    ) throws(FoldError) {
        if let schema = ActivityClock.schema(of: recorded.event.type) {
            guard newest.version > 0 else { throw .unknownKind(recorded.event.type) }
            // The clock asks for what the last report said.
            assess()
            let policy = book.policy(ofKind: Kind.name, at: recorded.position)
            _ = try memory.tick(recorded, schema, under: policy)
        } else {
            let policy = book.policy(ofKind: Kind.name, at: recorded.position)
            report(try kind.event(recorded), recorded, policy)
        }
        newest.version = recorded.version
        newest.position = recorded.position
        newest.updatedAt = recorded.recordedAt
    }

    private mutating func report(
        _ event: Kind.Event, _ recorded: RecordedEvent, _ policy: Policy
    ) {
        if mayConcernQuietHours { assess() }
        let hasEnded = memory.lifetime.end != nil
        let before = memory.facts
        Kind.evolve(&memory.facts, with: event, occurredAt: recorded.event.occurredAt)
        // After the end a report changes the facts and nothing else.
        guard !hasEnded else { return }
        let phase = Kind.phase(of: memory.facts)
        memory.lifetime.goLive(phase: phase, recordedAt: recorded.recordedAt)
        unassessed = Unassessed(
            before: before, event: event, occurredAt: recorded.event.occurredAt,
            recordedAt: recorded.recordedAt, isFirst: newest.version == 0,
            policy: policy)
        if phase == .ended { assess() }
    }

    /// Whether an assessment that has not been asked for keeps an alert back or lets it be told: of
    /// that the next report says nothing.
    private var mayConcernQuietHours: Bool {
        guard let report = unassessed else { return false }
        return memory.lifetime.quietUntil != nil || report.policy.isQuiet(at: report.recordedAt)
    }

    private mutating func assess() {
        guard let report = unassessed else { return }
        unassessed = nil
        let isVisible = report.isFirst || isShownAnew(since: report.before)
        _ = memory.assess(
            Change<Kind>(
                before: report.before, after: memory.facts, event: report.event,
                occurredAt: report.occurredAt, recordedAt: report.recordedAt,
                isVisible: isVisible, policy: report.policy))
    }

    /// States that differ may be the same once their texts are cut.
    private func isShownAnew(since before: Kind.State) -> Bool {
        let (old, new) = (Kind.contentState(of: before), Kind.contentState(of: memory.facts))
        guard old != new else { return false }
        // With nothing to cut they are shown as they are, and JSON can wait.
        guard Kind.trimmed(old) != nil || Kind.trimmed(new) != nil else { return true }
        return ShownState(Kind.self, of: before).json
            != ShownState(Kind.self, of: memory.facts).json
    }

    func snapshot() -> Snapshot {
        guard unassessed == nil else {
            var assessed = self
            assessed.assess()
            return assessed.snapshot()
        }
        var snapshot = newest
        snapshot.phase = memory.phase(Kind.self)
        snapshot.state = WireCoder.encode(memory)
        snapshot.attributes = WireCoder.encode(Kind.attributes(of: memory.facts))
        snapshot.contentState = ShownState(Kind.self, of: memory.facts).json
        snapshot.dueAt = memory.lifetime.nextDue?.at
        snapshot.facts = Kind.facts(of: memory.facts)
        return snapshot
    }
}
