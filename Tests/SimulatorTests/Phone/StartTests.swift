import Domain
import Foundation
import HTTP
import Testing

@testable import Simulator

/// What an iPhone does with pushes for its push-to-start tokens.
struct StartTests {
    @Test func `a start makes a card, alerts and wakes the app, which gets the update token`()
        throws
    {
        var starter = try Starter()
        #expect(starter.token.hex.utf8.count == 160)
        let events = try starter.push(starter.body(["relevance-score": "50"]))
        #expect(events.map(\.entry.outcome) == [.started, .obtainedToken])
        #expect(events.map(\.presentation?.pie) == ["3 slices", "3 slices"])
        #expect(events.map(\.alert?.title) == ["A pie", nil])
        #expect(events.map(\.kind) == ["Pie", "Pie"])
        #expect(events.first?.entry.warnings == [])
        #expect(Set(events.map(\.entry.activity)).count == 1)
        let attributes = events.compactMap(\.attributes).map { String(decoding: $0, as: UTF8.self) }
        #expect(attributes == [#"{"order":"A 1"}"#, #"{"order":"A 1"}"#])
        let token = try #require(events.last?.updateToken)
        #expect(token != starter.token)
        let card = try #require(starter.machine.cards.first)
        #expect(card.token == token)
        #expect(card.alertCount == 1)
        #expect(card.relevanceScore == 50)
        starter.apple.now = starter.apple.now.adding(seconds: 2)
        _ = try starter.push(starter.apple.update(slices: 5), to: token)
        #expect(starter.machine.cards.map(\.presentation?.pie) == ["5 slices"])
    }

    @Test func `a card is ordered by the timestamp of its start`() throws {
        var starter = try Starter()
        let token = try #require(try starter.push(starter.body()).last?.updateToken)
        let events = try starter.push(starter.apple.update(slices: 5), to: token)
        #expect(events.map(\.entry.outcome) == [.outdated])
    }

    struct Flaw: CustomTestStringConvertible, Sendable {
        var changes: [String: String?]
        var reason: String

        var testDescription: String { "\(changes): \(reason)" }

        init(_ name: String, _ value: String?, _ reason: String) {
            changes = [name: value]
            self.reason = reason
        }
    }

