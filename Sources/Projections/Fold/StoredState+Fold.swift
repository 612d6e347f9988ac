import Domain
import Foundation
import JSON

extension StoredState {
    /// Takes a report into the state. No fold goes another way, so that each believes its time
    /// alike.
    mutating func evolve(_ event: Kind.Event, _ recorded: BorrowedEvent, under policy: Policy) {
        let occurredAt = policy.believed(recorded.occurredAt, recordedAt: recorded.recordedAt)
        Kind.evolve(&state, with: event, occurredAt: occurredAt)
    }

    /// Says what a change is worth that the state has taken in. Moves the lifetime on by it, and
    /// notes there until when quiet hours keep an alert back.
    mutating func assessAndAdvance(_ change: Change<Kind>) -> Assessment {
        let hadEnded = lifetime.end != nil
        let phase = hadEnded ? .ended : Kind.phase(of: change.after)
        var assessment = Kind.assess(change)
        let isEnd =
            phase == .ended && (lifetime.pendingEnd == nil || assessment.ending?.graceSeconds == 0)
        let hasOtherAttributes =
            Kind.attributes(of: change.before) != Kind.attributes(of: change.after)
        assessment.overrideIfEndedOrInvisible(
            hadEnded: hadEnded, isEnd: isEnd, isVisible: change.isVisible,
            hasOtherAttributes: hasOtherAttributes)
        if isEnd, assessment.ending != nil {
            assessment.isAboutEnd = true
            assessment.isCritical = true
        }
        // Before its attributes were known no push has started a card.
        if hasOtherAttributes, change.isVisible, !hadEnded, change.before != Kind.initial,
            Kind.awaited(by: change.before) == nil
        {
            assessment.reason += " Attributes changed too: \(Assessment.keptAttributes)"
        }
        assessment.staleAt =
            hadEnded || assessment.ending != nil
            ? nil : Kind.staleAt(of: change.after, at: change.recordedAt, under: change.policy)
        if let promise = lifetime.promise, promise.passedSteps > 0, !hadEnded {
            assessment.alertContext.withdrawnSubjects.append(
                contentsOf: AlertContext.overdue.withdrawnSubjects)
        }
        lifetime.report(
            Kind.self, change.after, phase, staleAt: assessment.staleAt, ending: assessment.ending,
            isVisible: change.isVisible, recordedAt: change.recordedAt, under: change.policy)
        if lifetime.pendingEnd != nil {
            (assessment.pendingEnding, assessment.ending) = (assessment.ending, nil)
        }
        if lifetime.quietUntil == nil { assessment.amendments.removeAll(where: \.isBelowAlerting) }
        noteQuietHours(
            assessment, occurredAt: change.occurredAt, recordedAt: change.recordedAt,
            under: change.policy)
        if let future = change.future {
            assessment.reason +=
                " Its time, \(future.rfc3339), was still to come, so it counts as having happened "
                + "when it was recorded."
        }
        return assessment
    }

    /// Notes whether quiet hours keep its alert back, or may. Whether a change says something that
    /// people have not heard before is decided after the fold.
    mutating func noteQuietHours(
        _ assessment: Assessment, occurredAt: Moment, recordedAt: Moment, under policy: Policy
    ) {
        let mayTell =
            !assessment.isOver
            && assessment.amendments.contains { $0.telling != nil && !$0.isBelowAlerting }
        let isKeptBack =
            assessment.silence(
                occurredAt: occurredAt, recordedAt: recordedAt, under: policy) == .quietHours
            || (mayTell && policy.isInQuietHours(at: recordedAt))
        guard isKeptBack || lifetime.quietUntil != nil else { return }
        lifetime.noteQuietHours(
            isKeptBack: isKeptBack, quietUntil: policy.quietHours?.end(at: recordedAt))
    }

    /// By a report or by the clock, an end stands; one that may still be corrected is none yet.
    var phase: Phase {
        if lifetime.end != nil { return .ended }
        let phase = Kind.phase(of: state)
        return phase == .ended ? .live : phase
    }

    /// Type of the event that a card to be started waits for; nil after the end as well.
    var awaited: String? { phase == .ended ? nil : Kind.awaited(by: state) }
}

extension Assessment {
    /// Rule and reason of a change to nothing that phones show, whether it says the same or came
    /// with an older time than what counts.
    public static let unchanged = (
        rule: "unchanged",
        reason: "The phone already shows this, or a report with a later time stands."
    )

    /// Rule and reason of a change that no push brings to cards that run.
    static let attributesAlone = (
        rule: Decision.attributesRule, reason: "Only attributes changed: \(keptAttributes)"
    )

    fileprivate static let keptAttributes =
        "cards that were started before keep theirs, and later ones have the new."

    /// Two rules come before every kind's own: after the end nobody is sent anything, and what the
    /// phone shows already is no news, unless it is the end.
    fileprivate mutating func overrideIfEndedOrInvisible(
        hadEnded: Bool, isEnd: Bool, isVisible: Bool, hasOtherAttributes: Bool
    ) {
        guard hadEnded || (!isVisible && !isEnd) else { return }
        if hadEnded {
            rule = "afterEnd"
            reason = "The card has ended; only the record is corrected."
            ending = nil
        } else {
            (rule, reason) = hasOtherAttributes ? Self.attributesAlone : Self.unchanged
        }
        significance = .none
        words = nil
        amendments = []
        alertContext = AlertContext()
    }
}
