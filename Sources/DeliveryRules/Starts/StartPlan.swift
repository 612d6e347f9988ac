import APNs
public import Domain
import Foundation
import JSON
public import Projections

/// The push that makes an activity's card appear on phones whose app is not running.
public struct StartPlan: Sendable {
    /// Unix seconds until which APNs keeps the start for a phone that is away.
    public let expiration: Int64
    /// Says how many cards may be started on a phone.
    public let policy: Policy
    private let payload: Payload
    private let attributesType: String
    private let attributes: Data
    private let snapshot: Snapshot
    /// Nil when the snapshot does not say.
    private let lifetime: Lifetime?
    private let alert: Alert
    private let quietHours: QuietHours?

    /// - Parameters:
    ///   - newest: the newest decision that pushes, for what it says beside the state.
    ///   - policy: what the activity is judged by.
    ///   - timestamp: Unix seconds, later than any the activity has used.
    ///   - quietHours: as they are set now, whatever they were at the last report.
    /// - Returns: nil when nothing is to be started: the activity has ended, could not be folded,
    ///   is of a kind that this program does not know, or its attributes would carry placeholders.
    public static func make(
        snapshot: Snapshot, newest: Decision?, policy: Policy, timestamp: Int64,
        quietHours: QuietHours?
    ) -> StartPlan? {
        guard snapshot.phase != .ended, newest?.verdict != .end, snapshot.blockage == nil,
            snapshot.awaits == nil,
            let kind = ActivityCatalog.standard.kind(named: snapshot.kind),
            let alert = try? ActivityCatalog.standard.startAlert(of: snapshot, under: policy)
        else { return nil }
        // A card that is stale when it starts is never shown.
        let staleDate = newest?.staleAt.map(\.unixSeconds).flatMap { $0 > timestamp ? $0 : nil }
        let expiration = timestamp + APNs.Limits.startExpirationSeconds
        return StartPlan(
            expiration: staleDate.map { min(expiration, $0 - 1) } ?? expiration, policy: policy,
            payload: Payload(
                event: .start, timestamp: timestamp, contentState: snapshot.contentState,
                staleDate: staleDate, relevanceScore: newest?.relevanceScore),
            attributesType: kind.attributesType, attributes: attributes(of: snapshot),
            snapshot: snapshot, lifetime: try? ActivityCatalog.standard.lifetime(of: snapshot),
            alert: alert, quietHours: quietHours)
    }

    /// Why no card is started just now, and until when; nil when one may be.
    public func hold(at now: Moment) -> StartMachine.Hold? {
        // The end was sent, and only a correction would take it back.
        if let pendingEnd = lifetime?.pendingEnd {
            let soon = now.adding(seconds: Limits.heldStartSeconds)
            return StartMachine.Hold(
                reason: StartMachine.Hold.ending,
                until: pendingEnd.endsAt > now ? pendingEnd.endsAt : soon)
        }
        // Nobody is woken for what is only planned. Once it is to begin, its followers want it.
        guard snapshot.phase == .scheduled, let morning = quietHours?.end(at: now) else {
            return nil
        }
        let until = min(morning, lifetime?.plannedStart ?? morning)
        guard until > now else { return nil }
        return StartMachine.Hold(reason: StartMachine.Hold.quietHours, until: until)
    }

    /// The languages that the alert is translated into, and the standard one.
    public var languages: Set<Language> { Set(alert.languages).union([.standard]) }

    /// The message for a phone, always at once; nil when no push can carry it.
    ///
    /// - Parameters:
    ///   - language: of the text, where the alert is translated into it.
    ///   - osMajor: the phone's iOS; nil when the app did not say.
    ///   - channel: base64 id of the channel whose broadcasts are to update the card.
    ///   - format: of the transport that takes it.
    public func message(
        language: Language = .standard, osMajor: Int?, channel: String? = nil,
        as format: PushFormat = .device
    ) -> PushPlan.Message? {
        guard
            attributes.count + snapshot.contentState.count <= APNs.Limits.startedStateBytesMax
        else { return nil }
        var payload = payload
        payload.start = Payload.Start(
            attributesType: attributesType, attributes: attributes,
            input: Self.input(osMajor: osMajor, channel: channel))
        let said = payload.saying([alert], in: language, as: format)
        // Without a text a phone shows nothing at all.
        guard said.alert != nil else { return nil }
        return PushPlan.Message(said, isImmediate: true, as: format)
    }

    /// With the activity's id as a member more: the app that a start wakes gets nothing else that
    /// tells which activity its new push token belongs to.
    private static func attributes(of snapshot: Snapshot) -> Data {
        let others = snapshot.attributes.dropFirst()
        let id = WireCoder.encode(["activityID": snapshot.activityID.rawValue]).dropLast()
        let separator = others == Data("}".utf8) ? "" : ","
        return id + Data(separator.utf8) + others
    }

    /// Below iOS 18 a start that asks for a channel fails.
    /// Source: Starting and updating Live Activities with ActivityKit push notifications.
    private static func input(osMajor: Int?, channel: String?) -> Payload.Start.Input? {
        guard let osMajor, osMajor >= Limits.startInputSystemMin else { return nil }
        return channel.map { .channel($0) } ?? .pushToken
    }
}

/// The push that takes an old card away at once when a fresh one has taken its place. The activity
/// goes on.
public struct ReplacementEnd: Sendable {
    /// The push itself.
    public let message: PushPlan.Message
    /// Unix seconds until which APNs keeps the push for a phone that is away.
    public let expiration: Int64

    /// - Parameter timestamp: Unix seconds, as that of the fresh card's start.
    /// - Returns: nil when the state is too large for a push, which is sent when it fits again.
    public static func make(snapshot: Snapshot, timestamp: Int64) -> ReplacementEnd? {
        guard snapshot.contentState.count <= Limits.contentStateBytesMax else { return nil }
        let payload = Payload(
            event: .end, timestamp: timestamp, contentState: snapshot.contentState,
            dismissalDate: timestamp)
        return ReplacementEnd(
            message: PushPlan.Message(payload, isImmediate: true, as: .device),
            expiration: timestamp + APNs.Limits.lastingExpirationSeconds)
    }
}
