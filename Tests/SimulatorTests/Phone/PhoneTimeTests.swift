import Domain
import Foundation
import HTTP
import Testing

@testable import Simulator

/// Order, age, staleness and the end of a card.
struct PhoneTimeTests {
    private let pie = #""content-state":{"slices":9}"#

    @Test(arguments: [(-1, "older than"), (0, "equal to")])
    func `a timestamp that is not newer than the newest is ignored`(
        offset: Int64, relation: String
    ) throws {
        var apple = try Apple()
        _ = try apple.push(apple.update(slices: 1))
        let late = apple.aps(pie, timestamp: apple.now.unixSeconds + offset)
        #expect(
            try apple.push(late).map(\.ignoredReason)
                == ["timestamp is \(relation) that of the newest push"])
        #expect(apple.world.phones[0].log.last?.outcome == .outdated)
        #expect(apple.slices == "1 slices")
    }

    @Test(arguments: [(28_800, true), (28_801, false), (-30, true), (-31, false)])
    func `an update too far ahead or back is dropped`(offset: Int64, isShown: Bool) throws {
        var apple = try Apple()
        let body = apple.aps(pie, timestamp: apple.now.unixSeconds + offset)
        let events = try apple.push(body)
        #expect(events.map { $0.ignoredReason == nil } == [isShown])
        #expect(apple.slices == (isShown ? "9 slices" : "0 slices"))
    }

    @Test func `a dropped future stamp does not make honest updates old`() throws {
        var apple = try Apple()
        _ = try apple.push(apple.aps(pie, timestamp: apple.now.unixSeconds + 90_000))
        _ = try apple.push(apple.update(slices: 2))
        #expect(apple.slices == "2 slices")
    }

    @Test func `a stamp ahead within 8 hours makes honest updates old`() throws {
        var apple = try Apple()
        _ = try apple.push(apple.aps(pie, timestamp: apple.now.unixSeconds + 100))
        apple.now = apple.now.adding(seconds: 50)
        _ = try apple.push(apple.update(slices: 2))
        #expect(apple.slices == "9 slices")
    }

    @Test func `a state that does not decode leaves the order alone`() throws {
        var apple = try Apple()
        _ = try apple.push(apple.aps(#""content-state":{}"#))
        _ = try apple.push(apple.update(slices: 2))
        #expect(apple.slices == "2 slices", "the same timestamp is still new")
    }

    @Test func `after the end every push is ignored`() throws {
        var apple = try Apple()
        let ended = try apple.push(apple.aps(pie, event: "end"))
        #expect(ended.map(\.entry.outcome) == [.ended])
        apple.now = apple.now.adding(seconds: 2)
        let events = try apple.push(apple.update(slices: 2))
        #expect(events.map(\.ignoredReason) == ["the activity is ended already"])
        let again = try apple.push(
            apple.aps(
                #""content-state":{"slices":2}"#, event: "end", timestamp: apple.now.unixSeconds + 1
            ))
        #expect(again.map(\.ignoredReason) == ["the activity is ended already"])
        #expect(apple.slices == "9 slices")
        #expect(apple.card.phase == .ended)
    }

    @Test func `an end without a state keeps the last one`() throws {
        var apple = try Apple()
        _ = try apple.push(apple.update(slices: 4))
        _ = try apple.push(
            apple.aps(#""relevance-score":1"#, event: "end", timestamp: apple.now.unixSeconds + 1))
        #expect(apple.card.phase == .ended)
        #expect(apple.slices == "4 slices")
    }

    @Test func `an end is obeyed however old, but not when older than the newest push`() throws {
        var apple = try Apple()
        var other = try Apple()
        _ = try other.push(other.update(slices: 1))
        let old = apple.aps(pie, event: "end", timestamp: apple.now.unixSeconds - 600)
        _ = try apple.push(old)
        _ = try other.push(old)
        #expect(apple.card.phase == .ended)
        #expect(other.card.phase == .active)
    }

    @Test(arguments: [
        (nil, 14_400.0), (60, 60), (14_400, 14_400), (20_000, 14_400), (-5, 0),
    ])
    func `an ended card stays until its dismissal date, 4 hours at most`(
        dismissal: Int64?, staysSeconds: Double
    ) throws {
        var apple = try Apple()
        let date = dismissal.map { #","dismissal-date":\#(apple.now.unixSeconds + $0)"# } ?? ""
        let events = try apple.push(apple.aps(pie + date, event: "end"))
        #expect(
            events.map(\.entry.outcome) == (staysSeconds > 0 ? [.ended] : [.ended, .dismissed]))
        _ = apple.world.settle(at: apple.now.adding(seconds: staysSeconds - 0.5))
        #expect((apple.slices == nil) == (staysSeconds == 0))
        _ = apple.world.settle(at: apple.now.adding(seconds: staysSeconds))
        #expect(apple.card.phase == .dismissed)
        #expect(apple.slices == nil)
    }

    @Test func `a stale card is marked and takes updates`() throws {
        var apple = try Apple()
        _ = try apple.push(
            apple.aps(pie + #","stale-date":\#(apple.now.unixSeconds + 60)"#))
        #expect(apple.world.settle(at: apple.now.adding(seconds: 59)).isEmpty)
        apple.now = apple.now.adding(seconds: 60)
        #expect(apple.world.settle(at: apple.now).map(\.entry.outcome) == [.stale])
        #expect(apple.card.phase == .stale)
        #expect(apple.slices == "9 slices")
        _ = try apple.push(apple.update(slices: 2))
        #expect(apple.card.phase == .active)
        #expect(apple.slices == "2 slices")
        #expect(apple.world.phones[0].nextDue == Apple.start.adding(seconds: 8 * 3600))
    }

    @Test func `a card ends by itself after 8 hours and is gone after 4 more`() throws {
        var apple = try Apple()
        let events = apple.world.settle(at: apple.now.adding(seconds: 12 * 3600))
        #expect(events.map(\.entry.outcome) == [.ended, .dismissed])
        #expect(
            events.map { $0.entry.at.seconds(since: apple.now) } == [8 * 3600.0, 12 * 3600.0])
        #expect(apple.world.phones[0].nextDue == nil)
    }

    @Test func `the token of an ended card goes on for a minute and then is expired`() throws {
        var apple = try Apple()
        _ = try apple.push(apple.aps(pie, event: "end"))
        apple.now = apple.now.adding(seconds: 59)
        #expect(apple.send(apple.request()).refusal == nil)
        apple.now = apple.now.adding(seconds: 1)
        let answer = apple.send(apple.request())
        #expect(answer.refusal == .expiredToken)
        #expect(answer.deadSince == apple.now)
    }

    @Test func `a swipe is not told to the sender until the token dies`() throws {
        var apple = try Apple()
        let events = try apple.world.dismiss(
            nil, on: apple.world.phones[0].id, now: apple.now)
        #expect(events.map(\.entry.outcome) == [.dismissed])
        let ignored = try apple.push(apple.update(slices: 2)).map(\.ignoredReason)
        #expect(ignored == ["the activity is dismissed already"])
        #expect(apple.slices == nil)
        apple.now = apple.now.adding(seconds: 60)
        #expect(apple.send(apple.request()).refusal == .expiredToken)
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `a phone never goes backwards, whatever arrives in whatever order`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var rules = PhoneRules()
        rules.updates = nil
        var apple = try Apple(rules: rules)
        var shown: (timestamp: Int64, slices: Int)?
        var isOver = false
        for step in 1...200 {
            apple.now = apple.now.adding(seconds: Double.random(in: 0...3, using: &random))
            let timestamp = apple.now.unixSeconds + Int64.random(in: -45...20, using: &random)
            let isEnd = Int.random(in: 0..<150, using: &random) == 0
            let isBroken = Int.random(in: 0..<10, using: &random) == 0
            let state = isBroken ? #"{"slice":1}"# : #"{"slices":\#(step)}"#
            let body = apple.aps(
                #""content-state":\#(state)"#, event: isEnd ? "end" : "update",
                timestamp: timestamp)
            let answer = apple.send(apple.request(body: body))
            // The rule once more, in the plainest words: newest honest state wins until the end.
            let ageSeconds = apple.now.unixSeconds - timestamp
            let isNewest = shown.map { timestamp > $0.timestamp } ?? true
            if !isOver, !isBroken, isNewest, isEnd || ageSeconds <= 30, answer.refusal == nil {
                shown = (timestamp, step)
                isOver = isEnd
            }
            try #require(
                apple.slices == "\(shown?.slices ?? 0) slices", "seed \(seed), step \(step)")
            try #require(apple.card.lastTimestamp == shown?.timestamp, "seed \(seed), step \(step)")
        }
    }
}
