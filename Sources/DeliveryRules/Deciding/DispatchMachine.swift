public import Domain
import Encodings
import Foundation
public import JSON
public import Projections

/// Decides about one activity: a value that is fed with what happens and answers with a decision.
///
/// It has no clock: "now" is when the log recorded the event, so that replaying the log gives the
/// same decisions.
public struct DispatchMachine: Hashable, Codable, Sendable {
    /// Grows with every change of the rules, here or of a kind, that gives other decisions for the
    /// same events.
    public static let rulesVersion = 16

    /// True once an end was decided; nothing is pushed after it.
    public private(set) var hasEnded = false
    /// Fingerprint of the content state of the last decision that pushes.
    public private(set) var shownFingerprint: UInt64?
    /// When phones mark as stale what that decision shows them; nil if they never do.
    private(set) var staleAt: Moment?
    /// Nil until something was pushed.
    private var pace: Pace?
    /// Nil while nothing is kept back.
    private(set) var backlog: Backlog?
    /// Nil where people have heard all alerts.
    private var unheard: Unheard?

    private enum CodingKeys: String, CodingKey {
        case hasEnded, staleAt, pace, backlog, unheard
        case shownFingerprint = "shown"
    }

    public init() {}

    /// Decides about a change that was folded.
    /// - Returns: the one decision about it.
    public mutating func decide(about folded: FoldedChange) -> Decision {
        var fingerprint: UInt64?
        return decide(about: folded, fingerprint: &fingerprint)
    }

    /// The same, where several machines decide about one content state. Only a replay that tries a
    /// policy has several, see `BothPolicies`.
    /// - Parameter fingerprint: of that state; nil until one of them has taken it.
    public mutating func decide(about folded: FoldedChange, fingerprint: inout UInt64?) -> Decision
    {
        // Mostly there is none, and a copy of a change takes as long as deciding about it.
        guard let unheard else { return makeDecision(folded, &fingerprint) }
        return makeDecision(unheard.alerting(folded, beside: backlog), &fingerprint)
    }

    /// Each step relies on those before it:
    ///
    /// 1. `withdrawFromBacklog` drops what is untrue, so `amendBacklog` rewrites only what stays.
    /// 2. Both remember how much people have heard of what is dropped, and `takeUnheard` takes that
    ///    into the alert of this change.
    /// 3. What is still kept back then says whether there is anything to send: `reasonToHold`.
    /// 4. `applyVerdict` lets `suppressAlert` keep back the alert of this change, before
    ///    `releaseBacklog` sends all that is kept back, and `dropBacklog` drops what an end leaves.
    /// 5. `refresh` sends only what was held, and `schedule` needs the final verdict and the alert
    ///    context.
    private mutating func makeDecision(
        _ change: FoldedChange, _ fingerprint: inout UInt64?
    ) -> Decision {
        var decision = undecided(change)
        var alertContext = AlertContext()
        if !hasEnded {
            alertContext = change.assessment.alertContext
            alertContext.amendments = change.amendments
        }
        withdrawFromBacklog(&alertContext)
        amendBacklog(&alertContext)
        if change.assessment.significance == .alert { takeUnheard(&alertContext) }
        let isEnding = change.assessment.ending != nil
        // What nobody is to be shown need not be compared with what they see.
        let mayPush = change.assessment.significance != .none || isEnding || backlog != nil
        if mayPush, fingerprint == nil { fingerprint = FNV1a.hash(change.snapshot.contentState) }
        if let hold = reasonToHold(change, fingerprint) {
            decision.rule = hold.rule
            decision.reason = hold.reason
            if change.assessment.significance == .alert { rememberUnheard(alertContext) }
            if isEnding { dropBacklog(&alertContext) }
        } else {
            applyVerdict(&decision, &alertContext, change)
        }
        refresh(&decision)
        if decision.hasAlert || alertContext.isWorthKeeping { decision.alertContext = alertContext }
        if decision.verdict.pushes {
            shownFingerprint = fingerprint ?? FNV1a.hash(change.snapshot.contentState)
            staleAt = decision.staleAt
            schedule(&decision, change)
            backlog?.relevanceScore = decision.relevanceScore
        }
        return decision
    }

    /// A decision as the change has it, before a verdict.
    private func undecided(_ change: FoldedChange) -> Decision {
        var decision = Decision(
            activityID: change.snapshot.activityID, version: change.snapshot.version,
            position: change.snapshot.position, verdict: .hold, rule: change.assessment.rule,
            reason: change.assessment.reason, contentState: change.snapshot.contentState,
            staleAt: change.assessment.staleAt,
            relevanceScore: change.assessment.relevanceScore,
            decidedAt: change.snapshot.updatedAt, policyVersion: change.policy.version,
            rulesVersion: Self.rulesVersion, significance: change.assessment.significance)
        if decision.relevanceScore == nil { decision.relevanceScore = backlog?.relevanceScore }
        return decision
    }

