public import Domain
import Foundation

/// An activity folded again from its first event on with what each event was worth, so that it can
/// be decided about once more. Unlike `ActivityCatalog.fold` it writes no JSON but what phones are
/// shown: the rest is written by `snapshot()`.
public final class Course {
    private let activity: CourseOfActivity
    /// What its first event was worth.
    public let first: FoldedChange

    /// Begins with an activity's first event.
    /// - Throws: `FoldError` when that belongs to no kind or is refused.
    public init(
        _ first: RecordedEvent, under book: PolicyBook = .builtIn,
        catalog: ActivityCatalog = .standard
    ) throws(FoldError) {
        guard let folding = catalog.folding(eventType: first.event.type) else {
            throw .unknownKind(first.event.type)
        }
        (activity, self.first) = try folding.set(first, book)
    }

    /// Folds the activity's next event.
    /// - Returns: as `ActivityCatalog.fold` does, with a snapshot that lacks state and attributes.
    /// - Throws: `FoldError`; the activity then stays as it was.
    public func fold(
        _ recorded: RecordedEvent, under book: PolicyBook = .builtIn
    ) throws(FoldError) -> FoldedChange {
        try activity.fold(recorded, book)
    }

    /// As folded so far, without a dispatch machine's state.
    public func snapshot() -> Snapshot { activity.snapshot() }
}

struct TypedCourse<Kind: ActivityKind> {
    private let kind: TypedRefolding<Kind>
    private var memory: FoldMemory<Kind.State>
    /// Of the last event, without state and attributes.
    private var newest: Snapshot

    init(_ first: RecordedEvent, _ kind: TypedRefolding<Kind>) {
        self.kind = kind
        memory = FoldMemory(
            facts: Kind.initial, lifetime: Lifetime(appearedAt: first.recordedAt))
        newest = Snapshot(
            activityID: first.event.activityID, kind: Kind.name, version: 0, position: 0,
            phase: .scheduled, state: Data(), attributes: Data(), contentState: Data(),
            updatedAt: first.recordedAt, foldVersion: Kind.foldVersion)
    }

    mutating func fold(
        _ recorded: RecordedEvent, under book: PolicyBook
    ) throws(FoldError) -> FoldedChange {
        let policy = book.policy(ofKind: Kind.name, at: recorded.position)
        if let schema = ActivityClock.schema(of: recorded.event.type) {
            guard newest.version > 0 else { throw .unknownKind(recorded.event.type) }
            return try tick(recorded, schema, policy)
        }
        let event = try kind.event(recorded)
        let isFirst = newest.version == 0
        let before = memory.facts
        let shownBefore = newest.contentState
        var shown = ShownState()
        var (isVisible, assessment) = memory.advance(Kind.self, event, recorded, policy) { facts in
            shown = ShownState(
                Kind.self, of: facts, before: isFirst ? nil : before,
                isFirst ? nil : shownBefore)
            return isFirst || shown.json != shownBefore
        }
        if isVisible { assessment.reason += shown.remark }
        newest.contentState = shown.json
        move(to: recorded)
        newest.phase = memory.phase(Kind.self)
        return FoldedChange(
            snapshot: newest, isVisible: isVisible, assessment: assessment,
            occurredAt: recorded.event.occurredAt,
            alert: ActivityCatalog.alert(Kind.self, assessment, policy), policy: policy)
    }

    /// Rare enough to go the long way.
    private mutating func tick(
        _ recorded: RecordedEvent, _ schema: EventSchema<ActivityClock.Event>, _ policy: Policy
    ) throws(FoldError) -> FoldedChange {
        var snapshot = newest
        snapshot.readState = Snapshot.Reading(memory)
        let change = try ActivityCatalog.tick(
            Kind.self, recorded, schema, into: snapshot, under: policy)
        memory = try FoldMemory(change.snapshot)
        newest.phase = change.snapshot.phase
        move(to: recorded)
        return change
    }

    private mutating func move(to recorded: RecordedEvent) {
        newest.version = recorded.version
        newest.position = recorded.position
        newest.updatedAt = recorded.recordedAt
    }

    func snapshot() -> Snapshot {
        var snapshot = newest
        snapshot.state = WireCoder.encode(memory)
        snapshot.attributes = WireCoder.encode(Kind.attributes(of: memory.facts))
        snapshot.dueAt = memory.lifetime.nextDue?.at
        snapshot.facts = Kind.facts(of: memory.facts)
        return snapshot
    }
}
