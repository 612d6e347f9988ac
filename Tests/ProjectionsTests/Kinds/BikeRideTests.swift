import Domain
import Foundation
import Projections
import Testing

struct BikeRideTests {
    private typealias State = OrderAttributes.ContentState

    private func ordered() throws -> Story {
        var story = Story()
        try story.tell(
            "BikeRide.BikeOrdered", at: 0, #"{"orderNumber":24155,"bikeName":"Red 7"}"#)
        return story
    }

    @Test func `a ride begins unstarted and goes through its stations`() throws {
        var story = try ordered()
        #expect(try story.shown(State.self).status == .unstarted)
        #expect(story.rule == "first")
        for (type, status) in [
            ("BikeUnlocked", BikeRide.Status.unlocked), ("RideStarted", .riding),
            ("RidePaused", .paused), ("RideResumed", .riding), ("RideEnded", .ended),
        ] {
            try story.tell("BikeRide.\(type)", at: Double(story.events.count))
            #expect(try story.shown(State.self).status == status)
            #expect(story.rule == (status == .ended ? "ended" : "status"))
        }
        let attributes = try JSONDecoder().decode(
            OrderAttributes.self, from: try #require(story.snapshot).attributes)
        #expect(attributes == OrderAttributes(orderNumber: 24155, bikeName: "Red 7"))
    }

    @Test func `the phone counts the time in the saddle, pauses left out`() throws {
        var story = try ordered()
        try story.tell("BikeRide.RideStarted", at: 2)
        #expect(try story.shown(State.self).rideClock == Story.start.adding(seconds: 120).date)
        try story.tell("BikeRide.RidePaused", at: 12)
        var shown = try story.shown(State.self)
        #expect(shown.rideClock == nil && shown.riddenSeconds == 600)
        try story.tell("BikeRide.RideResumed", at: 20)
        shown = try story.shown(State.self)
        #expect(shown.rideClock == Story.start.adding(seconds: 600).date)
        #expect(shown.riddenSeconds == nil)
        try story.tell("BikeRide.RideEnded", at: 25, #"{"fare":"€3.40"}"#)
        #expect(try story.shown(State.self).riddenSeconds == 900)
        #expect(story.alert == Alert(title: "Ride ended", body: "15 min, €3.40."))
    }

    @Test func `a pause that is reported late still counts as one`() throws {
        var story = try ordered()
        try story.tell("BikeRide.RideStarted", at: 2)
        try story.tell("BikeRide.RideResumed", at: 20)
        #expect(try story.shown(State.self).rideClock == Story.start.adding(seconds: 120).date)
        try story.tell("BikeRide.RidePaused", at: 12)
        let shown = try story.shown(State.self)
        #expect(shown.status == .riding)
        #expect(shown.rideClock == Story.start.adding(seconds: 600).date)
    }

    @Test func `what happened after the bicycle was given back does not count`() throws {
        var story = try ordered()
        try story.tell("BikeRide.RideStarted", at: 2)
        try story.tell("BikeRide.RideEnded", at: 12)
        try story.tell("BikeRide.RidePaused", at: 14)
        #expect(try story.shown(State.self).riddenSeconds == 600)
        #expect(try story.shown(State.self).status == .ended)
    }

    @Test func `the fare runs quietly, and a correction after the end stands`() throws {
        var story = try ordered()
        try story.tell("BikeRide.RideStarted", at: 2)
        try story.tell("BikeRide.FareUpdated", at: 5, #"{"fare":"€1.00"}"#)
        #expect(story.rule == "fare")
        #expect(story.changes.last?.assessment.significance == .ambient)
        try story.tell("BikeRide.RideEnded", at: 9, #"{"fare":"€2.00"}"#)
        try story.tell("BikeRide.FareUpdated", at: 60, #"{"fare":"€1.50"}"#)
        #expect(story.rule == "afterEnd")
        #expect(try story.shown(State.self).fare == "€1.50")
    }

    @Test func `a ride that never took place says why`() throws {
        var story = try ordered()
        try story.tell("BikeRide.RideEnded", at: 15, #"{"reason":"The lock did not open"}"#)
        #expect(story.alert?.body == "The lock did not open")
        #expect(try story.shown(State.self).riddenSeconds == nil)
    }
}
