import DeliveryRules
import Domain
import Foundation
import JSON
import Projections
import TestSupport
import Testing

/// Fresh cards before the eight hours are over, from the report to the ledger.
struct RestartTests {
    private static let hour: Double = 3600

    /// Fresh cards an hour before the limit, or as it is built in from a position on.
    private func book(_ kind: String, until position: Int64 = .max) throws -> PolicyBook {
        var book = PolicyBook()
        let document = PolicyDocument(thresholds: ["restartBeforeLimitSeconds": Self.hour])
        let catalog = ActivityCatalog.tested
        book.add(
            try catalog.policy(ofKind: kind, document, version: 1), ofKind: kind, fromPosition: 1)
        if position < .max {
            book.add(
                try catalog.policy(ofKind: kind, PolicyDocument(), version: 2), ofKind: kind,
                fromPosition: position)
        }
        return book
    }

    /// Records what is due until then.
    private func wait(_ story: inout Story, hours: Double, _ book: PolicyBook) throws {
        let moment = Story.start.adding(seconds: hours * Self.hour)
        while let due = story.due, due.occurredAt <= moment {
            try story.tell(due, recordedAt: due.occurredAt, under: book)
        }
    }

    private func report(_ story: inout Story, hours: Double, _ book: PolicyBook) throws {
        let moment = Story.start.adding(seconds: hours * Self.hour)
        try story.tell(
            NewEvent(
                id: "\(story.events.count)", source: "test", type: "BikeRide.RideStarted",
                activityID: ActivityID(rawValue: "story"), occurredAt: moment,
                data: Data("{}".utf8)), recordedAt: moment, under: book)
    }

    /// What a clock finds that looks then.
    private func due(_ story: Story, hours: Double) throws -> NewEvent? {
        let snapshot = try #require(story.snapshot)
        return try ActivityCatalog.tested.nextDue(
            snapshot, at: Story.start.adding(seconds: hours * Self.hour))
    }

    private func clockTypes(_ story: Story) -> [String] {
        story.events.map(\.event.type).filter { $0.hasPrefix("ActivityClock.") }
    }

