import Domain
import Foundation
import JSON

/// The course of an activity of one kind.
struct TypedCourse<Kind: ActivityKind> {
    private let kind: TypedRefolding<Kind>
    private let isTranslated: Bool
    private var memory: FoldMemory<Kind.State>
    /// Under the policies that are tried: the facts are the same.
    private var triedLifetime: Lifetime
    /// Of the last event, without state and attributes.
    private var newest: Snapshot
    /// What phones show, whole; before the first event nobody has seen it.
    private var shown: Kind.ContentState
    private var likeness = PolicyLikeness()
    /// The same activity under the policies that are tried, once they have believed another time
    /// than those in force: from then on the facts may differ.
    private var other: [TypedCourse] = []

    init(_ first: EventInPlace, _ kind: TypedRefolding<Kind>, isTranslated: Bool) {
        self.kind = kind
        self.isTranslated = isTranslated
        memory = FoldMemory(
            facts: Kind.initial, lifetime: Lifetime(appearedAt: first.recordedAt))
        triedLifetime = memory.lifetime
        shown = Kind.contentState(of: memory.facts)
        newest = Snapshot(
            activityID: first.activityID, kind: Kind.name, version: 0, position: 0,
            phase: .scheduled, state: Data(), attributes: Data(), contentState: Data(),
            updatedAt: first.recordedAt, foldVersion: Kind.foldVersion)
    }

    var contentState: Data { newest.contentState }

    /// - Returns: nil if `isTerse` and nobody is shown anything else.
    mutating func fold(
        _ recorded: EventInPlace, under book: PolicyBook, trying tried: PolicyBook?, isTerse: Bool
    ) throws(FoldError) -> CourseChanges? {
        if let tried, other.isEmpty, believeDifferently(recorded, book, tried) {
            var copy = self
            copy.memory.lifetime = triedLifetime
            other = [copy]
        }
        guard let tried, !other.isEmpty else {
            return try foldOnce(recorded, under: book, trying: tried, isTerse: isTerse)
        }
        let theirs = try other[0].foldOnce(recorded, under: tried, trying: nil, isTerse: false)
        let mine = try foldOnce(recorded, under: book, trying: nil, isTerse: false)
        guard let mine, let theirs else { return nil }
        return CourseChanges(own: mine.own, tried: .judged(theirs.own))
    }

    private func believeDifferently(
        _ recorded: EventInPlace, _ book: PolicyBook, _ tried: PolicyBook
    ) -> Bool {
        guard recorded.occurredAt > recorded.recordedAt else { return false }
        func occurrence(_ book: PolicyBook) -> Occurrence {
            Occurrence(
                recorded.occurredAt, recordedAt: recorded.recordedAt,
                under: book.policy(ofKind: Kind.name, at: recorded.position))
        }
        return occurrence(book) != occurrence(tried)
    }

    private mutating func foldOnce(
        _ recorded: EventInPlace, under book: PolicyBook, trying tried: PolicyBook?, isTerse: Bool
    ) throws(FoldError) -> CourseChanges? {
        switch try kind.event(recorded) {
        case .report(let event):
            return report(event, recorded, under: book, trying: tried, isTerse: isTerse)
        case .clock(let event):
            guard newest.version > 0 else { throw .unknownKind(recorded.typeName) }
            return tick(event, recorded, under: book, trying: tried)
        }
    }

    private mutating func report(
        _ event: Kind.Event, _ recorded: EventInPlace, under book: PolicyBook,
        trying tried: PolicyBook?, isTerse: Bool
    ) -> CourseChanges? {
        let before = memory.facts
        let policy = book.policy(ofKind: Kind.name, at: recorded.position)
        memory.evolve(
            Kind.self, event, occurredAt: recorded.occurredAt, recordedAt: recorded.recordedAt,
            under: policy)
        let triedPolicy = tried?.policy(ofKind: Kind.name, at: recorded.position)
        let isFirst = newest.version == 0
        newest.version = recorded.version
        newest.position = recorded.position
        newest.updatedAt = recorded.recordedAt
        let state = Kind.contentState(of: memory.facts)
        let phase = Kind.phase(of: memory.facts)
        let isAnew = isFirst || state != shown
        if isTerse, !isAnew, phase != .ended, isUndisturbed,
            recorded.occurredAt <= recorded.recordedAt
        {
            note(phase, recorded.recordedAt, policy, triedPolicy)
            return nil
        }
        var isVisible = false
        var remark = ""
        if isAnew {
            let shownState = ShownState(Kind.self, whole: state)
            isVisible = isFirst || shownState.json != newest.contentState
            if isVisible { remark = shownState.remark }
            newest.contentState = shownState.json
            shown = state
        }
        let change = Change<Kind>(
            before: before, after: memory.facts, event: event,
            occurredAt: recorded.occurredAt, recordedAt: recorded.recordedAt,
            isVisible: isVisible, policy: policy)
        return judge(change, remark, triedPolicy)
    }