    static let needsAlert = "a start needs an alert with a title and a body"
    static let flaws = [
        Flaw("timestamp", nil, "aps.timestamp is missing or not a number of Unix seconds"),
        Flaw("timestamp", "1167225600", "timestamp is 600000000 s in the past, too old"),
        Flaw("timestamp", "1767254401", "timestamp is more than 8 hours ahead"),
        Flaw("event", #""Start""#, "aps.event is neither start, update nor end"),
        Flaw("event", #""update""#, "event update goes to the update token of a card, not to a"),
        Flaw("event", #""end""#, "event end goes to the update token of a card, not to a"),
        Flaw("attributes-type", nil, "aps.attributes-type is missing or not a string"),
        Flaw("attributes-type", "7", "aps.attributes-type is missing or not a string"),
        Flaw("attributes-type", #""Pie""#, "aps.attributes-type is not PieAttributes"),
        Flaw("attributes-type", #""App.PieAttributes""#, "aps.attributes-type is not Pie"),
        Flaw("attributes", nil, "the start does not decode: attributes is missing"),
        Flaw("attributes", "{}", "the start does not decode: attributes.order is missing"),
        Flaw("attributes", #"{"order":1}"#, "the start does not decode: attributes.order is not"),
        Flaw("content-state", nil, "the start does not decode: content-state is missing"),
        Flaw("content-state", "{}", "the start does not decode: content-state.slices is missing"),
        Flaw(
            "content-state", #"{"slices":"3"}"#, "the start does not decode: content-state.slices"),
        Flaw("alert", nil, needsAlert),
        Flaw("alert", "{}", needsAlert),
        Flaw("alert", #"{"title":"A"}"#, needsAlert),
        Flaw("alert", #"{"title":"A","body":""}"#, needsAlert),
        Flaw("alert", #"{"title":"","body":"B"}"#, needsAlert),
        Flaw("alert", #""Pie!""#, needsAlert),
        Flaw("input-push-token", "true", "input-push-token is not the number 1"),
        Flaw("input-push-token", "0", "input-push-token is not the number 1"),
        Flaw("input-push-channel", "1", "input-push-channel is not a string"),
        Flaw("input-push-channel", #""dGhlcmUgaXMgbm9uZQ==""#, "input-push-channel names no chan"),
    ]

    @Test(arguments: flaws)
    func `a start that is not in order is answered 200, and nothing appears`(flaw: Flaw) throws {
        var starter = try Starter()
        let events = try starter.push(starter.body(flaw.changes))
        #expect(events.count == 1)
        let reason = events.first?.ignoredReason ?? "none"
        #expect(reason.hasPrefix(flaw.reason), "\(reason)")
        #expect(events.first?.phase == nil)
        #expect(starter.machine.cards.isEmpty)
        #expect(starter.machine.log.map(\.outcome) == [.ignored])
    }

    @Test func `a body that is no JSON starts nothing`() throws {
        var starter = try Starter()
        #expect(
            try starter.push("start").map(\.ignoredReason)
                == ["the body is not a JSON object with an aps dictionary"])
    }

    @Test func `attributes and state of more than 4 KB together start nothing`() throws {
        var starter = try Starter()
        var machine = starter.machine
        // APNs lets no body through that is large enough; the phone has a limit of its own.
        let order = String(repeating: "a", count: 4_090)
        let push = StartPush(
            body: Array(starter.body(["attributes": #"{"order":"\#(order)"}"#]).utf8),
            kind: CardKind(Pie.self), activity: ActivityID(rawValue: "a"), token: starter.token)
        let events = machine.receive(push, hasChannel: { _ in false }, now: starter.apple.now)
        #expect(
            events.map(\.ignoredReason)
                == ["attributes and content-state have 4114 bytes together"])
        #expect(machine.cards.isEmpty)
        starter.apple.now = starter.apple.now.adding(seconds: 1)
        #expect(try starter.push(starter.body()).first?.ignoredReason == nil)
    }

    @Test func `every start makes another card`() throws {
        var starter = try Starter()
        let body = starter.body()
        let first = try starter.push(body)
        let second = try starter.push(body)
        #expect(starter.machine.cards.count == 2)
        #expect(first.last?.updateToken != second.last?.updateToken)
        #expect(first.first?.entry.activity != second.first?.entry.activity)
    }

    @Test func `a stale date that has passed makes a card that nobody sees`() throws {
        var starter = try Starter()
        let now = starter.apple.now
        let events = try starter.push(starter.body(["stale-date": "\(now.unixSeconds)"]))
        #expect(events.map(\.phase) == [.stale, .stale])
        #expect(events.map(\.presentation) == [nil, nil])
        #expect(events.map(\.alert) == [nil, nil])
        #expect(
            events.first?.entry.warnings
                == ["stale-date has passed at the start, so the card is never shown"])
        let token = try #require(events.last?.updateToken)
        starter.apple.now = now.adding(seconds: 5)
        let update = try starter.push(starter.apple.update(slices: 5), to: token)
        #expect(
            update.map(\.ignoredReason) == ["the card was stale at its start and is never shown"])
        let later = try starter.push(
            starter.body(["stale-date": "\(starter.apple.now.unixSeconds + 60)"]))
        #expect(later.map(\.presentation?.pie) == ["3 slices", "3 slices"])
    }

    @Test(arguments: ["input-push-token", "input-push-channel"])
    func `asking iOS 17 for where pushes come from makes the start fail`(name: String) throws {
        var old = try Starter(PhoneTraits(system: IOSVersion(17, 6)))
        let value = name == "input-push-token" ? "1" : #""dGhlcmUgaXMgbm9uZQ==""#
        let refused = try old.push(old.body([name: value]))
        #expect(
            refused.map(\.ignoredReason)
                == ["iOS 17.6 cannot start with input-push-token or -channel"])
        #expect(old.machine.cards.isEmpty)
        #expect(try old.push(old.body()).last?.updateToken != nil)
    }

    @Test func `iOS 18 takes input-push-token, and not both`() throws {
        var starter = try Starter()
        let both = starter.body(["input-push-token": "1", "input-push-channel": #""YQ==""#])
        #expect(
            try starter.push(both).map(\.ignoredReason)
                == ["input-push-token and input-push-channel exclude each other"])
        #expect(try starter.push(starter.body(["input-push-token": "1"])).last?.updateToken != nil)
    }

    @Test func `the app of a killed phone never gets the update token`() throws {
        var starter = try Starter(PhoneTraits(isAppKilled: true))
        let events = try starter.push(starter.body())
        #expect(events.map(\.entry.outcome) == [.started])
        #expect(events.map(\.updateToken) == [nil])
        #expect(starter.machine.cards.map(\.presentation?.pie) == ["3 slices"])
    }

    @Test func `the budget of starts is by itself, and comes back with time`() throws {
        var rules = PhoneRules()
        rules.activitiesMax = 100
        var starter = try Starter(rules: rules)
        func outcomes(_ count: Int) throws -> Int {
            try (0..<count).count { _ in
                try starter.push(starter.body()).first?.entry.outcome == .started
            }
        }
        #expect(try outcomes(12) == 10)
        #expect(
            starter.machine.log.last?.sentence == "the budget of 10 starts in 900 s is used up")
        let token = try #require(starter.machine.cards.first?.token)
        starter.apple.now = starter.apple.now.adding(seconds: 899)
        #expect(try outcomes(1) == 0)
        _ = try starter.push(starter.apple.update(slices: 5), to: token)
        #expect(starter.machine.cards.first?.presentation?.pie == "5 slices")
        starter.apple.now = starter.apple.now.adding(seconds: 1)
        #expect(try outcomes(11) == 10)
    }

    @Test func `starts that come to nothing use up the budget too`() throws {
        var starter = try Starter()
        for _ in 0..<10 { _ = try starter.push(starter.body(["alert": nil])) }
        let events = try starter.push(starter.body())
        #expect(events.first?.ignoredReason == "the budget of 10 starts in 900 s is used up")
    }

    @Test func `an app has room for five activities at once`() throws {
        var starter = try Starter()
        var tokens: [PushToken] = []
        for _ in 0..<5 { tokens += try starter.push(starter.body()).compactMap(\.updateToken) }
        let full = "the app has 5 activities already (targetMaximumExceeded)"
        #expect(try starter.push(starter.body()).map(\.ignoredReason) == [full])
        let own = ActivityStart(kind: "Pie", activity: ActivityID(rawValue: "order-9"))
        #expect(throws: SimulatorError.activityRefused("targetMaximumExceeded")) {
            try starter.apple.world.start(own, on: starter.phone, now: starter.apple.now)
        }
        starter.apple.now = starter.apple.now.adding(seconds: 1)
        let end = starter.apple.aps(#""relevance-score":1"#, event: "end")
        let first = try #require(tokens.first)
        _ = try starter.push(end, to: first)
        #expect(try starter.push(starter.body()).map(\.ignoredReason) == [nil, nil])
    }

    @Test func `a push-to-start token rotates, and the old one leads nowhere`() throws {
        var starter = try Starter()
        let (old, fresh) = try starter.apple.world.rotateStartToken(for: "Pie", on: starter.phone)
        #expect(old == starter.token)
        #expect(try starter.apple.world.startToken(for: "Pie", on: starter.phone) == fresh)
        #expect(try starter.push(starter.body()).isEmpty, "answered 200 all the same")
        #expect(try starter.push(starter.body(), to: fresh).count == 2)
        #expect(starter.machine.cards.count == 1)
    }

    @Test func `push-to-start tokens die with the app, and exist from iOS 17 point 2 on`() throws {
        var starter = try Starter(PhoneTraits(system: IOSVersion(17, 2)))
        try starter.apple.world.killTokens(
            of: starter.phone, .unregistered, now: starter.apple.now)
        #expect(throws: Refused.self) { try starter.push(starter.body()) }
        let old = try starter.apple.world.addPhone(
            named: "Old", with: PhoneTraits(system: IOSVersion(17, 1)))
        #expect(
            throws: SimulatorError.systemTooOld("push-to-start tokens exist from iOS 17.2 on")
        ) {
            try starter.apple.world.startToken(for: "Pie", on: old)
        }
    }

    @Test(arguments: [
        ("18", IOSVersion(18, 0)), ("17.2", IOSVersion(17, 2)), ("", nil), ("17.", nil),
        ("17.2.1", nil), ("-1", nil), ("new", nil),
    ])
    func `a version is read as it is written`(text: String, version: IOSVersion?) {
        #expect(IOSVersion(rawValue: text) == version)
    }

    @Test func `versions are ordered by number`() {
        #expect(IOSVersion(17, 10) > .withStartTokens)
        #expect(IOSVersion(17, 1) < .withStartTokens)
        #expect(IOSVersion(26, 0) > .withChannels)
    }
}