    @Test func `are wanted an hour before, and renew the eight hours`() throws {
        let book = try book("BikeRide")
        var story = Story()
        try report(&story, hours: 0, book)
        try wait(&story, hours: 6.9, book)
        #expect(story.due?.type == ActivityClock.Event.restartDue.type)
        #expect(story.due?.occurredAt == Story.start.adding(seconds: 7 * Self.hour))
        try wait(&story, hours: 7, book)
        let assessment = try #require(story.changes.last?.assessment)
        #expect(assessment.restarts)
        #expect(assessment.significance == .timely)
        let limit = Story.start.adding(seconds: 8 * Self.hour).rfc3339
        #expect(assessment.reason.contains(limit))
        #expect(assessment.reason.hasPrefix("On phones where cards can be started remotely, "))
        #expect(story.snapshot?.phase == .live)
        #expect(
            try story.lifetime()?.limitAt == Story.start.adding(seconds: 15 * Self.hour))
    }

    @Test func `are wanted again when something was reported since`() throws {
        let book = try book("BikeRide")
        var story = Story()
        try report(&story, hours: 0, book)
        try wait(&story, hours: 8, book)
        try report(&story, hours: 9, book)
        try wait(&story, hours: 15, book)
        let restarts = story.changes.filter(\.assessment.restarts)
        #expect(
            restarts.map(\.snapshot.updatedAt)
                == [7, 14].map {
                    Story.start.adding(seconds: $0 * Self.hour)
                })
    }

    @Test(arguments: KindProbe.all)
    func `do not keep an activity alive of which nothing is heard any more`(
        kind: KindProbe
    ) throws {
        let book = try book(kind.name)
        var story = Story()
        try story.tell(try #require(RandomFacts.beginning(of: kind)), under: book)
        let isLive = story.snapshot?.phase == .live
        while let due = story.due { try story.tell(due, recordedAt: due.occurredAt, under: book) }
        #expect(story.snapshot?.phase == .ended)
        let restarts = clockTypes(story).count { $0 == ActivityClock.Event.restartDue.type }
        #expect(restarts == (isLive ? 1 : 0))
        var snapshot: Snapshot?
        for (event, change) in zip(story.events, story.changes) {
            let again = try ActivityCatalog.tested.fold(event, into: snapshot, under: book)
            #expect(again == change)
            snapshot = again.snapshot
        }
    }

    @Test(arguments: KindProbe.all)
    func `have the relevance score that the last report gave`(kind: KindProbe) throws {
        let book = try book(kind.name)
        var restarts = 0
        for seed in 0..<60 {
            var facts = RandomFacts(seed: UInt64(seed))
            var story = Story()
            for event in facts.events(of: kind, count: 3) { try story.tell(event, under: book) }
            let score = try #require(story.changes.last?.assessment.relevanceScore)
            while let due = story.due {
                try story.tell(due, recordedAt: due.occurredAt, under: book)
            }
            for change in story.changes where change.assessment.restarts {
                restarts += 1
                #expect(change.assessment.relevanceScore == score, "seed \(seed)")
            }
        }
        #expect(restarts > 0)
    }

    @Test func `are not started when the policy has stopped wanting them`() throws {
        var story = Story()
        let book = try book("BikeRide", until: 2)
        try report(&story, hours: 0, book)
        try wait(&story, hours: 7, book)
        let assessment = try #require(story.changes.last?.assessment)
        #expect(assessment.rule == "restart")
        #expect(!assessment.restarts)
        #expect(assessment.significance == Significance.none)
        #expect(story.due?.occurredAt == Story.start.adding(seconds: 8 * Self.hour))
    }

    /// As after an import, or on a server that was down: the phones' cards are gone long since.
    @Test func `are not wanted when the eight hours are over by the time that the clock looks`()
        throws
    {
        let book = try book("BikeRide")
        var story = Story()
        try report(&story, hours: 0, book)
        try wait(&story, hours: 6, book)
        #expect(try due(story, hours: 7.9)?.type == ActivityClock.Event.restartDue.type)
        let late = try #require(try due(story, hours: 29))
        #expect(late.type == ActivityClock.Event.timeLimitReached.type)
        #expect(late.occurredAt == Story.start.adding(seconds: 8 * Self.hour))
        let moment = Story.start.adding(seconds: 29 * Self.hour)
        let change = try story.tell(late, recordedAt: moment, under: book)
        #expect(change.assessment.rule == "timeLimit")
        #expect(change.snapshot.phase == .ended)
        #expect(!story.changes.contains { $0.assessment.restarts })
    }

    /// It has its last card until four hours after the promise.
    @Test func `are wanted late of an order whose evening is still to come`() throws {
        let book = try book("PizzaDelivery")
        var story = Story()
        try story.tell(
            NewEvent(
                id: "1", source: "test", type: "PizzaDelivery.OrderPlaced",
                activityID: ActivityID(rawValue: "story"), occurredAt: Story.start,
                data: Data(
                    """
                    {"orderNumber":"1042","numberOfPizzas":2,"totalAmount":"€24.00",
                    "promisedAt":"\(Story.time(9 * 60))"}
                    """.utf8)), under: book)
        #expect(try due(story, hours: 12.9)?.type == ActivityClock.Event.restartDue.type)
        #expect(try due(story, hours: 13)?.type != ActivityClock.Event.restartDue.type)
    }

    @Test func `are not spoken of where nobody wants them`() throws {
        var story = Story()
        try report(&story, hours: 0, .builtIn)
        let state = String(decoding: try #require(story.snapshot).state, as: UTF8.self)
        #expect(!state.contains("restart") && !state.contains("renewed"))
        try wait(&story, hours: 24, .builtIn)
        #expect(!clockTypes(story).contains(ActivityClock.Event.restartDue.type))
        var order = PushOrder()
        #expect(!String(decoding: WireCoder.encode(order), as: UTF8.self).contains("restart"))
        order.restarts = true
        #expect(
            try WireCoder.decode(PushOrder.self, from: WireCoder.encode(order)) == order)
    }

    @Test func `are pushed although the card shows nothing different`() throws {
        let book = try book("BikeRide")
        var story = Story()
        try report(&story, hours: 0, book)
        try wait(&story, hours: 7, book)
        var snapshot: Snapshot?
        var decision: Decision?
        for event in story.events {
            let step = try ActivityStep.apply(event, to: snapshot, under: book)
            (snapshot, decision) = (step.snapshot, step.decision)
        }
        #expect(decision?.verdict == .timely)
        #expect(decision?.rule == "restart")
        #expect(decision?.alert == nil)
        #expect(decision?.order?.restarts == true)
    }
}
