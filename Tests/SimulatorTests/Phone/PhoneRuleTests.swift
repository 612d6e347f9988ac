import Domain
import Foundation
import HTTP
import Testing

@testable import Simulator

/// Budgets, older systems and older builds of the app.
struct PhoneRuleTests {
    private func push(
        _ apple: inout Apple, slices: Int, priority: String? = "10"
    ) -> PhoneLogEntry.Outcome? {
        apple.now = apple.now.adding(seconds: 1)
        let request = apple.request(
            ["apns-priority": priority], body: apple.update(slices: slices))
        #expect(apple.send(request).status == 200, "the sender is not told")
        return apple.world.phones[0].log.last?.outcome
    }

    @Test(arguments: ["10", nil])
    func `updates at priority 10 are throttled when their budget is used up`(
        priority: String?
    ) throws {
        var apple = try Apple()
        for slices in 1...15 {
            #expect(push(&apple, slices: slices, priority: priority) == .shown)
        }
        #expect(push(&apple, slices: 16, priority: priority) == .throttled)
        #expect(apple.slices == "15 slices")
        #expect(push(&apple, slices: 17, priority: "5") == .shown)
        apple.now = apple.now.adding(seconds: 240)
        #expect(push(&apple, slices: 18, priority: priority) == .shown)
        #expect(push(&apple, slices: 19, priority: priority) == .throttled)
        let sentence = apple.world.phones[0].log.last?.sentence
        #expect(
            sentence
                == "the budget of 15 updates at priority 10 and one more each 240 s is used up")
    }

    @Test func `a phone that allows frequent updates shows many more`() throws {
        var apple = try Apple()
        let phone = apple.world.phones[0].id
        #expect(
            try apple.world.setFrequentUpdates(true, on: phone, now: apple.now)
                .map(\.entry.outcome) == [.ended], "what runs ends")
        let start = ActivityStart(kind: "Pie", activity: ActivityID(rawValue: "order-2"))
        let started = try apple.world.start(start, on: phone, now: apple.now)
        let token = try #require(started.token)
        var shown = 0
        for slices in 1...260 {
            apple.now = apple.now.adding(seconds: 0.5)
            let body = apple.aps(
                #""content-state":{"slices":\#(slices)}"#,
                timestamp: Apple.start.unixSeconds + Int64(slices))
            let events = try apple.push(body, to: token)
            shown += events.count { $0.entry.outcome == .shown }
        }
        #expect(shown == 248, "240, and one more each 15 seconds")
    }

    @Test func `a broadcast at priority 10 is charged too`() throws {
        var sender = try Broadcaster()
        let phone = try sender.addListener("Ann")
        for slices in 1...16 {
            sender.apple.now = sender.apple.now.adding(seconds: 1)
            _ = try sender.push(sender.apple.update(slices: slices))
        }
        #expect(sender.slices(on: phone) == "15 slices")
        #expect(sender.apple.world.phone(phone)?.log.last?.outcome == .throttled)
    }

    @Test func `a budget may be switched off`() throws {
        var rules = PhoneRules()
        rules.updates = nil
        var apple = try Apple(rules: rules)
        for slices in 1...100 { #expect(push(&apple, slices: slices) == .shown) }
    }

    private func phone(
        _ system: IOSVersion, older: [String: OlderState] = [:], startsAt: Moment? = nil
    ) throws -> (apple: Apple, phone: PhoneID, token: PushToken) {
        var apple = try Apple()
        let start = ActivityStart(
            kind: "Pie", activity: ActivityID(rawValue: "order-2"), startsAt: startsAt)
        let added = try apple.world.addPhone(
            named: "Bea", with: PhoneTraits(system: system, older: older), starting: start,
            now: apple.now)
        return (apple, added.id, try #require(added.token))
    }

    @Test func `Live Activities exist from iOS 16 point 1 on`() throws {
        #expect(throws: SimulatorError.systemTooOld("Live Activities exist from iOS 16.1 on")) {
            _ = try phone(IOSVersion(16, 0))
        }
        _ = try phone(IOSVersion(16, 1))
    }

    @Test(arguments: [(IOSVersion(16, 1), false), (IOSVersion(16, 2), true)])
    func `stale dates count from iOS 16 point 2 on`(system: IOSVersion, isStale: Bool) throws {
        var (apple, id, token) = try phone(system)
        let staleAt = apple.now.unixSeconds + 60
        let events = try apple.push(
            apple.aps(#""content-state":{"slices":1},"stale-date":\#(staleAt)"#), to: token)
        #expect(events.first?.entry.warnings.isEmpty == isStale)
        _ = apple.world.settle(at: apple.now.adding(seconds: 61))
        #expect(apple.world.phone(id)?.cards[0].phase == (isStale ? .stale : .active))
    }

    @Test func `nobody can allow frequent updates before iOS 16 point 2`() throws {
        var (apple, id, _) = try phone(IOSVersion(16, 1))
        #expect(throws: SimulatorError.self) {
            try apple.world.setFrequentUpdates(true, on: id, now: apple.now)
        }
    }

    @Test func `apps plan activities from iOS 26 on`() throws {
        let startsAt = Apple.start.adding(seconds: 60)
        #expect(throws: SimulatorError.systemTooOld("apps plan activities from iOS 26 on")) {
            _ = try phone(IOSVersion(18, 6), startsAt: startsAt)
        }
        var (apple, id, token) = try phone(IOSVersion(26, 0), startsAt: startsAt)
        #expect(apple.world.phone(id)?.cards[0].phase == .pending)
        #expect(apple.world.phone(id)?.cards[0].presentation == nil)
        let early = try apple.push(apple.update(slices: 1), to: token)
        #expect(early.map(\.ignoredReason) == ["the activity has not begun yet"])
        apple.now = startsAt
        let begun = apple.world.settle(at: apple.now)
        #expect(begun.map(\.entry.sentence) == ["the system began it as planned"])
        _ = try apple.push(apple.update(slices: 2), to: token)
        #expect(apple.world.phone(id)?.cards[0].presentation?.pie == "2 slices")
        // Its eight hours count from its beginning.
        _ = apple.world.settle(at: startsAt.adding(seconds: 8 * 3600 - 1))
        #expect(apple.world.phone(id)?.cards[0].phase == .active)
    }

    @Test func `planned activities count among those that an app may have`() throws {
        var rules = PhoneRules()
        rules.activitiesMax = 2
        var apple = try Apple(rules: rules)
        let phone = try apple.world.addPhone(
            named: "Bea", with: PhoneTraits(system: IOSVersion(26, 0)))
        func start(_ name: String) throws {
            let start = ActivityStart(
                kind: "Pie", activity: ActivityID(rawValue: name),
                startsAt: apple.now.adding(seconds: 3600))
            _ = try apple.world.start(start, on: phone, now: apple.now)
        }
        try start("1")
        try start("2")
        #expect(throws: SimulatorError.activityRefused("targetMaximumExceeded")) {
            try start("3")
        }
    }

    @Test(arguments: [
        (#"{"slices":1}"#, "due is missing"),
        (#"{"slices":1,"due":null}"#, "due is missing"),
        (#"{"slices":1,"due":7,"stage":{"road":{}}}"#, "stage is not a value that its type knows"),
        (#"{"slices":1,"due":7,"stage":{"oven":{}}}"#, nil),
        (#"{"slices":1,"due":7}"#, nil),
    ])
    func `what an older build does not decode is silent to the sender and named in the log`(
        state: String, failure: String?
    ) throws {
        let older = OlderState(required: ["due"], cases: ["stage": ["oven"]])
        var (apple, id, token) = try phone(IOSVersion(18, 0), older: ["Pie": older])
        let events = try apple.push(apple.aps(#""content-state":\#(state)"#), to: token)
        #expect(
            events.map(\.ignoredReason)
                == [failure.map { "content-state does not decode: \($0)" }])
        let slices = apple.world.phone(id)?.cards[0].presentation?.pie
        #expect(slices == (failure == nil ? "1 slices" : "0 slices"))
        // Other phones have today's build.
        #expect(try apple.push(apple.aps(#""content-state":{"slices":4}"#)).first?.phase == .active)
        #expect(apple.slices == "4 slices")
    }

    @Test func `an older build does not begin what it does not decode`() throws {
        let older = OlderState(required: ["due"])
        var starter = try Starter(PhoneTraits(older: ["Pie": older]))
        let events = try starter.push(starter.body())
        #expect(events.map(\.ignoredReason) == ["the start does not decode: due is missing"])
        let state = #"{"slices":3,"due":7}"#
        #expect(try starter.push(starter.body(["content-state": state])).first?.phase == .active)
    }

    @Test func `a broadcast's 5 KB do not lift the 4 KB of attributes and state`() throws {
        let (apple, kind) = (try Apple(), CardKind(Pie.self))
        var phone = PhoneMachine(id: PhoneID(rawValue: "phone"), name: "Ann", environment: .sandbox)
        _ = try phone.start(
            ActivityStart(kind: kind.name, activity: ActivityID(rawValue: "final")),
            kind: kind, from: .channel("YQ=="), now: apple.now)
        let wide = String(repeating: "x", count: 4090)
        let update = apple.aps(#""content-state":{"slices":7,"wide":"\#(wide)"}"#)
        var push = ReadPush(Array(update.utf8))
        let events = phone.receive(&push, channel: "YQ==", priority: 5, now: apple.now)
        let reason = events.first?.ignoredReason
        #expect(reason?.hasPrefix("attributes and content-state have 41") == true)
    }
}
