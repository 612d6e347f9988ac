import Domain
import Foundation

/// The fold of a report, and what holds for every kind's assessment of it.
extension ActivityCatalog {
    static func fold<K: ActivityKind>(
        _ kind: K.Type, _ recorded: RecordedEvent, into snapshot: Snapshot?, under policy: Policy
    ) throws(FoldError) -> FoldedChange {
        let event = try kind.event(recorded)
        var memory = FoldMemory(
            facts: kind.initial, lifetime: Lifetime(appearedAt: recorded.recordedAt))
        if let snapshot { memory = try FoldMemory(snapshot) }
        let before = snapshot?.readState.value as? FoldMemory<K.State>
        var shown = ShownState()
        var (isVisible, assessment) = memory.advance(kind, event, recorded, policy) { facts in
            shown = ShownState(kind, of: facts, before: before?.facts, snapshot?.contentState)
            return shown.json != snapshot?.contentState
        }
        if isVisible { assessment.reason += shown.remark }
        var folded = Snapshot(
            activityID: recorded.event.activityID, kind: kind.name, version: recorded.version,
            position: recorded.position, phase: memory.phase(kind), state: Data(),
            attributes: written(
                memory.facts, kind.attributes, before: before?.facts, snapshot?.attributes),
            contentState: shown.json, updatedAt: recorded.recordedAt,
            dueAt: memory.lifetime.nextDue?.at, foldVersion: kind.foldVersion,
            facts: kind.facts(of: memory.facts), awaits: memory.awaited(by: kind))
        folded.store(memory)
        if let snapshot {
            folded.dispatch = snapshot.dispatch
            folded.readDispatch = snapshot.readDispatch
        }
        return FoldedChange(
            snapshot: folded, isVisible: isVisible, assessment: assessment,
            occurredAt: recorded.event.occurredAt, alert: alert(kind, assessment, policy),
            policy: policy, due: memory.lifetime.nextDue.map { DueEvent($0, of: folded) })
    }

    /// What follows from the facts as JSON, which is not written again where it is as before.
    private static func written<Facts, Member: Encodable & Equatable>(
        _ facts: Facts, _ member: (Facts) -> Member, before: Facts?, _ stored: Data?
    ) -> Data {
        let value = member(facts)
        if let before, let stored, member(before) == value { return stored }
        return WireCoder.encode(value)
    }

    /// What an assessment wants to be said, in all languages or by keys.
    static func alert<K: ActivityKind>(
        _ kind: K.Type, _ assessment: Assessment, _ policy: Policy, isTranslated: Bool = true
    ) -> Alert? {
        guard assessment.significance == .alert, let words = assessment.words else { return nil }
        return switch policy.words {
        case .localized:
            Phrasebook(kind.texts, own: policy.texts).alert(
                words, isTranslated: isTranslated)
        case .keys: AppTexts(kind, under: policy).alert(words)
        }
    }
}

extension FoldMemory {
    /// Takes a report in.
    /// - Parameter isVisible: whether the phone shows other than before, given the facts now.
    mutating func advance<K: ActivityKind>(
        _ kind: K.Type, _ event: K.Event, _ recorded: RecordedEvent, _ policy: Policy,
        isVisible: (Facts) -> Bool
    ) -> (isVisible: Bool, assessment: Assessment) where Facts == K.State {
        let before = facts
        kind.evolve(&facts, with: event, occurredAt: recorded.event.occurredAt)
        let change = Change<K>(
            before: before, after: facts, event: event, occurredAt: recorded.event.occurredAt,
            recordedAt: recorded.recordedAt, isVisible: isVisible(facts), policy: policy)
        return (change.isVisible, assess(change))
    }

    /// Says what a change is worth that the facts have taken in, and moves the lifetime on by it.
    mutating func assess<K: ActivityKind>(_ change: Change<K>) -> Assessment
    where Facts == K.State {
        let hadEnded = lifetime.end != nil
        let phase = hadEnded ? .ended : K.phase(of: change.after)
        var assessment = K.assess(change).forced(
            hadEnded: hadEnded, hasEnded: phase == .ended, isVisible: change.isVisible)
        assessment.staleAt =
            hadEnded || assessment.ending != nil
            ? nil : K.staleAt(of: change.after, at: change.recordedAt, under: change.policy)
        lifetime.report(
            phase: phase, plannedStart: K.plannedStart(of: change.after),
            staleAt: assessment.staleAt, ending: assessment.ending,
            recordedAt: change.recordedAt, under: change.policy)
        let isKeptBack =
            assessment.silence(
                occurredAt: change.occurredAt, recordedAt: change.recordedAt,
                under: change.policy) == .quietHours
        if isKeptBack || lifetime.quietUntil != nil {
            lifetime.report(
                isKeptBack: isKeptBack,
                quietUntil: change.policy.quietHours?.end(at: change.recordedAt))
        }
        return assessment
    }

    /// By a report or by the clock, an end stands.
    func phase<K: ActivityKind>(_ kind: K.Type) -> Phase where Facts == K.State {
        lifetime.end == nil ? kind.phase(of: facts) : .ended
    }

    /// Type of the event that a card to be started waits for; nil after the end as well.
    func awaited<K: ActivityKind>(by kind: K.Type) -> String? where Facts == K.State {
        phase(kind) == .ended ? nil : kind.awaited(by: facts)
    }
}

extension Lifetime {
    /// Takes in a report of which nothing else matters: it ends nothing, and nothing is kept back.
    mutating func note<K: ActivityKind>(
        _ kind: K.Type, _ facts: K.State, _ phase: Phase, recordedAt: Moment, under policy: Policy
    ) {
        report(
            phase: phase, plannedStart: K.plannedStart(of: facts),
            staleAt: K.staleAt(of: facts, at: recordedAt, under: policy), ending: nil,
            recordedAt: recordedAt, under: policy)
    }
}

extension Assessment {
    /// Of what changes nothing that phones show.
    public static let unchanged = (rule: "unchanged", reason: "The phone already shows this.")

    /// Two rules come before every kind's own: after the end nobody is told anything, and what the
    /// phone shows already is no news, unless it is the end.
    fileprivate consuming func forced(
        hadEnded: Bool, hasEnded: Bool, isVisible: Bool
    ) -> Assessment {
        guard hadEnded || (!isVisible && !hasEnded) else { return self }
        var forced = self
        if hadEnded {
            forced.rule = "afterEnd"
            forced.reason = "The card has ended; only the record is corrected."
            forced.ending = nil
        } else {
            forced.rule = Self.unchanged.rule
            forced.reason = Self.unchanged.reason
        }
        forced.significance = .none
        forced.words = nil
        forced.news = NewsItem()
        return forced
    }
}
