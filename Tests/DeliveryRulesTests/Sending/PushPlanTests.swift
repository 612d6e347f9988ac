import APNs
import DeliveryRules
import Domain
import Foundation
import Testing

private let now = Moment(unixSeconds: 2_000)

private func decision(
    _ version: Int64, _ verdict: Verdict, alert: String? = nil, decidedAt: Int64 = 1_990,
    staleAt: Int64 = 3_000
) -> Decision {
    Decision(
        activityID: ActivityID(rawValue: "m"), version: version, position: version,
        verdict: verdict, rule: "rule", reason: "because",
        alert: alert.map { Alert(title: "T\(version)", body: $0) },
        contentState: Data("{\"v\":\(version)}".utf8), staleAt: Moment(unixSeconds: staleAt),
        dismissAt: verdict == .end ? Moment(unixSeconds: 4_000) : nil,
        decidedAt: Moment(unixSeconds: decidedAt))
}

private func plan(
    _ pending: [Decision], upcoming: Decision? = nil, lastCompleted: Decision? = nil,
    phase: Phase = .live, version: Int64 = 9
) -> PushPlan {
    let empty = Data("{}".utf8)
    return PushPlan.make(
        snapshot: Snapshot(
            activityID: ActivityID(rawValue: "m"), kind: "Match", version: version,
            position: version, phase: phase, state: empty, attributes: empty,
            contentState: Data("{\"v\":\(version)}".utf8), updatedAt: now),
        pending: pending, upcoming: upcoming, lastCompleted: lastCompleted, timestamp: 2_000)
}

extension PushPlan {
    fileprivate var text: String { text(missed: []) }
    fileprivate var priority: APNsRequest.Priority? { message()?.priority }

    fileprivate func text(missed: [Decision]) -> String {
        String(decoding: message(missed: missed)?.body ?? [], as: UTF8.self)
    }
}

struct `A push plan` {
    @Test func `carries the newest state, not that of the decision it completes`() {
        #expect(plan([decision(3, .quiet)]).text.contains(#""content-state":{"v":9}"#))
    }

    @Test func `alerts at priority 10 and updates quietly at 5`() {
        #expect(plan([decision(3, .alert, alert: "goal")]).priority == .immediate)
        #expect(plan([decision(3, .timely)]).priority == .immediate)
        #expect(plan([decision(3, .quiet)]).priority == .conserving)
    }

    @Test func `joins alerts that piled up, the newest first, and loses none silently`() {
        let text = plan([
            decision(1, .alert, alert: "first"), decision(2, .quiet),
            decision(3, .alert, alert: "second"), decision(4, .alert, alert: "third"),
        ]).text
        #expect(text.contains(#""title":"T4","body":"third · second · +1""#))
    }

    @Test func `keeps priority 10 when a quiet change follows an alert before the push`() {
        let merged = plan([decision(1, .alert, alert: "goal"), decision(2, .quiet)])
        #expect(merged.priority == .immediate)
        #expect(merged.text.contains("goal"))
    }

    @Test func `ends an ended activity with its dismissal date and without a stale date`() {
        let text = plan([decision(9, .end, alert: "full time")], phase: .ended).text
        #expect(text.contains(#""event":"end""#))
        #expect(text.contains(#""dismissal-date":4000"#))
        #expect(!text.contains("stale-date"))
    }

    @Test func `is kept for a phone that is away until something newer comes, or to the last`() {
        let hour: Int64 = 3600
        #expect(plan([decision(3, .alert, alert: "goal")]).expiration == 2_000 + hour)
        let end = plan([decision(9, .end, alert: "full time")], phase: .ended)
        #expect(end.expiration == 2_000 + 8 * hour)
        // A phone that registers after the end, or missed it.
        let owed = plan([], lastCompleted: decision(9, .end), phase: .ended)
        #expect(owed.expiration == 2_000 + 8 * hour)
        let early = plan([decision(8, .alert, alert: "goal")], phase: .ended)
        #expect(early.expiration == 2_000 + hour)
    }

    @Test func `does not end an activity before the words of its end are there`() {
        let text = plan([decision(8, .alert, alert: "goal")], phase: .ended).text
        #expect(text.contains(#""event":"update""#))
        #expect(!text.contains("dismissal-date"))
    }

    @Test func `brings owed phones up to date without words, unless they missed some`() {
        let goal = decision(8, .alert, alert: "goal")
        let caughtUp = plan([], lastCompleted: goal)
        #expect(caughtUp.receivers == .owed)
        #expect(!caughtUp.text.contains("alert"))
        #expect(caughtUp.priority == .conserving)
        #expect(caughtUp.text(missed: [goal]).contains("goal"))
        #expect(caughtUp.message(missed: [goal])?.priority == .immediate)
    }

