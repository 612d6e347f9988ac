public import Domain
public import Foundation
public import Projections

/// How replays save time: most events change nothing that phones show, and the decision about such
/// an event is known without a look at the machine. The projector uses none of this.
extension DispatchMachine {
    /// Before this time, an event that changes nothing that phones show is held. From then on,
    /// phones are soon to mark their cards as stale, and it may be pushed. While something is kept
    /// back, any event may release that.
    public var skipsUnchangedUntil: Moment {
        guard backlog == nil else { return Moment(microseconds: .min) }
        return staleAt?.adding(seconds: -Limits.refreshSecondsMax) ?? Moment(microseconds: .max)
    }

    /// The decision about an event that changes nothing that phones show and no attributes, and
    /// is recorded before `skipsUnchangedUntil`: as `decide` makes it, but without when the state
    /// goes stale and how relevant it is. It leaves the machine as it is.
    public static func unchanged(
        _ event: BorrowedEvent, _ contentState: Data, under policy: Policy
    ) -> Decision {
        Decision(
            activityID: event.activityID, version: event.version, position: event.position,
            verdict: .hold, rule: Assessment.unchanged.rule, reason: Assessment.unchanged.reason,
            contentState: contentState, decidedAt: event.recordedAt,
            policyVersion: policy.version, rulesVersion: rulesVersion,
            significance: Significance.none)
    }
}
