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

    /// What one phone is sent.
    public struct Message: Hashable, Sendable {
        public var priority: PushRequest.Priority
        public var body: [UInt8]
    }

    public let audience: Audience
    /// Version of the state that the push carries.
    public let version: Int64
    public let timestamp: Int64
    public let expiration: Int64
    private let payload: Payload
    private let pending: [Decision]

    /// Plans a round for one activity. The newest folded state always goes out, never the state of
    /// an older decision.
    ///
    /// - Parameters:
    ///   - pending: decisions that push and were not sent yet, oldest first.
    ///   - lastSettled: the newest decision that was sent before.
    ///   - timestamp: Unix seconds, later than any the activity has used.
    public static func make(
        snapshot: Snapshot, pending: [Decision], lastSettled: Decision?, timestamp: Int64
    ) -> PushPlan {
        let newest = pending.last ?? lastSettled
        let hasEnded = snapshot.phase == .ended
        return PushPlan(
            audience: pending.isEmpty ? .owed : .everyone, version: snapshot.version,
            timestamp: timestamp, expiration: timestamp + APNs.Limits.expirationSeconds,
            payload: Payload(
                event: hasEnded ? .end : .update, timestamp: timestamp,
                contentState: snapshot.contentState,
                staleDate: hasEnded ? nil : newest?.staleAt?.unixSeconds,
                dismissalDate: hasEnded ? newest?.dismissAt?.unixSeconds : nil,
                relevanceScore: newest?.relevanceScore),
            pending: pending)
    }

    /// The message for a phone.
    ///
    /// - Parameter missed: decisions that were sent to others but not accepted for this phone,
    ///   oldest first, none of them pending. Their alerts speak as well: the state alone would not
    ///   say what happened.
    public func message(missed: [Decision] = []) -> Message {
        var payload = payload
        payload.alert = Self.joined((missed + pending).compactMap(\.alert))
        let isImmediate = payload.alert != nil || pending.contains { $0.verdict.isImmediate }
        return Message(priority: isImmediate ? .immediate : .conserving, body: payload.json)
    }

    /// Whether a missed decision is still worth a word, for a phone that has been there since.
    public static func isNews(_ decision: Decision, now: Moment, registeredAt: Moment) -> Bool {
        decision.alert != nil && decision.decidedAt >= registeredAt
            && now.seconds(since: decision.decidedAt) <= Limits.missedAlertAgeSecondsMax
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

extension Verdict {
    fileprivate var isImmediate: Bool {
        switch self {
        case .alert, .timely, .end: true
        case .quiet, .hold: false
        }
    }
}
