public import Domain
import Foundation
import JSON

/// Folds an activity for its state alone, one event after the other: nothing is decided, a report
/// is assessed only if it ends the activity or comes in quiet hours, and nothing is turned into
/// JSON before it is asked for. So a log is folded many times as fast as with assessments, and the
/// outcome is the same.
public final class StateFold {
    /// The kind's own code; see `FoldFactory`.
    struct Calls {
        let fold: (BorrowedEvent, PolicyBook) throws(FoldError) -> Void
        let snapshot: () -> Snapshot
    }

    private let calls: Calls

    /// - Throws: `FoldError` when its kind is unknown or another version of Islet stored it.
    public init(_ start: FoldStart, catalog: ActivityCatalog = .standard) throws(FoldError) {
        calls = try catalog.foldFactory(start).makeStateFold(start)
    }

    /// An activity with its first event folded.
    /// - Throws: `FoldError` when that belongs to no kind or is refused.
    public init(
        _ first: RecordedEvent, under book: PolicyBook = .builtIn,
        catalog: ActivityCatalog = .standard
    ) throws(FoldError) {
        calls = try first.withBorrowedEvent { (first) throws(FoldError) in
            let start = FoldStart.first(first)
            return try catalog.foldFactory(start).makeStateFold(start)
        }
        try fold(first, under: book)
    }

    /// Folds the activity's next event.
    /// - Throws: `FoldError`; the activity then stays as it was.
    public func fold(
        _ event: BorrowedEvent, under book: PolicyBook = .builtIn
    ) throws(FoldError) { try calls.fold(event, book) }

    /// Folds the activity's next event, which is not borrowed.
    public func fold(
        _ recorded: RecordedEvent, under book: PolicyBook = .builtIn
    ) throws(FoldError) {
        try recorded.withBorrowedEvent { (event) throws(FoldError) in try calls.fold(event, book) }
    }

    /// As folded so far, without a dispatch machine's state unless it began with one.
    public func snapshot() -> Snapshot { calls.snapshot() }
}

/// The state of an activity of one kind.
///
/// No two calls work on it at once. A check of that at run time would take a fiftieth of a fold.
final class TypedStateFold<Kind: ActivityKind> {
    private let schemas: KindSchemas<Kind>
    @exclusivity(unchecked) var stored: StoredState<Kind>
    /// The activity after the last event; `snapshot()` writes its JSON members.
    @exclusivity(unchecked) var newest: Snapshot
    /// What the attributes in `newest` say, where that is known.
    private let attributes: Kind.Attributes?

    init(_ start: FoldStart, _ schemas: KindSchemas<Kind>) throws(FoldError) {
        self.schemas = schemas
        switch start {
        case .first(let event):
            attributes = nil
            stored = StoredState<Kind>(
                state: Kind.initial, lifetime: Lifetime(appearedAt: event.recordedAt))
            newest = Snapshot(
                activityID: event.activityID, kind: Kind.name, version: 0, position: 0,
                phase: .scheduled, state: Data(), attributes: Data(), contentState: Data(),
                updatedAt: event.recordedAt, foldVersion: Kind.foldVersion)
        case .stored(let snapshot):
            stored = try StoredState<Kind>(snapshot)
            attributes = snapshot.isDecoded ? Kind.attributes(of: stored.state) : nil
            newest = snapshot
            newest.foldVersion = Kind.foldVersion
        }
    }

    var calls: StateFold.Calls {
        StateFold.Calls(
            fold: { (event, book) throws(FoldError) in try self.fold(event, under: book) },
            snapshot: { self.snapshot() })
    }

    private func fold(_ recorded: BorrowedEvent, under book: PolicyBook) throws(FoldError) {
        switch try event(recorded) {
        case .report(let event): foldReport(event, recorded, policy(recorded, book))
        case .clock(let event): _ = tick(event, recorded, policy(recorded, book))
        }
        advance(to: recorded)
    }

    /// - Throws: `FoldError` unless it can be folded into the activity.
    func event(_ recorded: BorrowedEvent) throws(FoldError) -> KindSchemas<Kind>.Event {
        let event = try schemas.event(recorded)
        if case .clock = event, newest.version == 0 { throw .unknownKind(recorded.typeName) }
        return event
    }

    func policy(_ recorded: BorrowedEvent, _ book: PolicyBook) -> Policy {
        book.ownPolicy(ofKind: Kind.name, at: recorded.position) ?? schemas.builtInPolicy
    }

    func advance(to recorded: BorrowedEvent) {
        newest.version = recorded.version
        newest.position = recorded.position
        newest.updatedAt = recorded.recordedAt
    }

    /// Takes in what the clock says.
    func tick(
        _ event: ActivityClock.Event, _ recorded: BorrowedEvent, _ policy: Policy
    ) -> Assessment {
        stored.assessAndAdvance(
            event, at: recorded.occurredAt, recordedAt: recorded.recordedAt, under: policy)
    }

    /// Assesses a report only where the fold keeps something of it: how long an ended card stays,
    /// and in quiet hours whether its alert is kept back.
    private func foldReport(
        _ event: Kind.Event, _ recorded: BorrowedEvent, _ policy: Policy
    ) {
        let before = stored.state
        stored.evolve(event, recorded, under: policy)
        // After the end a report changes the state and nothing else.
        guard stored.lifetime.end == nil else { return }
        let phase = Kind.phase(of: stored.state)
        guard
            phase == .ended || stored.lifetime.quietUntil != nil
                || policy.isInQuietHours(at: recorded.recordedAt)
        else {
            return moveLifetime(to: phase, at: recorded.recordedAt, under: policy)
        }
        _ = stored.assessAndAdvance(
            Change<Kind>(
                before: before, after: stored.state, event: event,
                occurredAt: recorded.occurredAt, recordedAt: recorded.recordedAt,
                isVisible: newest.version == 0 || contentStateChanged(since: before),
                policy: policy))
    }

    /// Takes in of a report what moves the lifetime, if it ends nothing and nothing is kept back.
    func moveLifetime(to phase: Phase, at recordedAt: Moment, under policy: Policy) {
        stored.lifetime.report(
            Kind.self, stored.state, phase,
            staleAt: Kind.staleAt(of: stored.state, at: recordedAt, under: policy),
            recordedAt: recordedAt, under: policy)
    }

    /// States that differ may be the same once their texts are cut.
    private func contentStateChanged(since before: Kind.State) -> Bool {
        let (old, new) = (Kind.contentState(of: before), Kind.contentState(of: stored.state))
        guard old != new else { return false }
        // With nothing to cut they are shown as they are, and JSON can wait.
        guard Kind.trimmed(old) != nil || Kind.trimmed(new) != nil else { return true }
        return ShownState(Kind.self, of: before).json
            != ShownState(Kind.self, of: stored.state).json
    }

    /// - Parameter contentState: what phones are shown, where that is written already.
    func snapshot(contentState: Data? = nil) -> Snapshot {
        var snapshot = newest
        snapshot.phase = stored.phase
        snapshot.store(stored)
        let attributes = Kind.attributes(of: stored.state)
        if attributes != self.attributes { snapshot.attributes = WireCoder.encode(attributes) }
        snapshot.contentState = contentState ?? ShownState(Kind.self, of: stored.state).json
        snapshot.dueAt = stored.lifetime.nextDue()?.at
        snapshot.facts = Kind.facts(of: stored.state)
        snapshot.awaits = stored.awaited
        return snapshot
    }
}
