import APNs
import DeliveryRules
import Domain
import Foundation
import JSON
import Projections
import Testing

private let attributes = PizzaDeliveryAttributes(
    numberOfPizzas: 2, totalAmount: "€24.00", orderNumber: "1042")

private func snapshot(
    phase: Phase = .live, note: String? = nil, blockage: String? = nil
) -> Snapshot {
    let start = Date(timeIntervalSince1970: 1_000)
    let state = PizzaDeliveryAttributes.ContentState(
        driverName: "Ada", deliveryTimer: start...start.addingTimeInterval(60), stage: .accepted,
        note: note, distanceMeters: nil)
    return Snapshot(
        activityID: ActivityID(rawValue: "order-1"), kind: "PizzaDelivery", version: 3, position: 3,
        phase: phase, state: Data("{}".utf8), attributes: WireCoder.encode(attributes),
        contentState: WireCoder.encode(state), updatedAt: Moment(unixSeconds: 2_000),
        blockage: blockage)
}

private func decision(staleAt: Int64, _ verdict: Verdict = .timely) -> Decision {
    Decision(
        activityID: ActivityID(rawValue: "order-1"), version: 3, position: 3, verdict: verdict,
        rule: "r", reason: "because", contentState: Data("{}".utf8),
        staleAt: Moment(unixSeconds: staleAt), relevanceScore: 75,
        decidedAt: Moment(unixSeconds: 1_990))
}

private func plan(
    _ snapshot: Snapshot = snapshot(), newest: Decision? = nil, policy: Policy = .builtIn,
    quietHours: QuietHours? = nil
) -> StartPlan? {
    StartPlan.make(
        snapshot: snapshot, newest: newest, policy: policy, timestamp: 2_000,
        quietHours: quietHours)
}

extension StartPlan {
    fileprivate func text(
        _ language: Language = .standard, osMajor: Int? = nil, channel: String? = nil
    ) -> String? {
        message(language: language, osMajor: osMajor, channel: channel).map {
            String(decoding: $0.body, as: UTF8.self)
        }
    }
}

struct `The push that starts a card` {
    @Test func `has everything that a phone needs to make one`() throws {
        struct Body: Decodable {
            struct Aps: Decodable {
                var timestamp: Int64
                var event: String
                var type: String
                var attributes: PizzaDeliveryAttributes
                var state: PizzaDeliveryAttributes.ContentState
                var alert: [String: String]

                enum CodingKeys: String, CodingKey {
                    case timestamp, event, attributes, alert
                    case type = "attributes-type"
                    case state = "content-state"
                }
            }
            var aps: Aps
        }
        let made = try #require(plan())
        let message = try #require(made.message(osMajor: nil))
        let aps = try JSONDecoder().decode(Body.self, from: Data(message.body)).aps
        #expect(aps.event == "start")
        #expect(aps.timestamp == 2_000)
        #expect(aps.type == "PizzaDeliveryAttributes")
        var named = attributes
        named.activityID = "order-1"
        #expect(aps.attributes == named)
        #expect(aps.state.driverName == "Ada")
        #expect(aps.alert["title"] == "Your order")
        #expect(aps.alert["body"] == "Order 1042 can be followed here.")
        #expect(message.priority == .immediate)
        #expect(made.expiration == 2_300)
    }

    @Test func `asks for a token or a channel from iOS 18 on, and for neither before`() throws {
        let made = try #require(plan())
        for system in [nil, 17] {
            let before = try #require(made.text(osMajor: system, channel: "Y2g="))
            #expect(!before.contains("input-push"))
        }
        let token = try #require(made.text(osMajor: 18))
        #expect(token.contains(#""input-push-token":1"#))
        let channel = try #require(made.text(osMajor: 18, channel: "Y2g="))
        #expect(channel.contains(#""input-push-channel":"Y2g=""#))
        #expect(!channel.contains("input-push-token"))
    }

    @Test func `is never stale from the start`() throws {
        let fresh = try #require(plan(newest: decision(staleAt: 2_001))?.text())
        #expect(fresh.contains(#""stale-date":2001,"relevance-score":75"#))
        let stale = try #require(plan(newest: decision(staleAt: 2_000))?.text())
        #expect(!stale.contains("stale-date"))
    }

    @Test func `is not kept for a phone that is away once the card would be stale`() throws {
        let expirations = [2_001, 2_100, 2_300, 2_301, 9_000, 1_999].map {
            plan(newest: decision(staleAt: $0))?.expiration
        }
        #expect(expirations == [2_000, 2_099, 2_299, 2_300, 2_300, 2_300])
    }

    @Test func `speaks the phone's language, in the tenant's words where there are some`() throws {
        let german = try #require(plan()?.text(Language("de")))
        #expect(german.contains("Ihre Bestellung"))
        let document = PolicyDocument(texts: ["en": ["start.title": .plain("Yum")]])
        let own = try ActivityCatalog.standard.policy(
            ofKind: "PizzaDelivery", document, version: 1)
        let ours = try #require(plan(policy: own)?.text())
        #expect(ours.contains(#""title":"Yum""#))
    }

