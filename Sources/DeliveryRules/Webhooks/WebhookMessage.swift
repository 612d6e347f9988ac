public import Domain
import Encodings
import Foundation
import JSON
import Projections

/// One message to a webhook: what an activity shows now, and what of it is news; or whose push
/// tokens were rejected.
public struct WebhookMessage: Hashable, Sendable {
    /// The `type` of a message.
    public enum Event: String, CaseIterable, Sendable {
        /// There is an alert.
        case alert = "activity.alert"
        case updated = "activity.updated"
        case ended = "activity.ended"
        /// APNs rejected push tokens, and their registrations are left alone.
        case rejected = "registration.rejected"
        /// Says nothing but that messages arrive.
        case test = "webhook.test"
    }

    /// What the message is about.
    public var event: Event
    /// Version of the newest decision that it carries; 0 when it is about none.
    public var version: Int64
    /// Tells it from the webhook's other messages, whenever and wherever it is sent.
    public var name: String
    /// JSON.
    public var body: [UInt8]

    /// - Parameters:
    ///   - snapshot: gives what does not change with the decisions.
    ///   - pending: decisions for webhooks of which the receiver does not know, oldest first.
    ///   - tried: version of the newest one that was sent before, and may have been heard of.
    ///   - known: version of the newest one whose alert the receiver has had: up to it the state is
    ///     sent again, and nobody is alerted again.
    ///   - since: when the receiver's messages began; what was decided before is no news to it.
    ///   - epoch: of a restored log, in which versions are counted again from where it was set back
    ///     to; nil for one that never was.
    ///   - erasedAt: when a person's data were erased of the activity last.
    /// - Returns: nil when there is nothing worth sending.
    public static func make(
        _ snapshot: Snapshot, pending: [Decision], tried: Int64 = 0, known: Int64 = 0,
        since: Moment, now: Moment, epoch: Int64? = nil, erasedAt: Moment? = nil
    ) -> WebhookMessage? {
        // Fresh cards in place of old ones are a matter between iPhones and their clock.
        let worthy = pending.filter { $0.isForWebhooks && $0.order?.restarts != true }
        guard let newest = worthy.last else { return nil }
        let news = worthy.filter {
            $0.version > known && PushPlan.isNews($0, now: now, registeredAt: since)
        }
        let alerts = MergedAlerts.alerts(
            missed: news.filter { $0.version <= tried }, pending: news.filter { $0.version > tried }
        )
        let hasEnded = worthy.contains { $0.verdict == .end }
        let event: Event = hasEnded ? .ended : alerts.isEmpty ? .updated : .alert
        return WebhookMessage(
            event: event, version: newest.version,
            name: name(newest, erasedAt, isKnown: newest.version <= known),
            body: body(
                event, newest.decidedAt, data(snapshot, newest, alerts, hasEnded: hasEnded, epoch)))
    }

    /// The position tells an activity's versions from those of one before it that had the same id
    /// and was dropped: it is given once.
    ///
    /// After an erasure the decision says something else, and a receiver that had it before must
    /// not take the message for the same one and keep the name. Nor must one that was only sent the
    /// state again take what was given up, and is tried once more with its alert, for that.
    private static func name(
        _ decision: Decision, _ erasedAt: Moment?, isKnown: Bool
    ) -> String {
        var name = "\(decision.version)@\(decision.position)\n\(decision.activityID.rawValue)"
        if let erasedAt, decision.decidedAt <= erasedAt {
            name += "\n" + Hexadecimal.encode(FNV1a.hash(decision.contentState))
        }
        return isKnown ? name + "\nknown" : name
    }

    /// - Parameters:
    ///   - tokens: oldest first. One that registered again is left out when the message is sent
    ///     again, which is why it has its name by where it begins and ends.
    /// - Returns: nil when there are none.
    public static func rejected(
        _ tokens: [RejectedToken], after: RejectedToken.Place, upto: RejectedToken.Place
    ) -> WebhookMessage? {
        if tokens.isEmpty { return nil }
        return WebhookMessage(
            event: .rejected, version: 0,
            name: "rejected\n\(name(after))\n\(name(upto))",
            body: body(
                .rejected, upto.rejectedAt, ["registrations": .array(tokens.map(rejected))]))
    }

    private static func name(_ place: RejectedToken.Place) -> String {
        "\(place.rejectedAt.microseconds) \(place.registrationID)"
    }

    private static func rejected(_ token: RejectedToken) -> JSON {
        [
            "activity": .string(token.activityID.rawValue), "bundleId": .string(token.bundleID),
            "environment": .string(token.environment.rawValue), "reason": .string(token.reason),
            "rejectedAt": .string(token.place.rejectedAt.rfc3339),
            "deadLetter": .string(token.deadLetter),
        ]
    }

    /// The time of a test tells it from other tests.
    public static func test(now: Moment) -> WebhookMessage {
        let body = body(.test, now, [:])
        return WebhookMessage(
            event: .test, version: 0, name: "0\n" + String(decoding: body, as: UTF8.self),
            body: body)
    }

    private static func body(_ event: Event, _ moment: Moment, _ data: JSON) -> [UInt8] {
        let message: JSON = [
            "type": .string(event.rawValue), "timestamp": .string(moment.rfc3339), "data": data,
        ]
        return message.bytes
    }

    /// The state is that of the decision, so that the same message always says the same. States
    /// keep the very bytes that were folded. Alerts may be those of decisions before it, so what
    /// belongs to an alert has to come with that.
    private static func data(
        _ snapshot: Snapshot, _ decision: Decision, _ alerts: [Alert], hasEnded: Bool,
        _ epoch: Int64?
    ) -> JSON {
        let presentation = try? ActivityCatalog.standard.presentation(
            kind: snapshot.kind, attributes: snapshot.attributes,
            contentState: decision.contentState)
        let phase = hasEnded ? Phase.ended : snapshot.phase
        let root = epoch.map { [JSON.Member(name: "epoch", value: .integer($0))] } ?? []
        let members: [JSON.Member] = [
            .init(name: "activity", value: .string(snapshot.activityID.rawValue)),
            .init(name: "kind", value: .string(snapshot.kind)),
            .init(name: "phase", value: .string(phase.rawValue)),
            .init(name: "version", value: .integer(decision.version)),
            .init(name: "attributes", value: .encoded(snapshot.attributes)),
            .init(name: "contentState", value: .encoded(decision.contentState)),
            .init(name: "alerts", value: .encoded(WireCoder.encode(alerts))),
            .init(name: "staleAt", value: .optional(decision.staleAt?.rfc3339)),
            .init(name: "dismissAt", value: .optional(decision.dismissAt?.rfc3339)),
            .init(name: "relevanceScore", value: encoded(decision.relevanceScore)),
            .init(name: "presentation", value: encoded(presentation)),
        ]
        return .object(root + members)
    }

    private static func encoded(_ value: (some Encodable)?) -> JSON {
        value.map { .encoded(WireCoder.encode($0)) } ?? .null
    }
}