    private var isUndisturbed: Bool {
        memory.lifetime.isUndisturbed && triedLifetime.isUndisturbed
    }

    /// Takes in a report that nobody asks the worth of.
    private mutating func note(
        _ phase: Phase, _ recordedAt: Moment, _ policy: Policy, _ triedPolicy: Policy?
    ) {
        newest.phase = phase
        memory.lifetime.note(
            Kind.self, memory.facts, phase, recordedAt: recordedAt, under: policy)
        guard let triedPolicy else { return }
        triedLifetime.note(
            Kind.self, memory.facts, phase, recordedAt: recordedAt, under: triedPolicy)
    }

    /// Says what a report that the facts have taken in is worth.
    private mutating func judge(
        _ change: Change<Kind>, _ remark: String, _ triedPolicy: Policy?
    ) -> CourseChanges {
        let mayBeAlike = triedPolicy != nil && triedLifetime == memory.lifetime
        var assessment = memory.assess(change)
        if !remark.isEmpty { assessment.reason += remark }
        newest.phase = memory.phase(Kind.self)
        let own = FoldedChange(
            snapshot: newest, isVisible: change.isVisible, assessment: assessment,
            occurredAt: change.occurredAt,
            alert: alert(assessment, change.policy),
            policy: change.policy)
        var tried = CourseChanges.Tried.none
        if let triedPolicy {
            if mayBeAlike, likeness.judgesAlike(change.policy, triedPolicy) {
                triedLifetime = memory.lifetime
                tried = .alike(triedPolicy)
            } else {
                tried = .judged(retried(own, change, remark, triedPolicy))
            }
        }
        return CourseChanges(own: own, tried: tried)
    }

    /// The same under the policy that is tried.
    private mutating func retried(
        _ own: FoldedChange, _ change: Change<Kind>, _ remark: String, _ triedPolicy: Policy
    ) -> FoldedChange {
        var tried = own
        tried.policy = triedPolicy
        var memory = FoldMemory(facts: memory.facts, lifetime: triedLifetime)
        tried.assessment = memory.assess(change.under(triedPolicy))
        tried.assessment.reason += remark
        triedLifetime = memory.lifetime
        tried.snapshot.phase = memory.phase(Kind.self)
        tried.alert = alert(tried.assessment, triedPolicy)
        return tried
    }

    private func alert(_ assessment: Assessment, _ policy: Policy) -> Alert? {
        ActivityCatalog.alert(Kind.self, assessment, policy, isTranslated: isTranslated)
    }

    private mutating func tick(
        _ event: ActivityClock.Event, _ recorded: EventInPlace,
        under book: PolicyBook, trying tried: PolicyBook?
    ) -> CourseChanges {
        var memory = memory
        let own = tick(event, recorded, &memory, book)
        var other = CourseChanges.Tried.none
        if let tried {
            var memory = FoldMemory(facts: memory.facts, lifetime: triedLifetime)
            other = .judged(tick(event, recorded, &memory, tried))
            triedLifetime = memory.lifetime
        }
        self.memory = memory
        newest = own.snapshot
        return CourseChanges(own: own, tried: other)
    }

    private func tick(
        _ event: ActivityClock.Event, _ recorded: EventInPlace,
        _ memory: inout FoldMemory<Kind.State>, _ book: PolicyBook
    ) -> FoldedChange {
        let policy = book.policy(ofKind: Kind.name, at: recorded.position)
        let assessment = memory.assess(
            Kind.self, event, at: recorded.occurredAt, recordedAt: recorded.recordedAt,
            under: policy)
        var snapshot = newest
        snapshot.version = recorded.version
        snapshot.position = recorded.position
        snapshot.updatedAt = recorded.recordedAt
        snapshot.phase = memory.phase(Kind.self)
        return FoldedChange(
            snapshot: snapshot, isVisible: false, assessment: assessment,
            occurredAt: recorded.recordedAt, alert: alert(assessment, policy), policy: policy)
    }

    func snapshot() -> Snapshot {
        var snapshot = newest
        snapshot.state = WireCoder.encode(memory)
        snapshot.attributes = WireCoder.encode(Kind.attributes(of: memory.facts))
        snapshot.dueAt = memory.lifetime.nextDue?.at
        snapshot.facts = Kind.facts(of: memory.facts)
        snapshot.awaits = memory.awaited(by: Kind.self)
        return snapshot
    }
}

/// Whether two policies judge alike, remembered for the pair that was asked about last.
private struct PolicyLikeness {
    private var pair: (own: Int, tried: Int)?
    private var isAlike = false

    /// - Parameters: each of its own book, where a version is one policy.
    mutating func judgesAlike(_ own: Policy, _ tried: Policy) -> Bool {
        if let pair, pair == (own.version, tried.version) { return isAlike }
        pair = (own.version, tried.version)
        isAlike = own.judgesAlike(tried)
        return isAlike
    }
}