    @Test func `brings owed phones a state early, and leaves its words for their time`() {
        let waiting = decision(9, .alert, alert: "goal", staleAt: 5_000)
        let early = plan([], upcoming: waiting, lastCompleted: decision(8, .quiet))
        #expect(early.receivers == .owed)
        #expect(early.version == 8)
        #expect(early.priority == .conserving)
        #expect(early.text.contains(#""content-state":{"v":9}"#))
        #expect(early.text.contains(#""stale-date":5000"#))
        #expect(!early.text.contains("goal"))
        let ending = plan(
            [], upcoming: decision(9, .end), lastCompleted: decision(8, .quiet), phase: .ended)
        #expect(ending.text.contains(#""event":"update""#))
    }

    @Test func `tells a phone what it missed together with what is new`() {
        let merged = plan([decision(9, .quiet)], lastCompleted: decision(8, .alert, alert: "goal"))
        #expect(!merged.text.contains("goal"))
        #expect(merged.text(missed: [decision(8, .alert, alert: "goal")]).contains("goal"))
        let both = plan([decision(9, .alert, alert: "second")])
        #expect(
            both.text(missed: [decision(8, .alert, alert: "first")])
                .contains(#""title":"T9","body":"second · first""#))
    }

    @Test func `does not repeat an alert that is old news or older than the registration`() {
        let goal = decision(8, .alert, alert: "goal", decidedAt: 1_400)
        let before = Moment(unixSeconds: 1_399)
        #expect(PushPlan.isNews(goal, now: now, registeredAt: before))
        #expect(!PushPlan.isNews(goal, now: now.adding(seconds: 1), registeredAt: before))
        #expect(!PushPlan.isNews(goal, now: now, registeredAt: now))
        #expect(!PushPlan.isNews(decision(8, .timely), now: now, registeredAt: before))
    }

    @Test func `works for a phone that registers before anything was decided`() {
        let first = plan([])
        #expect(first.receivers == .owed)
        #expect(first.text.contains(#""event":"update""#))
    }
}

struct `An alert by keys` {
    private func keyed(_ version: Int64, _ body: String, bytes: Int = 1) -> Decision {
        var decision = decision(version, .alert, alert: body)
        let argument = String(repeating: "x", count: bytes)
        decision.alert?.keys = Alert.Keys(
            title: .key("T\(version)", arguments: []),
            body: .key("B\(version)", arguments: [argument]))
        return decision
    }

    @Test func `goes out nested, with its arguments`() {
        let text = plan([keyed(3, "goal")]).text
        #expect(
            text.contains(
                #""alert":{"title":{"loc-key":"T3"},"body":{"loc-key":"B3","loc-args":["x"]},"#))
    }

    @Test func `is the only one to be named when several go together`() {
        let text = plan([keyed(3, "goal"), keyed(4, "second")]).text
        #expect(text.contains(#""loc-key":"B4""#))
        #expect(!text.contains("B3") && !text.contains("goal"))
    }

    @Test func `is said in words when its arguments have no room`() {
        let text = plan([keyed(3, "goal", bytes: 4096)]).text
        #expect(text.contains(#""title":"T3","body":"goal""#))
    }
}

struct `A message for a phone` {
    private func plan(_ order: PushOrder) -> PushPlan {
        let empty = Data("{}".utf8)
        var alerting = decision(3, .alert, alert: "Ada")
        alerting.alert?.translations = [
            Language("de"): Alert.Text(title: "Fahrer", body: "Ada kommt"),
            Language("pt-BR"): Alert.Text(title: "Motorista", body: "Ada vem"),
        ]
        alerting.order = order
        return PushPlan.make(
            snapshot: Snapshot(
                activityID: ActivityID(rawValue: "a"), kind: "PizzaDelivery", version: 3,
                position: 3, phase: .live, state: empty, attributes: empty, contentState: empty,
                updatedAt: Moment(unixSeconds: 2_000)),
            pending: [alerting], lastCompleted: nil, timestamp: 2_000)
    }

    @Test func `is said in its language, or else in the standard one`() throws {
        let plan = plan(PushOrder(isImmediate: true))
        #expect(plan.languages == [.standard, Language("de"), Language("pt-BR")])
        let bodies = [.standard, Language("de"), Language("pt-BR"), Language("fr")].map {
            String(decoding: plan.message(language: $0)?.body ?? [], as: UTF8.self)
        }
        let words = ["Ada", "Ada kommt", "Ada vem", "Ada"]
        for (body, word) in zip(bodies, words) { #expect(body.contains(#""body":"\#(word)""#)) }
    }

    @Test func `has the priority that the budget of its sort of phone allows`() {
        let plan = plan(PushOrder(isImmediateForFrequent: true, treatment: .lowered))
        #expect(plan.message(tier: .standard)?.priority == .conserving)
        #expect(plan.message(tier: .frequent)?.priority == .immediate)
    }
}