    @Test func `has keys instead of words where the app says them itself`() throws {
        let document = PolicyDocument(words: "keys", keys: ["start.title": "HERE"])
        let keyed = try ActivityCatalog.standard.policy(
            ofKind: "PizzaDelivery", document, version: 1)
        for language in [Language.standard, Language("de")] {
            let text = try #require(plan(policy: keyed)?.text(language))
            #expect(text.contains(#""alert":{"title":{"loc-key":"HERE"},"#))
            #expect(
                text.contains(#""body":{"loc-key":"islet.PizzaDelivery.start.body","loc-args":"#))
            #expect(!text.contains("Your order") && !text.contains("Ihre Bestellung"))
        }
    }

    @Test func `has words where a key's text would be empty, for a phone starts nothing without`()
        throws
    {
        var nameless = snapshot()
        nameless.attributes = WireCoder.encode(
            PizzaDeliveryAttributes(numberOfPizzas: 2, totalAmount: "€24.00", orderNumber: " "))
        let document = PolicyDocument(
            texts: ["en": ["start.body": .plain("{order}"), "order": .plain("{number}")]],
            words: "keys")
        let keyed = try ActivityCatalog.standard.policy(
            ofKind: "PizzaDelivery", document, version: 1)
        let text = try #require(plan(nameless, policy: keyed)?.text())
        #expect(text.contains(#""body":"PizzaDelivery""#))
        #expect(text.contains(#""title":{"loc-key":"islet.PizzaDelivery.start.title"}"#))
    }

    @Test func `is not made for what has ended or could not be folded`() {
        #expect(plan(snapshot(phase: .ended)) == nil)
        #expect(plan(newest: decision(staleAt: 3_000, .end)) == nil)
        #expect(plan(snapshot(blockage: "odd")) == nil)
        var foreign = snapshot()
        foreign.kind = "Chess"
        #expect(plan(foreign) == nil)
    }

    @Test func `waits while a reported end may still be corrected`() throws {
        let moment = Moment(unixSeconds: 2_000)
        #expect(plan()?.hold(at: moment) == nil)
        var closing = snapshot()
        closing.state = Data(
            """
            {"lifetime":{"appearedAt":"1970-01-01T00:30:00Z","closing":{
            "endsAt":"1970-01-01T00:35:00Z","dismissAfterSeconds":900}}}
            """.utf8)
        let made = try #require(plan(closing))
        let endsAt = Moment(unixSeconds: 2_100)
        let hold = StartMachine.Hold(reason: "ending", until: endsAt)
        #expect(made.hold(at: moment) == hold)
        // The clock's event is on its way.
        let late = try #require(made.hold(at: endsAt))
        #expect(late.until > endsAt)
    }

    @Test func `waits in quiet hours for what is only planned, until they end or it begins`()
        throws
    {
        let policy = try Night().policy
        func hold(_ phase: Phase, plannedAt hour: Double?, at now: Double) -> StartMachine.Hold? {
            var planned = snapshot(phase: phase)
            let kickoff = hour.map { #","plannedStart":"\#(Night.time($0).rfc3339)""# } ?? ""
            planned.state = Data(
                #"{"lifetime":{"appearedAt":"2026-01-01T00:00:00Z"\#(kickoff)}}"#.utf8)
            return plan(planned, policy: policy, quietHours: policy.quietHours)?
                .hold(at: Night.time(now))
        }
        let morning = StartMachine.Hold(reason: "quiet-hours", until: Night.time(7))
        #expect(hold(.scheduled, plannedAt: 20, at: -1) == morning)
        #expect(hold(.scheduled, plannedAt: nil, at: 6) == morning)
        let kickoff = StartMachine.Hold(reason: "quiet-hours", until: Night.time(3))
        #expect(hold(.scheduled, plannedAt: 3, at: 0) == kickoff)
        #expect(hold(.scheduled, plannedAt: 3, at: 3) == nil)
        #expect(hold(.scheduled, plannedAt: 20, at: 7) == nil)
        #expect(hold(.live, plannedAt: nil, at: 3) == nil)
        // They were removed since the last report.
        let freed = plan(snapshot(phase: .scheduled), policy: policy)
        #expect(freed?.hold(at: Night.time(3)) == nil)
    }

    @Test func `is not made when attributes and state are too large together`() throws {
        let large = try #require(plan(snapshot(note: String(repeating: "x", count: 4_000))))
        #expect(large.message(osMajor: 18) == nil)
        let fits = try #require(plan(snapshot(note: String(repeating: "x", count: 3_500))))
        let message = try #require(fits.message(osMajor: 18))
        #expect(message.body.count <= 4_096)
    }
}

/// A kind that has none says the Lock Screen's.
@Test func `a kind with words for a card that appears has some in each of its languages`() {
    for kind in ActivityCatalog.standard.kinds where kind.texts[.standard]?["start.title"] != nil {
        for (language, texts) in kind.texts {
            #expect(texts["start.body"] != nil, "\(kind.name), \(language)")
        }
    }
}
