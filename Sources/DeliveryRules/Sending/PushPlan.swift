public import APNs
public import Domain
import Foundation

/// The one push that brings an activity's phones up to date, whatever has piled up meanwhile.
public struct PushPlan: Hashable, Sendable {
    /// Which phones a fan-out goes to.
    public enum Receivers: Hashable, Sendable {
        /// Every served registration of the activity.
        case everyone
        /// Only phones that missed something or have just registered.
        case owed
    }

    /// What one phone is sent.
    public struct Message: Hashable, Sendable {
        /// Depends on whether the phone allows frequent updates.
        public var priority: APNsRequest.Priority
        /// The body in its format: the payload's JSON for APNs.
        public var body: [UInt8]

        init(_ payload: Payload, isImmediate: Bool, as format: PushFormat) {
            priority = isImmediate ? .immediate : .conserving
            body = format.body(payload)
        }
    }

    /// Which phones the fan-out goes to.
    public let receivers: Receivers
    /// Version of the newest decision that the push carries out; 0 when nothing was decided yet.
    public let version: Int64
    /// Unix seconds until which APNs keeps the push for a phone that is away. An end is kept for
    /// longer than an update: nothing comes after it, and without it the card stands on.
    public let expiration: Int64
    /// Bytes of the newest state when it is too large for a push; it is not the one that goes out.
    public let oversizedStateBytes: Int?
    /// Nil when there is no state that a push could carry.
    private let payload: Payload?
    private let pending: [Decision]

    /// Plans a fan-out for one activity. The newest folded state goes out, never that of an older
    /// decision, unless the newest is too large: then the newest that was decided to be sent.
    ///
    /// - Parameters:
    ///   - snapshot: may be newer than the decisions; those about it are then still to come.
    ///   - pending: decisions that push and were not sent yet, oldest first.
    ///   - upcoming: the newest of those that wait for their time, where none is pending. Owed
    ///     phones get its state early, and once more with its alert when its time has come.
    ///   - lastCompleted: the newest decision that was sent before.
    ///   - timestamp: Unix seconds, later than any the activity has used.
    public static func make(
        snapshot: Snapshot, pending: [Decision], upcoming: Decision? = nil,
        lastCompleted: Decision?, timestamp: Int64
    ) -> PushPlan {
        let carried = pending.last ?? lastCompleted
        let newest = upcoming ?? carried
        let isOversized = !snapshot.contentState.isSendable
        let state = isOversized ? newest?.contentState : snapshot.contentState
        let hasEnded =
            upcoming?.verdict != .end && hasEnded(snapshot, newest, isOversized: isOversized)
        return PushPlan(
            receivers: pending.isEmpty ? .owed : .everyone, version: carried?.version ?? 0,
            expiration: timestamp
                + (hasEnded
                    ? APNs.Limits.lastingExpirationSeconds : APNs.Limits.expirationSeconds),
            oversizedStateBytes: isOversized ? snapshot.contentState.count : nil,
            payload: state.flatMap { state in
                guard state.isSendable else { return nil }
                return Payload(
                    event: hasEnded ? .end : .update, timestamp: timestamp, contentState: state,
                    staleDate: hasEnded ? nil : newest?.staleAt?.unixSeconds,
                    dismissalDate: hasEnded ? newest?.dismissAt?.unixSeconds : nil,
                    relevanceScore: newest?.relevanceScore)
            },
            pending: pending)
    }

    /// False when no state fits into a push; then there are no messages.
    public var isSendable: Bool { payload != nil }

    /// The message for a phone; nil when no state fits into a push.
    ///
    /// - Parameters:
    ///   - earlier: decisions that were accepted for this phone, those of one push together, where
    ///     `countsWhatWasHeard`.
    ///   - missed: decisions that were sent to others but not accepted for this phone, oldest
    ///     first, none of them pending. Their alerts speak as well: the state alone would not say
    ///     what happened.
    ///   - coveredVersion: the newest decision whose push was accepted for this phone. It may be
    ///     one of the pending ones when the fan-out that sent it was cut short.
    ///   - tier: what the phone allows; it decides about the priority.
    ///   - language: of the text, where an alert is translated.
    ///   - format: of the transport that takes it.
    public func message(
        earlier: [[Decision]] = [], missed: [Decision] = [], coveredVersion: Int64 = 0,
        tier: PhoneTier = .standard, language: Language = .standard,
        as format: PushFormat = .device
    ) -> Message? {
        guard let payload else { return nil }
        let alerts = MergedAlerts.alerts(
            earlier: earlier, missed: missed,
            pending: pending.filter { $0.version > coveredVersion })
        let said = payload.saying(alerts, in: language, as: format)
        let isImmediate = (missed + pending).contains { $0.isImmediate(for: tier) }
        return Message(said, isImmediate: isImmediate, as: format)
    }

    /// What phones are to be sent depends on how much of it they have heard: a delay that came and
    /// went within one push was never said, and is news when it comes back.
    public var countsWhatWasHeard: Bool { Self.countsWhatWasHeard(pending) }

    /// The same of decisions that were not sent yet.
    public static func countsWhatWasHeard(_ pending: [Decision]) -> Bool {
        pending.contains { $0.alertContext?.amendments.contains { $0.extent != nil } ?? false }
    }

    /// The languages that pending alerts are translated into, and the standard one.
    public var languages: Set<Language> {
        let said = pending.flatMap(\.allAlerts).map(\.alert)
        let amended = pending.flatMap { $0.alertContext?.amendments ?? [] }.map(\.alert)
        return Set((said + amended).flatMap(\.languages)).union([.standard])
    }

    /// How many of the pending decisions an earlier push covered for a phone with this version.
    public func coveredCount(upTo version: Int64) -> Int {
        pending.count { $0.version <= version }
    }

    /// Whether a missed decision still matters to what is said to a phone that has been there
    /// since: it has an alert, takes some back or changes their texts.
    public static func isNews(_ decision: Decision, now: Moment, registeredAt: Moment) -> Bool {
        (decision.alert != nil || decision.alertContext?.withdrawnSubjects.isEmpty == false
            || decision.alertContext?.amendments.isEmpty == false)
            && decision.decidedAt >= registeredAt
            && now.seconds(since: decision.decidedAt) <= Limits.missedAlertAgeSecondsMax
    }

    /// An activity ends with the decision that ends it, which may still be on its way: phones
    /// that were sent an end before it would not get its alert. Only an end that was held because
    /// its state is too large is never going to come.
    private static func hasEnded(
        _ snapshot: Snapshot, _ newest: Decision?, isOversized: Bool
    ) -> Bool {
        guard let newest, newest.verdict != .end else { return snapshot.phase == .ended }
        return snapshot.phase == .ended && isOversized
    }
}

extension Data {
    fileprivate var isSendable: Bool { count <= Limits.contentStateBytesMax }
}
