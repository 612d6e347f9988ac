import Domain
import Foundation
import HTTP
import Testing

@testable import Simulator

/// What an iPhone does with pushes that APNs has answered 200.
struct PhoneTests {
    @Test func `an update is shown and logged`() throws {
        var apple = try Apple()
        let events = try apple.push(apple.update(slices: 3))
        #expect(apple.slices == "3 slices")
        #expect(events.map(\.presentation?.pie) == ["3 slices"])
        #expect(events.map(\.ignoredReason) == [nil])
        #expect(apple.world.phones[0].log.map(\.outcome) == [.started, .shown])
        #expect(apple.world.phones[0].log.last?.sentence == "shown quietly")
        #expect(apple.world.phones[0].log.last?.warnings == [])
    }

    @Test func `events instead of event is ignored, and the log says why`() throws {
        var apple = try Apple()
        let body =
            #"{"aps":{"timestamp":1767225600,"events":"update","content-state":{"slices":3}}}"#
        let events = try apple.push(body)
        #expect(events.map(\.ignoredReason) == ["aps has events where event belongs"])
        #expect(apple.slices == "0 slices")
    }

    @Test(arguments: [
        ("", "the body is not a JSON object with an aps dictionary"),
        ("[1]", "the body is not a JSON object with an aps dictionary"),
        (#"{"aps":7}"#, "the body is not a JSON object with an aps dictionary"),
        (#"{"event":"update"}"#, "the body is not a JSON object with an aps dictionary"),
        (#"{"aps":{}}"#, "aps has no event, or not a string"),
        (#"{"aps":{"event":1}}"#, "aps has no event, or not a string"),
        (#"{"aps":{"event":"Update"}}"#, "aps.event is neither start, update nor end"),
        (
            #"{"aps":{"event":"update"}}"#,
            "aps.timestamp is missing or not a number of Unix seconds"
        ),
        (
            #"{"aps":{"event":"update","timestamp":"1767225600"}}"#,
            "aps.timestamp is missing or not a number of Unix seconds"
        ),
        (
            #"{"aps":{"event":"update","timestamp":1e300}}"#,
            "aps.timestamp is missing or not a number of Unix seconds"
        ),
        (
            #"{"aps":{"event":"update","timestamp":1767225600}}"#,
            "an update without content-state has nothing to show"
        ),
        (
            #"{"aps":{"event":"start","timestamp":1767225600,"content-state":{"slices":3}}}"#,
            "event start goes to a push-to-start token, not to a running card"
        ),
    ])
    func `a body that means nothing is ignored with its reason`(
        body: String, reason: String
    ) throws {
        var apple = try Apple()
        // APNs refuses an empty body; the phone must still survive one.
        let phone = apple.world.phones[0]
        var copy = phone
        let events = copy.receive(
            Array(body.utf8), token: apple.token, priority: 10, now: apple.now)
        #expect(events.map(\.ignoredReason) == [reason])
        if !body.isEmpty { #expect(try apple.push(body).map(\.ignoredReason) == [reason]) }
        #expect(apple.slices == "0 slices")
    }

    @Test(arguments: [
        (#"{}"#, "slices is missing"),
        (#"{"slices":"3"}"#, "slices is not a Int"),
        (#"{"slices":3.5}"#, "it is not JSON or has a number that does not fit its member"),
        (#"{"slices":true}"#, "slices is not a Int"),
        (#"{"slices":null}"#, "slices is null where a Int belongs"),
        (#"{"Slices":3}"#, "slices is missing"),
        (#"{"slices":3,"stage":"oven"}"#, "stage is not a"),
        (#"{"slices":3,"stage":{"moon":{}}}"#, "stage is not a"),
        (#"{"slices":3,"due":"2026-01-01T00:00:00Z"}"#, "due is not a Double"),
        (#"{"slices":3,"deliveryTimer":{"lowerBound":1,"upperBound":2}}"#, "deliveryTimer is not"),
        (#"{"slices":3,"deliveryTimer":[20,10]}"#, "deliveryTimer is not a value"),
        (#"7"#, "the object itself is not a"),
    ])
    func `a state that does not decode is silent to the sender and named in the log`(
        state: String, reason: String
    ) throws {
        var apple = try Apple()
        let ignored = try apple.push(apple.aps(#""content-state":\#(state)"#))
            .compactMap(\.ignoredReason)
        #expect(ignored.count == 1)
        #expect(ignored.first?.hasPrefix("content-state does not decode: \(reason)") == true)
        #expect(apple.slices == "0 slices")
        apple.now = apple.now.adding(seconds: 1)
        _ = try apple.push(apple.update(slices: 2))
        #expect(apple.slices == "2 slices", "the card goes on")
    }

    @Test func `unknown keys and empty optionals are fine`() throws {
        var apple = try Apple()
        let state = #"{"slices":3.0,"extra":[1],"due":null,"stage":{"road":{}}}"#
        _ = try apple.push(apple.aps(#""content-state":\#(state),"custom":1"#))
        #expect(apple.slices == "3 slices")
    }

    @Test func `Unix seconds in a state's Date are shown and called implausible`() throws {
        var apple = try Apple()
        let unix = apple.now.unixSeconds
        let state = #"{"slices":3,"deliveryTimer":[\#(unix),\#(unix + 60)],"due":\#(unix)}"#
        let events = try apple.push(apple.aps(#""content-state":\#(state)"#))
        let warnings = events.flatMap(\.entry.warnings)
        #expect(apple.slices == "3 slices")
        #expect(warnings.count == 3)
        #expect(
            warnings.contains { $0.hasPrefix("deliveryTimer is implausible, 31 years ahead") })
        #expect(warnings.contains { $0.hasPrefix("due is implausible, 31 years ahead") })
        #expect(apple.world.phones[0].log.last?.warnings == warnings)
    }

    @Test func `milliseconds in a state's Date are called implausible too`() throws {
        var apple = try Apple()
        let events = try apple.push(
            apple.aps(#""content-state":{"slices":3,"due":788918400000}"#))
        #expect(
            events.flatMap(\.entry.warnings).first?.hasPrefix("due is implausible, thousands")
                == true)
    }

    @Test func `dates counted from 2001 raise no warning`() throws {
        var apple = try Apple()
        let seconds = apple.now.unixSeconds - 978_307_200
        let state =
            #"{"slices":3,"deliveryTimer":[\#(seconds),\#(seconds + 600)],"due":\#(seconds)}"#
        #expect(
            try apple.push(apple.aps(#""content-state":\#(state)"#)).flatMap(\.entry.warnings)
                .isEmpty)
    }

    @Test func `aps dates counted from 2001 are called implausible`() throws {
        var apple = try Apple()
        let seconds = apple.now.unixSeconds - 978_307_200
        let events = try apple.push(
            apple.aps(#""content-state":{"slices":3},"stale-date":\#(seconds)"#))
        #expect(
            events.flatMap(\.entry.warnings).first?
                .hasPrefix("stale-date is implausible, 31 years back") == true)
    }

    @Test func `an alert is presented, counted and kept`() throws {
        var apple = try Apple()
        let events = try apple.push(
            apple.aps(
                #""content-state":{"slices":3},"alert":{"title":"Hot","body":"Now","sound":"a"}"#
            ))
        #expect(events.map(\.alert) == [Alert(title: "Hot", body: "Now", sound: "a")])
        #expect(events.map(\.entry.sentence) == ["shown with an alert"])
        let later = apple.now.unixSeconds + 1
        _ = try apple.push(apple.aps(#""content-state":{"slices":2}"#, timestamp: later))
        #expect(apple.world.phones[0].log.suffix(2).map(\.alert?.title) == ["Hot", nil])
        #expect(apple.card.alertCount == 1)
        #expect(apple.card.lastAlert?.body == "Now")
    }

    @Test(arguments: [
        #"{"title":"","body":"Now"}"#, #"{"body":"Now"}"#, "{}", #""Now""#, #"{"title":7}"#,
    ])
    func `an alert without a title is not presented but its state is`(alert: String) throws {
        var apple = try Apple()
        let events = try apple.push(
            apple.aps(#""content-state":{"slices":3},"alert":\#(alert)"#))
        #expect(events.map(\.alert) == [nil])
        #expect(
            events.flatMap(\.entry.warnings)
                == ["the alert has no title, so neither it nor its sound is presented"])
        #expect(apple.card.alertCount == 0)
        #expect(apple.slices == "3 slices")
    }

    @Test func `a localized alert shows the key of its text`() throws {
        var apple = try Apple()
        let alert = #"{"title":{"loc-key":"HOT","loc-args":["3"]},"body":{"loc-key":"NOW"}}"#
        _ = try apple.push(apple.aps(#""content-state":{"slices":3},"alert":\#(alert)"#))
        #expect(apple.card.lastAlert == Alert(title: "HOT", body: "NOW", sound: ""))
    }

    @Test func `members that do nothing where they stand are warned of`() throws {
        var apple = try Apple()
        let events = try apple.push(
            apple.aps(
                #""content-state":{"slices":3},"sound":"a","dismissal-date":0,"stale-date":"soon""#
            ))
        #expect(events.flatMap(\.entry.warnings).count == 3)
        #expect(apple.slices == "3 slices")
        #expect(apple.card.dismissAt == nil)
    }

    @Test func `an app cannot start what its types do not decode`() throws {
        var apple = try Apple()
        let start = { (kind: String, attributes: String) in
            ActivityStart(
                kind: kind, activity: ActivityID(rawValue: "x"), attributes: Data(attributes.utf8))
        }
        #expect(throws: SimulatorError.activityRefused("order is missing")) {
            try apple.world.addPhone(named: "B", starting: start("Pie", "{}"), now: apple.now)
        }
        #expect(throws: SimulatorError.unknownKind("Cake")) {
            try apple.world.addPhone(named: "B", starting: start("Cake", "{}"), now: apple.now)
        }
        let long = #"{"order":"\#(String(repeating: "a", count: 4096))"}"#
        #expect(throws: SimulatorError.activityRefused("attributesTooLarge")) {
            try apple.world.addPhone(named: "B", starting: start("Pie", long), now: apple.now)
        }
        #expect(apple.world.phones.count == 1)
    }

    @Test func `two activities of one phone keep to themselves`() throws {
        var apple = try Apple()
        let second = try apple.world.start(
            ActivityStart(kind: "Pie", activity: ActivityID(rawValue: "order-2")),
            on: apple.world.phones[0].id, now: apple.now)
        let token = try #require(second.token)
        var request = apple.request(body: apple.update(slices: 5))
        request.target = "/3/device/\(token.hex)"
        #expect(apple.send(request).refusal == nil)
        #expect(apple.world.phones[0].cards.map(\.presentation?.pie) == ["0 slices", "5 slices"])
    }
}
