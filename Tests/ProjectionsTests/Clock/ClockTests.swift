import Domain
import Foundation
import Projections
import TestSupport
import Testing

/// The clock's events where they meet reports, and each other.
struct ClockTests {
    private func scheduled(kickoffMinute: Double) throws -> Story {
        var story = Story()
        try story.tell(
            "Match.MatchScheduled", at: 0,
            """
            {"competition":"Cup","homeTeam":"Reds","awayTeam":"Blues",
            "kickoff":"\(Story.time(kickoffMinute))"}
            """)
        return story
    }

    @Test func `a match that is only scheduled has eight hours from its kick-off`() throws {
        var story = try scheduled(kickoffMinute: 3 * 24 * 60)
        let kickoff = Story.start.adding(seconds: 3 * 86_400)
        #expect(try story.lifetime()?.limitAt == kickoff.adding(seconds: 8 * 3600))
        #expect(story.due?.occurredAt == kickoff.adding(seconds: 1800))
        try story.tell("Match.PeriodStarted", at: 3 * 24 * 60, #"{"period":"firstHalf"}"#)
        let began = try #require(story.events.last?.recordedAt)
        #expect(try story.lifetime()?.liveSince == began)
        #expect(try story.lifetime()?.limitAt == began.adding(seconds: 8 * 3600))
    }

    @Test func `a match put off to another day is not ended on the first`() throws {
        var story = try scheduled(kickoffMinute: 60)
        try story.waitForClock()
        let limit = try #require(story.due)
        #expect(limit.type == ActivityClock.Event.timeLimitReached.type)
        try story.tell(
            "Match.MatchScheduled", at: 30,
            """
            {"competition":"Cup","homeTeam":"Reds","awayTeam":"Blues",
            "kickoff":"\(Story.time(2 * 24 * 60))"}
            """)
        let overtaken = try story.tell(limit, recordedAt: limit.occurredAt)
        #expect(overtaken.assessment.rule == "overtaken")
        #expect(overtaken.assessment.significance == .none)
        #expect(overtaken.snapshot.phase == .scheduled)
    }

    private func placed(promisedAt: String) throws -> Story {
        var story = Story()
        try story.tell(
            "PizzaDelivery.OrderPlaced", at: 0,
            """
            {"orderNumber":"1042","numberOfPizzas":2,"totalAmount":"€24.00",
            "promisedAt":"\(promisedAt)"}
            """)
        return story
    }

    @Test func `an order for the evening is not ended before it, and ends when nobody reports`()
        throws
    {
        let timeLimit = ActivityClock.Event.timeLimitReached.type
        var story = try placed(promisedAt: Story.time(9 * 60))
        let promised = Story.start.adding(seconds: 9 * 3600)
        while let due = story.due, due.type != timeLimit {
            #expect(due.occurredAt > promised)
            try story.waitForClock()
        }
        #expect(story.snapshot?.phase == .live)
        #expect(story.due?.occurredAt == promised.adding(seconds: 4 * 3600))
        try story.waitForClock()
        #expect(story.snapshot?.phase == .ended)
        let usual = Story.start.adding(seconds: 8 * 3600)
        #expect(try placed(promisedAt: "2099-12-31T19:00:00Z").due?.occurredAt == usual)
    }

    @Test func `an end by the clock that a log has stands, as long as the promise is away`() throws
    {
        var story = try placed(promisedAt: Story.time(9 * 60))
        let change = try story.tell(ActivityClock.Event.timeLimitReached.type, at: 8 * 60)
        #expect(change.assessment.rule == "timeLimit")
        #expect(change.snapshot.phase == .ended)
    }

    @Test func `a stale that a report has overtaken changes nothing`() throws {
        var story = Story()
        try story.tell("PizzaDelivery.OrderAccepted", at: 0)
        let stale = try #require(story.due)
        try story.tell("PizzaDelivery.OrderReady", at: 9)
        #expect(try #require(story.due).occurredAt > stale.occurredAt)
        let change = try story.tell(stale)
        #expect(change.assessment.rule == "overtaken")
        #expect(try story.lifetime()?.isStale == false)
    }

    @Test func `what the clock says has a rule with a sentence, like what sources report`() throws {
        var silent = try scheduled(kickoffMinute: 0)
        try silent.tell("Match.PeriodStarted", at: 0, #"{"period":"firstHalf"}"#)
        var over = silent
        try over.tell("Match.FullTimeReached", at: 95)
        try silent.waitForEver()
        try over.waitForEver()
        let rules = (silent.changes + over.changes).map(\.assessment.rule)
        #expect(Set(rules).isSuperset(of: ["stale", "timeLimit", "endGrace", "dismissed"]))
        for rule in rules + ["restart", "quietHoursOver", "overtaken"] {
            let found = ActivityCatalog.tested.rule(named: rule, of: "Match")
            #expect(found?.why.hasSuffix(".") == true, "\(rule)")
        }
        #expect(ActivityCatalog.tested.rule(named: "gone", of: "Match") == nil)
    }

    @Test func `the clock's word counts once`() throws {
        var story = Story()
        try story.tell("PizzaDelivery.OrderAccepted", at: 0)
        while let due = story.due {
            try story.waitForClock()
            let before = try story.lifetime()
            let again = try story.tell(due)
            #expect(again.assessment.rule == "overtaken")
            #expect(again.assessment.ending == nil)
            #expect(try story.lifetime() == before)
        }
        #expect(story.snapshot?.phase == .ended)
    }

    @Test func `a word that comes before its time changes nothing`() throws {
        var story = Story()
        try story.tell("BikeRide.RideStarted", at: 0)
        for type in [
            ActivityClock.Event.wentStale.type, ActivityClock.Event.timeLimitReached.type,
            ActivityClock.Event.dismissed.type,
        ] {
            let early = try story.tell(type, at: 1)
            #expect(early.assessment.rule == "overtaken", "\(type)")
            #expect(early.snapshot.phase == .live)
        }
    }

    @Test func `how long ago a thing happened does not shorten its eight hours`() throws {
        var story = Story()
        try story.tell("CoffeeDelivery.OrderReceived", at: -9000, #"{"coffeeName":"Mocha"}"#)
        let recorded = try #require(story.events.last?.recordedAt)
        #expect(try story.lifetime()?.limitAt == recorded.adding(seconds: 8 * 3600))
    }

    @Test func `no source may report what the clock says`() throws {
        for schema in ActivityClock.schemas {
            let refusal = #expect(throws: EventRefusal.self) {
                try ActivityCatalog.standard.validate(
                    type: schema.type, schemaVersion: 1, data: Data("{}".utf8))
            }
            #expect(refusal?.problem == .unknownType)
            #expect(ActivityCatalog.standard.eventType(named: schema.type) == nil)
            var story = Story()
            #expect(throws: FoldError.unknownKind(schema.type)) {
                try story.tell(schema.type, at: 0)
            }
        }
    }

    @Test func `a snapshot from before there were promises and graces goes on`() throws {
        var story = Story()
        try story.tell(
            "PizzaDelivery.OrderPlaced", at: 0,
            """
            {"orderNumber":"17","numberOfPizzas":1,"totalAmount":"€9",
            "promisedAt":"\(Story.time(30))"}
            """)
        var stored = try #require(story.snapshot)
        let text = String(decoding: stored.state, as: UTF8.self)
        stored.state = Data(text.replacing(/"promise":\{[^}]*\},/, with: "").utf8)
        stored.decodedState = Snapshot.DecodedValue()
        #expect(stored.state.count < text.utf8.count)
        let lifetime = try ActivityCatalog.standard.lifetime(of: stored)
        #expect(lifetime.promise == nil && lifetime.pendingEnd == nil)
        #expect(
            try ActivityCatalog.standard.nextDue(stored)?.type
                == ActivityClock.Event.wentStale.type)
        var next = try #require(story.events.last)
        (next.version, next.position) = (2, 2)
        next.event.type = "PizzaDelivery.OrderAccepted"
        next.event.data = Data("{}".utf8)
        let change = try ActivityCatalog.standard.fold(next, into: stored)
        #expect(try ActivityCatalog.standard.lifetime(of: change.snapshot).promise != nil)
    }

    @Test func `nothing is due for an activity that cannot be folded any further`() throws {
        var story = Story()
        try story.tell("BikeRide.RideStarted", at: 0)
        var blocked = try #require(story.snapshot)
        #expect(try ActivityCatalog.standard.nextDue(blocked) != nil)
        blocked.blockage = "broken"
        blocked.state = Data("{}".utf8)
        #expect(try ActivityCatalog.standard.nextDue(blocked) == nil)
    }

    @Test func `a time beyond all calendars does not stop the fold`() throws {
        var story = Story()
        try story.tell(
            "CoffeeDelivery.OrderReceived", at: 0,
            #"{"coffeeName":"Mocha","estimatedAt":"9999-12-31T23:59:59.999999Z"}"#)
        #expect(story.due?.type == ActivityClock.Event.timeLimitReached.type)
        try story.tell("CoffeeDelivery.BrewingStarted", at: 1)
        #expect(story.rule == "progress")
    }
}