    /// Says what goes out, and with which alert.
    private mutating func applyVerdict(
        _ decision: inout Decision, _ alertContext: inout AlertContext, _ change: FoldedChange
    ) {
        decision.verdict = change.assessment.significance.verdict
        if change.assessment.significance == .alert {
            decision.alert = change.alert
            alertContext.silence = silence(of: change, alertContext)
        }
        if let silence = alertContext.silence {
            suppressAlert(&decision, &alertContext, change, silence)
        }
        if let ending = change.assessment.ending {
            decision.verdict = .end
            decision.dismissAt = change.snapshot.updatedAt.adding(
                seconds: ending.dismissAfterSeconds)
            hasEnded = true
        }
        // Nothing comes after an end. If it has an alert, what was kept back goes with it, also in
        // quiet hours.
        let mayRelease = !change.isInQuietHours || (change.assessment.tellsEnd && decision.hasAlert)
        if mayRelease { releaseBacklog(&decision, &alertContext) }
        if hasEnded { dropBacklog(&alertContext) }
    }

    /// Sends what would be held if phones are soon to mark their cards as stale, though a
    /// report says that all is well. It changes nothing there, so they would not hear of it.
    private func refresh(_ decision: inout Decision) {
        guard decision.verdict == .hold, !hasEnded, let staleAt, let later = decision.staleAt,
            later > max(staleAt, decision.decidedAt),
            decision.contentState.count <= Limits.contentStateBytesMax
        else { return }
        let lasts = later.seconds(since: decision.decidedAt)
        let soon = min(lasts * Limits.refreshShare, Limits.refreshSecondsMax)
        guard staleAt.seconds(since: decision.decidedAt) < soon else { return }
        decision.verdict = .quiet
        decision.rule = "fresh"
        decision.reason = "Phones would mark their cards as stale, and a report came in time."
    }

    /// Drops all that is kept back: nothing is sent after the end.
    private mutating func dropBacklog(_ alertContext: inout AlertContext) {
        unheard = nil
        guard var backlog else { return }
        alertContext.dropped += backlog.clear().map(\.version)
        self.backlog = nil
    }

    /// Drops what was kept back and is no longer true.
    private mutating func withdrawFromBacklog(_ alertContext: inout AlertContext) {
        guard var backlog, !alertContext.withdrawnSubjects.isEmpty else { return }
        drop(backlog.withdraw(alertContext.withdrawnSubjects), &alertContext)
        self.backlog = backlog.isEmpty ? nil : backlog
    }

    /// Gives what was kept back the text that is true now.
    private mutating func amendBacklog(_ alertContext: inout AlertContext) {
        guard var backlog, !alertContext.amendments.isEmpty else { return }
        for amendment in alertContext.amendments where backlog.has(amendment.subject) {
            let gone = backlog.amend(amendment)
            // What is sent in the end may be less than what the alert was made for.
            if let extent = amendment.extent {
                rememberUnheard(amendment.subject, heardSeconds: extent.seconds)
            }
            drop(gone, &alertContext)
        }
        self.backlog = backlog.isEmpty ? nil : backlog
    }

    /// Notes alerts that are never sent: people have heard no more than before them.
    private mutating func drop(_ gone: [KeptBackAlert], _ alertContext: inout AlertContext) {
        alertContext.dropped += gone.map(\.version)
        for alert in gone { rememberUnheard(alert.alertContext) }
    }

    private mutating func rememberUnheard(_ alertContext: AlertContext) {
        guard let subject = alertContext.subject, let degree = alertContext.degree else { return }
        rememberUnheard(subject, heardSeconds: degree.heardSeconds)
    }

    private mutating func rememberUnheard(_ subject: String, heardSeconds: Double) {
        var unheard = unheard ?? Unheard()
        unheard.remember(subject, heardSeconds: heardSeconds)
        self.unheard = unheard
    }

    /// Notes in an alert that is about to be sent how much people have heard before it.
    private mutating func takeUnheard(_ alertContext: inout AlertContext) {
        guard let subject = alertContext.subject, let degree = alertContext.degree, var unheard
        else { return }
        if let heard = unheard.heardSeconds(of: subject) {
            alertContext.degree?.heardSeconds = min(heard, degree.heardSeconds)
            unheard.forget(subject)
        }
        self.unheard = unheard.isEmpty ? nil : unheard
    }

    /// Why an alert is not sent now; nil when it is.
    private func silence(of change: FoldedChange, _ alertContext: AlertContext) -> Silence? {
        alertContext.isCorrection && !alertContext.dropped.isEmpty ? .untold : change.silence
    }

