public import Domain
import Foundation

/// Folds an activity, one event after the other, and says what each is worth, so that it can be
/// decided about. The projector, replays and tests all fold by it. It writes no JSON but what
/// phones are shown: the rest is written by `snapshot()`.
public final class AssessingFold {
    /// The kind's own code; see `FoldFactory`.
    struct Calls {
        /// Replays alone skip what is unchanged, see `AssessingFold+Replay.swift`.
        let fold:
            (BorrowedEvent, PolicyBook, _ skipsUnchanged: Bool) throws(FoldError) -> FoldedChange?
        let snapshot: () -> Snapshot
    }

    let factory: FoldFactory
    let calls: Calls

    /// - Parameter isTranslated: false where nobody reads an alert in any language but the standard
    ///   one.
    /// - Throws: `FoldError` when its kind is unknown or another version of Islet stored it.
    public init(
        _ start: FoldStart, isTranslated: Bool = true, catalog: ActivityCatalog = .standard
    ) throws(FoldError) {
        factory = try catalog.foldFactory(start)
        calls = try factory.makeAssessingFold(start, isTranslated)
    }

    /// Folds the activity's next event.
    /// - Returns: what it is worth, with a snapshot that lacks what `snapshot()` adds.
    /// - Throws: `FoldError`; the activity then stays as it was.
    public func fold(
        _ event: BorrowedEvent, under book: PolicyBook = .builtIn
    ) throws(FoldError) -> FoldedChange {
        guard let change = try calls.fold(event, book, false) else {
            preconditionFailure("each event's worth was asked for")
        }
        return change
    }

    /// As folded so far, without a dispatch machine's state unless it began with one.
    public func snapshot() -> Snapshot { calls.snapshot() }
}

/// An activity of one kind whose events are assessed.
final class TypedAssessingFold<Kind: ActivityKind> {
    private let stateFold: TypedStateFold<Kind>
    private let isTranslated: Bool
    /// What phones show, whole, where that is known without reading its JSON.
    @exclusivity(unchecked) private var shownContentState: Kind.ContentState?

    init(_ stateFold: TypedStateFold<Kind>, isTranslated: Bool) {
        self.stateFold = stateFold
        self.isTranslated = isTranslated
        if stateFold.newest.isDecoded {
            shownContentState = Kind.contentState(of: stateFold.stored.state)
        }
    }

    var calls: AssessingFold.Calls {
        AssessingFold.Calls(
            fold: { (event, book, skipsUnchanged) throws(FoldError) in
                try self.fold(event, under: book, skipsUnchanged: skipsUnchanged)
            },
            snapshot: {
                self.stateFold.snapshot(contentState: self.stateFold.newest.contentState)
            })
    }

    /// - Parameter skipsUnchanged: replays only, see `AssessingFold+Replay.swift`.
    /// - Returns: nil if `skipsUnchanged` and nobody is shown anything else.
    private func fold(
        _ recorded: BorrowedEvent, under book: PolicyBook, skipsUnchanged: Bool
    ) throws(FoldError) -> FoldedChange? {
        let event = try stateFold.event(recorded)
        let policy = stateFold.policy(recorded, book)
        let isFirst = stateFold.newest.version == 0
        stateFold.advance(to: recorded)
        switch event {
        case .report(let event):
            return foldReport(
                event, recorded, policy, isFirst: isFirst, skipsUnchanged: skipsUnchanged)
        case .clock(let event):
            let assessment = stateFold.tick(event, recorded, policy)
            return change(
                assessment, isVisible: false, occurredAt: recorded.recordedAt, policy)
        }
    }

    private func foldReport(
        _ event: Kind.Event, _ recorded: BorrowedEvent, _ policy: Policy, isFirst: Bool,
        skipsUnchanged: Bool
    ) -> FoldedChange? {
        let before = stateFold.stored.state
        stateFold.stored.evolve(event, recorded, under: policy)
        let state = Kind.contentState(of: stateFold.stored.state)
        let phase = Kind.phase(of: stateFold.stored.state)
        let isChanged = isFirst || state != shownContentState
        // Replays only, see `AssessingFold+Replay.swift`.
        if skipsUnchanged, !isChanged, phase != .ended, stateFold.stored.lifetime.isUndisturbed,
            recorded.occurredAt <= recorded.recordedAt,
            Kind.attributes(of: before) == Kind.attributes(of: stateFold.stored.state)
        {
            stateFold.newest.phase = phase
            stateFold.moveLifetime(to: phase, at: recorded.recordedAt, under: policy)
            return nil
        }
        let shownState = isChanged ? show(state, isFirst: isFirst) : nil
        let changed = Change<Kind>(
            before: before, after: stateFold.stored.state, event: event,
            occurredAt: recorded.occurredAt, recordedAt: recorded.recordedAt,
            isVisible: shownState != nil, policy: policy)
        var assessment = stateFold.stored.assessAndAdvance(changed)
        if let shownState { assessment.reason += shownState.remark }
        return change(
            assessment, isVisible: changed.isVisible, occurredAt: changed.occurredAt, policy)
    }

    /// - Returns: nil if phones show the same already.
    private func show(_ state: Kind.ContentState, isFirst: Bool) -> ShownState? {
        shownContentState = state
        let shownState = ShownState(Kind.self, whole: state)
        guard isFirst || shownState.json != stateFold.newest.contentState else { return nil }
        stateFold.newest.contentState = shownState.json
        return shownState
    }

    private func change(
        _ assessment: Assessment, isVisible: Bool, occurredAt: Moment, _ policy: Policy
    ) -> FoldedChange {
        stateFold.newest.phase = stateFold.stored.phase
        func alert(_ words: Words) -> Alert {
            Kind.alert(words, under: policy, isTranslated: isTranslated)
        }
        return FoldedChange(
            snapshot: stateFold.newest, isVisible: isVisible, assessment: assessment,
            occurredAt: occurredAt,
            alert: assessment.significance == .alert ? assessment.words.map(alert) : nil,
            amendments: assessment.amendments.map {
                AlertContext.Amendment(
                    subject: $0.subject, alert: alert($0.words), extent: $0.telling?.extent)
            }, policy: policy)
    }
}
