public import Domain
import Foundation
import JSON

/// An activity folded again from its first event on, for its state alone: nothing is decided, a
/// report is assessed only if it ends the activity or comes in quiet hours, and nothing is turned
/// into JSON before the end. So a log is folded many times as fast as it was the first time. The
/// outcome is the same.
public final class Refold {
    private let activity: RefoldedActivity

    /// Begins with an activity's first event.
    /// - Throws: `FoldError` when that belongs to no kind or is refused.
    public init(
        _ first: EventInPlace, under book: PolicyBook = .builtIn,
        catalog: ActivityCatalog = .standard
    ) throws(FoldError) {
        guard let folding = catalog.folding(eventType: first.typeName) else {
            throw .unknownKind(first.typeName)
        }
        activity = try folding.begin(first, book)
    }

    public init(
        _ first: RecordedEvent, under book: PolicyBook = .builtIn,
        catalog: ActivityCatalog = .standard
    ) throws(FoldError) {
        guard let folding = catalog.folding(eventType: first.event.type) else {
            throw .unknownKind(first.event.type)
        }
        activity = try first.inPlace { (first) throws(FoldError) in
            try folding.begin(first, book)
        }
    }

    /// Goes on where a snapshot was written.
    /// - Throws: `FoldError` when its kind is unknown or another version of Islet stored it.
    public init(
        _ snapshot: Snapshot, catalog: ActivityCatalog = .standard
    ) throws(FoldError) {
        guard let folding = catalog.folding(kind: snapshot.kind) else {
            throw .unknownKind(snapshot.kind)
        }
        activity = try folding.resume(snapshot)
    }

    /// Folds the activity's next event.
    /// - Throws: `FoldError`; the activity then stays as it was.
    public func fold(
        _ event: EventInPlace, under book: PolicyBook = .builtIn
    ) throws(FoldError) {
        try activity.fold(event, book)
    }

    /// Folds one event more.
    public func fold(
        _ recorded: RecordedEvent, under book: PolicyBook = .builtIn
    ) throws(FoldError) {
        try recorded.inPlace { (event) throws(FoldError) in try activity.fold(event, book) }
    }

    /// As folded so far, without a dispatch machine's state.
    public func snapshot() -> Snapshot { activity.snapshot() }
}

/// A kind with its schemas where they are quickly found.
final class TypedRefolding<Kind: ActivityKind>: Sendable {
    /// Who a type of event is of.
    private enum Owner: Sendable {
        case kind(EventSchema<Kind.Event>)
        case clock(EventSchema<ActivityClock.Event>)
        case other(kind: String)
    }

    enum Event {
        case report(Kind.Event)
        case clock(ActivityClock.Event)
    }

    /// Of every type of event there is.
    private let owners: TypeTable<Owner>

    init(_ kind: Kind.Type, kindNames: [String: String]) {
        let types = Set(Kind.eventTypes)
        owners = TypeTable(
            Kind.schemas.map { ($0.type, .kind($0)) }
                + ActivityClock.schemas.map { ($0.type, .clock($0)) }
                + kindNames.filter { !types.contains($0.key) }.map {
                    ($0.key, .other(kind: $0.value))
                })
    }

    func begin(
        _ first: EventInPlace, under book: PolicyBook
    ) throws(FoldError) -> TypedRefold<Kind> {
        var activity = TypedRefold<Kind>(first, self)
        try activity.fold(first, under: book)
        return activity
    }

    func event(_ event: EventInPlace) throws(FoldError) -> Event {
        guard let place = owners.place(of: event.type) else { throw .unknownKind(event.typeName) }
        switch owners[place] {
        case .kind(let schema): return .report(try schema.event(event))
        case .clock(let schema): return .clock(try schema.event(event))
        case .other(let kind): throw .kindMismatch(expected: Kind.name, found: kind)
        }
    }
}

extension EventSchema {
    /// An event of its type.
    func event(_ event: EventInPlace) throws(FoldError) -> Event {
        do throws(EventRefusal) {
            return try self.event(schemaVersion: event.schemaVersion, data: event.data)
        } catch { throw .refused(error) }
    }
}

struct TypedRefold<Kind: ActivityKind> {
    private let kind: TypedRefolding<Kind>
    private var memory: FoldMemory<Kind.State>
    /// Of the last event; its JSON members are written by `snapshot()`.
    private var newest: Snapshot

    init(_ first: EventInPlace, _ kind: TypedRefolding<Kind>) {
        self.kind = kind
        memory = FoldMemory(
            facts: Kind.initial, lifetime: Lifetime(appearedAt: first.recordedAt))
        newest = Snapshot(
            activityID: first.activityID, kind: Kind.name, version: 0, position: 0,
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
        _ recorded: EventInPlace, under book: PolicyBook
    ) throws(FoldError) {
        switch try kind.event(recorded) {
        case .report(let event): report(event, recorded, book)
        case .clock(let event):
            guard newest.version > 0 else { throw .unknownKind(recorded.typeName) }
            _ = memory.assess(
                Kind.self, event, at: recorded.occurredAt, recordedAt: recorded.recordedAt,
                under: book.policy(ofKind: Kind.name, at: recorded.position))
        }
        newest.version = recorded.version
        newest.position = recorded.position
        newest.updatedAt = recorded.recordedAt
    }

    /// Of all that an assessment says, a fold keeps how long an ended card stays, and outside of
    /// quiet hours nothing else.
    private mutating func report(
        _ event: Kind.Event, _ recorded: EventInPlace, _ book: PolicyBook
    ) {
        let before = memory.facts
        let policy = book.policy(ofKind: Kind.name, at: recorded.position)
        memory.evolve(
            Kind.self, event, occurredAt: recorded.occurredAt, recordedAt: recorded.recordedAt,
            under: policy)
        // After the end a report changes the facts and nothing else.
        guard memory.lifetime.end == nil else { return }
        let phase = Kind.phase(of: memory.facts)
        guard
            phase == .ended || memory.lifetime.quietUntil != nil
                || policy.isQuiet(at: recorded.recordedAt)
        else {
            return memory.lifetime.note(
                Kind.self, memory.facts, phase, recordedAt: recorded.recordedAt, under: policy)
        }
        _ = memory.assess(
            Change<Kind>(
                before: before, after: memory.facts, event: event,
                occurredAt: recorded.occurredAt, recordedAt: recorded.recordedAt,
                isVisible: newest.version == 0 || isShownAnew(since: before), policy: policy))
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
        var snapshot = newest
        snapshot.phase = memory.phase(Kind.self)
        snapshot.state = WireCoder.encode(memory)
        snapshot.attributes = WireCoder.encode(Kind.attributes(of: memory.facts))
        snapshot.contentState = ShownState(Kind.self, of: memory.facts).json
        snapshot.dueAt = memory.lifetime.nextDue?.at
        snapshot.facts = Kind.facts(of: memory.facts)
        snapshot.awaits = memory.awaited(by: Kind.self)
        return snapshot
    }
}
