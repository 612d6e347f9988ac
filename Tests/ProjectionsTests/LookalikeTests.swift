import Domain
import Foundation
import JSON
import TestSupport
import Testing

@testable import Projections

private let moment = Moment(unixSeconds: 0)

private func goal(_ id: String) throws -> Match.Goal {
    try JSONDecoder().decode(
        Match.Goal.self, from: Data(#"{"goalID":"\#(id)","team":"home"}"#.utf8))
}

private func tell(_ state: inout MatchState, _ type: String, _ data: String) throws {
    let event = try MatchKind.event(
        type: "Match.\(type)", schemaVersion: 1, data: Data(data.utf8))
    MatchKind.evolve(&state, with: event, occurredAt: moment)
}

@Test func `facts whose ids look alike are two, also when they are read back`() throws {
    for seed in 0..<100 as Range<UInt64> {
        let pair = Lookalikes(seed: seed)
        var facts = FactSet<ByteKey, Match.Goal>()
        facts.offer(try goal(pair.one), as: pair.one, at: moment)
        facts.offer(try goal(pair.other), as: pair.other, at: moment)
        facts.offer(try goal("plain"), as: "plain", at: moment)
        #expect(facts.count == 3, "\(pair)")
        let json = WireCoder.encode(facts)
        let read = try WireCoder.decode(FactSet<ByteKey, Match.Goal>.self, from: json)
        #expect(read.count == 3, "\(pair)")
        #expect(WireCoder.encode(read) == json)
    }
}

@Test func `facts whose ids do not look alike are an object, as they always were`() throws {
    var facts = FactSet<ByteKey, Match.Goal>()
    facts.offer(try goal("é"), as: "é", at: moment)
    facts.offer(try goal("b"), as: "b", at: moment)
    let json = String(decoding: WireCoder.encode(facts), as: UTF8.self)
    #expect(json.hasPrefix(#"{"b":{"#))
    #expect(json.contains(#""é":{"#))
    // What was stored before it was known when a fact was reported first is read as well.
    #expect(!json.contains("earliest"))
}

@Test func `goals whose ids look alike both count`() throws {
    let pair = Lookalikes.cafe
    var state = MatchState()
    for id in [pair.one, pair.other] {
        try tell(&state, "GoalScored", #"{"goalID":"\#(id)","team":"home"}"#)
    }
    #expect(state.score(of: .home) == 2)
    try tell(&state, "GoalDisallowed", #"{"goalID":"\#(pair.other)"}"#)
    #expect(state.score(of: .home) == 1)
}

@Test func `of two reports of one moment that look alike the same one stands in any order`() {
    let pair = Lookalikes.cafe
    var first = Latest(pair.one, at: moment)
    first.offer(pair.other, at: moment)
    var second = Latest(pair.other, at: moment)
    second.offer(pair.one, at: moment)
    #expect(WireCoder.encode(first) == WireCoder.encode(second))
}

@Test func `a driver's name in other bytes is shown in them, folded live or afresh`() throws {
    let pair = Lookalikes.cafe
    let events = [pair.one, pair.other].enumerated().map { index, name in
        RecordedEvent(
            tenant: TenantID(rawValue: 1), position: Int64(index + 1), version: Int64(index + 1),
            recordedAt: Moment(unixSeconds: Int64(index)),
            event: NewEvent(
                id: "\(index)", source: "/s", type: "PizzaDelivery.DriverAssigned",
                activityID: ActivityID(rawValue: "o"),
                occurredAt: Moment(unixSeconds: Int64(index)),
                data: Data(#"{"driverName":"\#(name)"}"#.utf8)))
    }
    let begun = try ActivityCatalog.standard.fold(events[0], into: nil).snapshot
    let live = try ActivityCatalog.standard.fold(events[1], into: begun).snapshot
    let fold = try StateFold(events[0])
    try fold.fold(events[1])
    let afresh = fold.snapshot()
    #expect(live.contentState == afresh.contentState)
    #expect(live.state == afresh.state)
    #expect(live.contentState != begun.contentState)
}

@Test func `a type of event is spelt in its own bytes`() throws {
    let type = "Match.ShootoutKickTaken"
    #expect(ActivityCatalog.standard.eventType(named: type) != nil)
    // The sign of the unit looks like the letter, and Swift says that they are equal.
    let lookalike = "Match.Shootout\u{212A}ickTaken"
    try #require(lookalike == type)
    #expect(ActivityCatalog.standard.eventType(named: lookalike) == nil)
    #expect(ActivityCatalog.standard.kind(ofEventType: lookalike) == nil)
}