    /// Takes the alert from a decision, and says why.
    private mutating func suppressAlert(
        _ decision: inout Decision, _ alertContext: inout AlertContext, _ change: FoldedChange,
        _ silence: Silence
    ) {
        guard let alert = decision.alert else { return }
        decision = decision.withoutAlert()
        decision.verdict = .timely
        switch silence {
        case .late:
            rememberUnheard(alertContext)
            decision.reason +=
                " Nobody is alerted, because it happened "
                + "\(Moment.words(forSeconds: change.ageSeconds)) before it was reported."
        case .untold:
            decision.reason +=
                " Nobody is alerted, because the alert that it corrects was not sent."
        case .quietHours:
            decision.verdict = .quiet
            let kept = KeptBackAlert(
                version: decision.version, alert: alert, alertContext: alertContext.withoutResult)
            var backlog = backlog ?? Backlog()
            let gone = backlog.keep(kept)
            drop(gone, &alertContext)
            self.backlog = backlog
            decision.reason +=
                " Nobody is alerted in quiet hours; "
                + (gone.contains { $0.version == decision.version }
                    ? "more significant alerts are sent after them."
                    : "“\(alert.title)” is sent after them.")
        }
    }

    /// Gives a decision the alerts that were kept back.
    private mutating func releaseBacklog(
        _ decision: inout Decision, _ alertContext: inout AlertContext
    ) {
        guard let backlog else { return }
        alertContext.carried = backlog.alerts
        decision.alert = decision.alert ?? backlog.loudest
        if decision.verdict != .end { decision.verdict = .alert }
        decision.reason += " It sends what quiet hours kept back."
        self.backlog = nil
    }

    /// Says when a decision goes out and at which priority.
    private mutating func schedule(_ decision: inout Decision, _ change: FoldedChange) {
        let isSilenced =
            decision.alertContext?.silence != nil && !change.assessment.tellsEnd
        let wanted = Pace.Wanted(
            isImmediate: decision.verdict != .quiet,
            isCritical: change.assessment.isCritical && !isSilenced, hasAlert: decision.hasAlert)
        var pace = pace ?? Pace()
        var order = pace.order(wanted, at: decision.decidedAt, under: change.policy.pace)
        self.pace = pace
        order.restarts = change.assessment.restarts
        decision.order = order
        switch order.treatment {
        case .asWanted: break
        case .lowered:
            decision.reason += " The budget of priority 10 is spent, so it goes at priority 5."
        case .merged:
            decision.reason += " It goes together with what comes in the same window."
        case .held:
            decision.reason += " So much was sent that it has to wait; the newest state then goes."
        }
    }

    /// Why a push that the policy wants is held back; nil if it goes. Nil too if the policy wants
    /// none: then the decision keeps the policy's reason, which says more.
    private func reasonToHold(
        _ change: FoldedChange, _ fingerprint: UInt64?
    ) -> (rule: String, reason: String)? {
        let isEnding = change.assessment.ending != nil
        let releases = backlog != nil && !change.isInQuietHours
        guard isEnding || change.assessment.significance != .none || releases else { return nil }
        if hasEnded {
            return ("ended", "the activity has ended; nothing is sent after its end")
        }
        let bytes = change.snapshot.contentState.count
        if bytes > Limits.contentStateBytesMax {
            return (
                "too-large",
                "the state has \(bytes) bytes; a push carries \(Limits.contentStateBytesMax)"
            )
        }
        if isEnding || releases || change.assessment.restarts { return nil }
        switch change.assessment.significance {
        case .alert, .none: return nil
        case .timely, .ambient:
            return fingerprint == shownFingerprint
                ? ("unchanged", "the phone would show nothing different") : nil
        }
    }
}

extension DispatchMachine: CanonicalValue {
    /// Writes the state as it is stored with the snapshot, members in the order of their names.
    public func write(to writer: inout CanonicalWriter) {
        writer.object { members in
            members.member("backlog", encoding: backlog)
            members.member("hasEnded", hasEnded)
            members.member("pace", pace)
            members.member("shown", shownFingerprint)
            members.member("staleAt", staleAt)
            members.member("unheard", encoding: unheard)
        }
    }
}

extension Decision {
    /// Asked without a copy of the alert, which comparing it with nil makes.
    fileprivate var hasAlert: Bool {
        if case .some = alert { true } else { false }
    }
}

extension AlertContext {
    /// Whether the ledger keeps it for a decision without an alert.
    fileprivate var isWorthKeeping: Bool {
        silence != nil || !withdrawnSubjects.isEmpty || !dropped.isEmpty || !amendments.isEmpty
    }

    /// What is kept of it with an alert that is kept back: what it is about, and not its result.
    fileprivate var withoutResult: AlertContext {
        var context = AlertContext(
            weight: weight, subject: subject, withdrawing: withdrawnSubjects,
            isCorrection: isCorrection)
        context.degree = degree
        return context
    }
}
