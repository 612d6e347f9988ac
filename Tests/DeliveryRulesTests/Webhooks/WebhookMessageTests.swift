import DeliveryRules
import Domain
import Foundation
import Testing

private let start = Moment(unixSeconds: 1_800_000_000)

private let snapshot = Snapshot(
    activityID: ActivityID(rawValue: "order \"1\""), kind: "Sample", version: 9, position: 90,
    phase: .live, state: Data("{}".utf8), attributes: Data(#"{"a":1.0}"#.utf8),
    contentState: Data(#"{"v":9}"#.utf8), updatedAt: start)

private func decision(
    _ version: Int64, _ verdict: Verdict = .timely, alert: String? = nil,
    alertContext: AlertContext? = nil, at seconds: Double = 0
) -> Decision {
    Decision(
        activityID: snapshot.activityID, version: version, position: version * 10,
        verdict: verdict, rule: "r", reason: "", alert: alert.map { Alert(title: "T", body: $0) },
        contentState: Data(#"{"v":\#(version)}"#.utf8),
        staleAt: start.adding(seconds: 3_600), relevanceScore: 50,
        decidedAt: start.adding(seconds: seconds), alertContext: alertContext)
}

private struct Body: Decodable {
    struct Contents: Decodable {
        struct State: Decodable { var v: Int }
        var activity: String
        var kind: String
        var phase: String
        var version: Int
        var contentState: State
        var alerts: [Alert]
        var staleAt: String?
        var relevanceScore: Double?
    }
    var type: String
    var timestamp: String
    var data: Contents
}

private func body(_ message: WebhookMessage?) throws -> Body {
    try JSONDecoder().decode(Body.self, from: Data(#require(message).body))
}

private func make(
    _ pending: [Decision], tried: Int64 = 0, since: Moment = start.adding(seconds: -60),
    now: Moment = start
) -> WebhookMessage? {
    .make(snapshot, pending: pending, tried: tried, since: since, now: now)
}

@Test func `a message about rejected tokens names their dead letters, and no token`() throws {
    func place(_ seconds: Double, _ id: Int64) -> RejectedToken.Place {
        .init(rejectedAt: start.adding(seconds: seconds), registrationID: id)
    }
    let token = RejectedToken(
        place: place(1.5, 17), activityID: ActivityID(rawValue: "order \"1\""),
        bundleID: "com.example.pizza", environment: .sandbox, reason: "BadDeviceToken",
        deadLetter: "push-17")
    let message = try #require(
        WebhookMessage.rejected([token], after: place(0, 4), upto: place(2, 18)))
    #expect(
        String(decoding: message.body, as: UTF8.self) == """
            {"type":"registration.rejected","timestamp":"2027-01-15T08:00:02Z","data":\
            {"registrations":[{"activity":"order \\"1\\"","bundleId":"com.example.pizza",\
            "environment":"sandbox","reason":"BadDeviceToken",\
            "rejectedAt":"2027-01-15T08:00:01.500Z","deadLetter":"push-17"}]}}
            """)
    let fewer = try #require(
        WebhookMessage.rejected([token, token], after: place(0, 4), upto: place(2, 18)))
    #expect(fewer.name == message.name)
    let later = try #require(
        WebhookMessage.rejected([token], after: place(0, 4), upto: place(2, 19)))
    #expect(later.name != message.name)
    #expect(WebhookMessage.rejected([], after: place(0, 4), upto: place(2, 18)) == nil)
}

@Test func `a message has the newest decision's state and all that is news`() throws {
    let body = try body(
        make([decision(5, .alert, alert: "driver"), decision(6), decision(7, .quiet)]))
    #expect(body.type == "activity.alert")
    #expect(body.timestamp == "2027-01-15T08:00:00Z")
    #expect(body.data.activity == "order \"1\"")
    #expect(body.data.phase == "live")
    #expect(body.data.version == 7)
    #expect(body.data.contentState.v == 7)
    #expect(body.data.alerts.map(\.body) == ["driver"])
    #expect(body.data.staleAt == "2027-01-15T09:00:00Z")
    #expect(body.data.relevanceScore == 50)
}

@Test func `without words it is an update, and an end is an end`() throws {
    #expect(try body(make([decision(5)])).type == "activity.updated")
    let ended = try body(
        make([decision(5, .alert, alert: "near"), decision(6, .end, alert: "done")]))
    #expect(ended.type == "activity.ended")
    #expect(ended.data.phase == "ended")
    #expect(ended.data.alerts.map(\.body) == ["done", "near"])
}

@Test func `what nobody is pushed is no message`() {
    #expect(make([]) == nil)
    #expect(make([decision(5, .hold)]) == nil)
    var restart = decision(6)
    restart.order = PushOrder()
    restart.order?.restarts = true
    #expect(make([restart]) == nil)
}

@Test func `words that are old, taken back, or of before the webhook are not said`() throws {
    let old = try body(make([decision(5, .alert, alert: "x")], now: start.adding(seconds: 601)))
    #expect(old.type == "activity.updated")
    let before = try body(
        make([decision(5, .alert, alert: "x")], since: start.adding(seconds: 1)))
    #expect(before.data.alerts.isEmpty)
    let goal = decision(5, .alert, alert: "goal", alertContext: AlertContext(subject: "goal-1"))
    let undone = decision(
        6, .alert, alert: "no goal",
        alertContext: AlertContext(withdrawing: ["goal-1"], isCorrection: true)
    )
    #expect(try body(make([goal, undone])).data.alerts.isEmpty)
    // A receiver that may have heard of the goal hears that it does not count.
    #expect(try body(make([goal, undone], tried: 5)).data.alerts.map(\.body) == ["no goal"])
}

@Test func `the same message has the same bytes whenever it is made`() {
    let pending = [decision(5, .alert, alert: "x")]
    #expect(make(pending) == make(pending, now: start.adding(seconds: 30)))
}

@Test func `what says something else since an erasure has a name of its own`() throws {
    let told = decision(5, .alert, alert: "Ada")
    var erased = decision(5, .alert, alert: "erased-1")
    erased.contentState = Data(#"{"v":55}"#.utf8)
    func message(_ decision: Decision, _ known: Int64, erasedAt seconds: Double) throws
        -> WebhookMessage
    {
        try #require(
            WebhookMessage.make(
                snapshot, pending: [decision], known: known, since: start.adding(seconds: -60),
                now: start, erasedAt: start.adding(seconds: seconds)))
    }
    let before = try #require(make([told]))
    let anew = try message(erased, 5, erasedAt: 1)
    #expect(anew.event == .updated)
    #expect(try body(anew).data.alerts.isEmpty)
    #expect(anew.name.hasPrefix(before.name) && anew.name != before.name)
    #expect(try message(erased, 5, erasedAt: 2) == anew)
    // Who may not have had the words gets them, by another name than who only had the state again.
    let late = try message(erased, 4, erasedAt: 1)
    #expect(late.event == .alert && late.name != anew.name && late.name != before.name)
    #expect(try message(erased, 4, erasedAt: 2) == late)
    // What was decided after the erasure never said anything else.
    #expect(try message(told, 0, erasedAt: -1) == before)
}

@Test func `a test says nothing of any activity`() {
    let message = WebhookMessage.test(now: start)
    #expect(
        String(decoding: message.body, as: UTF8.self)
            == #"{"type":"webhook.test","timestamp":"2027-01-15T08:00:00Z","data":{}}"#)
}

/// What a webhook for these kinds and phases gets of the sample, a live activity of version 9.
private func message(
    kinds: [String] = [], phases: [Phase] = [], _ pending: [Decision], known: Int64 = 0,
    sentAhead: Int64 = 0, erasedAt: Moment? = nil
) -> WebhookMessage? {
    Webhook(
        tenant: TenantID(rawValue: 1), id: "wh_1", url: "https://shop.example/hook",
        kinds: kinds, phases: phases, createdAt: start.adding(seconds: -60)
    ).message(
        about: snapshot, pending: pending, tried: 0, known: known, sentAhead: sentAhead,
        now: start, epoch: nil, erasedAt: erasedAt)
}

@Test func `a webhook gets only kinds and phases that it wants`() {
    let alert = decision(9, .alert, alert: "goal")
    #expect(message([alert])?.event == .alert)
    #expect(message(kinds: ["Sample"], phases: [.live], [alert])?.event == .alert)
    #expect(message(kinds: ["Match"], [alert]) == nil)
    #expect(message(phases: [.scheduled, .ended], [alert]) == nil)
}

@Test func `what was sent ahead of a webhook's place is not sent again`() {
    let changes = [decision(8, .alert, alert: "first"), decision(9, .alert, alert: "second")]
    #expect(message(changes, sentAhead: 9) == nil)
    #expect(message([changes[0]], sentAhead: 8) == nil)
    #expect(message(changes, sentAhead: 8)?.version == 9)
    // Up to the known version the state is sent again, as after an erasure.
    #expect(message(changes, known: 9, sentAhead: 9)?.event == .updated)
}

@Test func `an erasure reaches a webhook of another phase, and says nothing new`() throws {
    let alert = decision(9, .alert, alert: "goal", at: -1)
    let erased = message(phases: [.scheduled], [alert], erasedAt: start)
    #expect(try #require(erased).event == .updated)
    #expect(try body(erased).data.alerts.isEmpty)
    #expect(message(kinds: ["Match"], [alert], erasedAt: start) == nil)
}
