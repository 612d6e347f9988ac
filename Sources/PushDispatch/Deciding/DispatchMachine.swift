public import Domain
import Foundation
public import Projections

/// Decides about one activity: a value that is fed with what happens and answers with a decision.
///
/// It has no clock: "now" is when the log recorded the event, so that replaying the log gives the
/// same decisions.
public struct DispatchMachine: Hashable, Codable, Sendable {
    /// Grows with every change of the rules, here or of a kind, that gives other decisions for the
    /// same events.
    public static let rulesVersion = 2

    /// True once an end was decided; nothing is pushed after it.
    public private(set) var hasEnded = false
    /// Fingerprint of the content state of the last decision that pushes.
    public private(set) var shown: UInt64?
    /// Nil until something was pushed.
    private var pace: Pace?

    public init() {}

    /// A change was folded.
    /// - Returns: the one decision about it.
    public mutating func changed(_ change: FoldedChange) -> Decision {
        let snapshot = change.snapshot
        let assessment = change.assessment
        let fingerprint = Fingerprint.of(snapshot.contentState)
        var decision = Decision(
            activityID: snapshot.activityID, version: snapshot.version,
            position: snapshot.position, verdict: .hold, rule: assessment.rule,
            reason: assessment.reason, contentState: snapshot.contentState,
            staleAt: assessment.staleAt, relevanceScore: assessment.relevanceScore,
            decidedAt: snapshot.updatedAt, policyVersion: change.policy.version,
            rulesVersion: Self.rulesVersion)
        if let hold = holdReason(change, fingerprint) {
            decision.rule = hold.rule
            decision.reason = hold.reason
            return decision
        }
        switch assessment.significance {
        case .alert:
            decision.verdict = .alert
            decision.alert = change.alert
        case .timely: decision.verdict = .timely
        case .ambient: decision.verdict = .quiet
        case .none: decision.verdict = .hold
        }
        if decision.verdict == .alert, assessment.ending == nil,
            change.policy.isQuiet(assessment.rule, at: snapshot.updatedAt)
        {
            decision.verdict = .quiet
            decision.alert = nil
            let unsaid = change.alert.map { " “\($0.title)” was not said." } ?? ""
            decision.reason += " Nobody is alerted in quiet hours." + unsaid
        }
        if let ending = assessment.ending {
            decision.verdict = .end
            decision.dismissAt = snapshot.updatedAt.adding(seconds: ending.dismissAfterSeconds)
            hasEnded = true
        }
        if decision.verdict.pushes {
            shown = fingerprint
            if decision.alert != nil { decision.news = assessment.news }
            order(&decision, isCritical: assessment.isCritical, under: change.policy)
        }
        return decision
    }

    /// Says when it goes out and at which priority.
    private mutating func order(
        _ decision: inout Decision, isCritical: Bool, under policy: Policy
    ) {
        let wish = Pace.Wish(
            isImmediate: decision.verdict != .quiet, isCritical: isCritical,
            hasWords: decision.alert != nil)
        var pace = pace ?? Pace()
        let order = pace.order(wish, at: decision.decidedAt, under: policy)
        self.pace = pace
        decision.order = order
        switch order.step {
        case .asWanted: break
        case .lowered:
            decision.reason += " The budget of priority 10 is spent, so it goes at priority 5."
        case .merged:
            decision.reason += " It goes together with what comes in the same window."
        case .held:
            decision.reason += " So much was sent that it has to wait; the newest state then goes."
        }
    }

    /// Why a change that would push does not. One that would not anyway keeps the policy's words:
    /// they say more.
    private func holdReason(
        _ change: FoldedChange, _ fingerprint: UInt64
    ) -> (rule: String, reason: String)? {
        let assessment = change.assessment
        guard assessment.ending != nil || assessment.significance != .none else { return nil }
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
        if assessment.ending != nil { return nil }
        switch assessment.significance {
        case .alert, .none: return nil
        case .timely, .ambient:
            return fingerprint == shown
                ? ("unchanged", "the phone would show nothing different") : nil
        }
    }
}

/// FNV-1a over 64 bits: enough to see that a state differs from the one before it.
enum Fingerprint {
    static func of(_ data: Data) -> UInt64 {
        data.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
