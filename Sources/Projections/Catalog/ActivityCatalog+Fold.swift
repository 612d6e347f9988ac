import Domain
import Foundation
import JSON

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
        var (change, assessment) = memory.advance(kind, event, recorded, policy) { facts in
            shown = ShownState(kind, of: facts, before: before?.facts, snapshot?.contentState)
            return shown.json != snapshot?.contentState
        }
        if change.isVisible { assessment.reason += shown.remark }
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
            snapshot: folded, isVisible: change.isVisible, assessment: assessment,
            occurredAt: change.occurredAt, alert: alert(kind, assessment, policy),
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
    ) -> (change: Change<K>, assessment: Assessment) where Facts == K.State {
        let before = facts
        evolve(
            kind, event, occurredAt: recorded.event.occurredAt, recordedAt: recorded.recordedAt,
            under: policy)
        let change = Change<K>(
            before: before, after: facts, event: event, occurredAt: recorded.event.occurredAt,
            recordedAt: recorded.recordedAt, isVisible: isVisible(facts), policy: policy)
        return (change, assess(change))
    }

    /// Takes a report into the facts. No fold goes another way, so that each believes its time
    /// alike.
    mutating func evolve<K: ActivityKind>(
        _ kind: K.Type, _ event: K.Event, occurredAt: Moment, recordedAt: Moment,
        under policy: Policy
    ) where Facts == K.State {
        let occurrence = Occurrence(occurredAt, recordedAt: recordedAt, under: policy)
        K.evolve(&facts, with: event, occurredAt: occurrence.at)
    }

    /// Says what a change is worth that the facts have taken in, and moves the lifetime on by it.
    mutating func assess<K: ActivityKind>(_ change: Change<K>) -> Assessment
    where Facts == K.State {
        let hadEnded = lifetime.end != nil
        let phase = hadEnded ? .ended : K.phase(of: change.after)
        var assessment = K.assess(change)
        let isEnd =
            phase == .ended && (lifetime.closing == nil || assessment.ending?.graceSeconds == 0)
        assessment.force(hadEnded: hadEnded, isEnd: isEnd, isVisible: change.isVisible)
        assessment.staleAt =
            hadEnded || assessment.ending != nil
            ? nil : K.staleAt(of: change.after, at: change.recordedAt, under: change.policy)
        if let promise = lifetime.promise, promise.told > 0, !hadEnded {
            assessment.news.withdraws.append(contentsOf: NewsItem.silence.withdraws)
        }
        lifetime.report(
            LifeReport(
                phase: phase, plannedStart: K.plannedStart(of: change.after),
                staleAt: assessment.staleAt, ending: assessment.ending,
                promise: K.promise(of: change.after, under: change.policy),
                isVisible: change.isVisible), recordedAt: change.recordedAt, under: change.policy)
        if lifetime.closing != nil {
            (assessment.comingEnd, assessment.ending) = (assessment.ending, nil)
        }
        keepBack(
            assessment, occurredAt: change.occurredAt, recordedAt: change.recordedAt,
            under: change.policy)
        if let future = change.future {
            assessment.reason +=
                " Its time, \(future.rfc3339), was still to come, so it counts as having happened "
                + "when it was recorded."
        }
        return assessment
    }

    /// Notes whether quiet hours keep its words back.
    mutating func keepBack(
        _ assessment: Assessment, occurredAt: Moment, recordedAt: Moment, under policy: Policy
    ) {
        let isKeptBack =
            assessment.silence(
                occurredAt: occurredAt, recordedAt: recordedAt, under: policy) == .quietHours
        guard isKeptBack || lifetime.quietUntil != nil else { return }
        lifetime.report(
            isKeptBack: isKeptBack, quietUntil: policy.quietHours?.end(at: recordedAt))
    }

    /// By a report or by the clock, an end stands; one that may still be corrected is none yet.
    func phase<K: ActivityKind>(_ kind: K.Type) -> Phase where Facts == K.State {
        if lifetime.end != nil { return .ended }
        let phase = kind.phase(of: facts)
        return phase == .ended ? .live : phase
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
            LifeReport(
                phase: phase, plannedStart: K.plannedStart(of: facts),
                staleAt: K.staleAt(of: facts, at: recordedAt, under: policy), ending: nil,
                promise: K.promise(of: facts, under: policy), isVisible: false),
            recordedAt: recordedAt, under: policy)
    }
}

extension Assessment {
    /// Of what changes nothing that phones show.
    public static let unchanged = (rule: "unchanged", reason: "The phone already shows this.")

    /// Two rules come before every kind's own: after the end nobody is told anything, and what the
    /// phone shows already is no news, unless it is the end.
    fileprivate mutating func force(hadEnded: Bool, isEnd: Bool, isVisible: Bool) {
        guard hadEnded || (!isVisible && !isEnd) else { return }
        if hadEnded {
            rule = "afterEnd"
            reason = "The card has ended; only the record is corrected."
            ending = nil
        } else {
            rule = Self.unchanged.rule
            reason = Self.unchanged.reason
        }
        significance = .none
        words = nil
        news = NewsItem()
    }
}
