public import APNs
public import Domain
import Foundation

/// The one push that brings an activity's phones up to date, whatever has piled up meanwhile.
public struct PushPlan: Hashable, Sendable {
    public enum Audience: Hashable, Sendable {
        /// Every living registration of the activity.
        case everyone
        /// Only phones that missed something or have just registered.
        case owed
    }

    public var audience: Audience
    /// Version of the state that the push carries.
    public var version: Int64
    public var timestamp: Int64
    public var expiration: Int64
    public var priority: PushRequest.Priority
    /// For `everyone`, and for owed phones that missed a recent alert.
    public var body: [UInt8]
    /// For owed phones that missed no alert: the same state without words, at priority 5.
    public var quietBody: [UInt8]

    /// Plans a round for one activity. The newest folded state always goes out, never the state of
    /// an older decision.
    ///
    /// - Parameters:
    ///   - pending: decisions that push and were not sent yet, oldest first.
    ///   - lastSettled: the newest decision that was sent before.
    ///   - timestamp: Unix seconds, later than any the activity has used.
    ///   - now: for the age of a missed alert.
    public static func make(
        snapshot: Snapshot, pending: [Decision], lastSettled: Decision?, timestamp: Int64,
        now: Moment
    ) -> PushPlan {
        let newest = pending.last ?? lastSettled
        let alerts = pending.isEmpty ? missedAlert(lastSettled, now) : pending.compactMap(\.alert)
        let hasEnded = snapshot.phase == .ended
        var payload = Payload(
            event: hasEnded ? .end : .update, timestamp: timestamp,
            contentState: snapshot.contentState, staleDate: newest?.staleAt?.unixSeconds,
            dismissalDate: hasEnded ? newest?.dismissAt?.unixSeconds : nil,
            relevanceScore: newest?.relevanceScore)
        if hasEnded { payload.staleDate = nil }
        let quietBody = payload.json
        payload.alert = joined(alerts)
        return PushPlan(
            audience: pending.isEmpty ? .owed : .everyone, version: snapshot.version,
            timestamp: timestamp,
            expiration: timestamp + APNs.Limits.expirationSeconds,
            priority: isImmediate(pending, hasAlert: payload.alert != nil)
                ? .immediate : .conserving,
            body: payload.json, quietBody: quietBody)
    }

    private static func isImmediate(_ pending: [Decision], hasAlert: Bool) -> Bool {
        hasAlert
            || pending.contains {
                switch $0.verdict {
                case .alert, .timely, .end: true
                case .quiet, .hold: false
                }
            }
    }

    private static func missedAlert(_ decision: Decision?, _ now: Moment) -> [Alert] {
        guard let decision, let alert = decision.alert,
            now.seconds(since: decision.decidedAt) <= Limits.missedAlertAgeSecondsMax
        else { return [] }
        return [alert]
    }

    /// The newest alert speaks; the bodies before it follow, so that none is lost without a word.
    private static func joined(_ alerts: [Alert]) -> Payload.AlertText? {
        guard let newest = alerts.last else { return nil }
        var bodies = alerts.suffix(Limits.joinedAlertsMax).reversed().map(\.body)
        let left = alerts.count - bodies.count
        if left > 0 { bodies.append("+\(left)") }
        return Payload.AlertText(
            title: newest.title, body: bodies.joined(separator: " · "), sound: newest.sound)
    }
}
