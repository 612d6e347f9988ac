import Domain
import Foundation
import Projections
import TestSupport
import Testing

/// Reports whose time was still to come when they were recorded.
struct FutureTests {
    private static let farAway = Moment(unixSeconds: 4_070_908_800)

    private func estimate(_ minute: Double) -> String {
        #"{"estimatedAt":"\#(Story.time(minute))"}"#
    }

    @Test func `one estimate from the future does not stand for ever`() throws {
        var story = Story()
        try story.tell("CoffeeDelivery.OrderReceived", at: 0, #"{"coffeeName":"Mocha"}"#)
        let future = NewEvent(
            id: "future", source: "test", type: "CoffeeDelivery.EstimateRevised",
            activityID: ActivityID(rawValue: "story"), occurredAt: Self.farAway,
            data: Data(estimate(20).utf8))
        let change = try story.tell(future, recordedAt: Story.start.adding(seconds: 60))
        #expect(change.assessment.reason.contains("2099-01-01T00:00:00Z, was still to come"))
        #expect(change.occurredAt == Story.start.adding(seconds: 60))
        try story.tell("CoffeeDelivery.EstimateRevised", at: 2, estimate(30))
        let shown = try story.shown(CoffeeDeliveryAttributes.ContentState.self)
        #expect(shown.estimatedAt == Story.start.adding(seconds: 30 * 60).date)
    }

    @Test func `a clock that is a little ahead is believed`() throws {
        var story = Story()
        try story.tell("CoffeeDelivery.OrderReceived", at: 0, #"{"coffeeName":"Mocha"}"#)
        let near = try story.tell(
            "CoffeeDelivery.EstimateRevised", at: 3, recordedAtMinute: 1, estimate(20))
        #expect(near.occurredAt == Story.start.adding(seconds: 180))
        let far = try story.tell(
            "CoffeeDelivery.EstimateRevised", at: 3.1, recordedAtMinute: 1, estimate(25))
        #expect(far.occurredAt == Story.start.adding(seconds: 60))
        #expect(
            try story.shown(CoffeeDeliveryAttributes.ContentState.self).estimatedAt
                == Story.start.adding(seconds: 20 * 60).date)
    }

    /// Every fourth report from the future, and the same ones dated when they were recorded.
    private func stories(_ kind: KindProbe, _ seed: UInt64) throws -> (Story, Story) {
        var facts = RandomFacts(seed: 9700 + seed)
        var (dreamt, honest) = (Story(), Story())
        for (index, event) in facts.events(of: kind, count: 30).enumerated() {
            let recordedAt = Story.start.adding(seconds: Double(index) * 200)
            var (future, real) = (event, event)
            if index % 4 == 1 {
                future.occurredAt = Self.farAway.adding(seconds: Double(index))
                real.occurredAt = recordedAt
            } else {
                future.occurredAt = min(event.occurredAt, recordedAt)
                real.occurredAt = future.occurredAt
            }
            try dreamt.tell(future, recordedAt: recordedAt)
            try honest.tell(real, recordedAt: recordedAt)
        }
        return (dreamt, honest)
    }

    @Test(arguments: KindProbe.all, 0..<12)
    func `of every kind they count as having happened when they were recorded`(
        kind: KindProbe, seed: UInt64
    ) throws {
        let (dreamt, honest) = try stories(kind, seed)
        for (one, other) in zip(dreamt.changes, honest.changes) {
            #expect(one.snapshot.state == other.snapshot.state)
            #expect(one.snapshot.contentState == other.snapshot.contentState)
            #expect(one.assessment.rule == other.assessment.rule)
            #expect(one.assessment.significance == other.assessment.significance)
            #expect(one.silence == other.silence)
        }
    }

    @Test(arguments: KindProbe.all, 0..<12)
    func `both folds believe the same of them`(
        kind: KindProbe, seed: UInt64
    ) throws {
        let story = try stories(kind, seed).0
        let first = try #require(story.events.first)
        let states = try StateFold(first, catalog: .tested)
        let fold = try AssessingFold.tested(story.events)
        for (event, change) in zip(story.events, story.changes) {
            if event.version > 1 { try states.fold(event) }
            #expect(try fold.fold(recorded: event).assessment == change.assessment)
        }
        #expect(states.snapshot().state == story.snapshot?.state)
        #expect(fold.snapshot().state == story.snapshot?.state)
    }
}
