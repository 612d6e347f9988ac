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
        var shown = try story.shown(State.self)
        #expect(shown.status == .unstarted && shown.stage == nil)
        #expect(story.rule == "first")
        for (type, status, stage) in [
            ("BikeUnlocked", BikeRide.Status.unstarted, BikeRide.Stage.unlocked),
            ("RideStarted", .cycling, .riding), ("RidePaused", .cycling, .paused),
            ("RideResumed", .cycling, .riding), ("RideEnded", .cycling, .ended),
        ] {
            try story.tell("BikeRide.\(type)", at: Double(story.events.count))
            shown = try story.shown(State.self)
            #expect(shown.status == status && shown.stage == stage)
            #expect(story.rule == (stage == .ended ? "ended" : "status"))
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
        #expect(shown.status == .cycling && shown.stage == .riding)
        #expect(shown.rideClock == Story.start.adding(seconds: 600).date)
    }

    @Test func `what happened after the bicycle was given back does not count`() throws {
        var story = try ordered()
        try story.tell("BikeRide.RideStarted", at: 2)
        try story.tell("BikeRide.RideEnded", at: 12)
        try story.tell("BikeRide.RidePaused", at: 14)
        #expect(try story.shown(State.self).riddenSeconds == 600)
        #expect(try story.shown(State.self).stage == .ended)
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
        let shown = try story.shown(State.self)
        #expect(shown.status == .unstarted && shown.riddenSeconds == nil)
    }

    @Test(arguments: [
        (#"{"status":"unstarted"}"#, "Ready for you"),
        (#"{"stage":"unlocked","status":"unstarted"}"#, "Unlocked"),
        (#"{"rideClock":794475180,"stage":"riding","status":"cycling"}"#, "Riding"),
        (#"{"riddenSeconds":720,"stage":"paused","status":"cycling"}"#, "Paused, 12 min"),
        (#"{"riddenSeconds":1680,"stage":"ended","status":"cycling"}"#, "Ride ended, 28 min"),
        (#"{"stage":"ended","status":"unstarted"}"#, "Ride ended"),
    ])
    func `the Lock Screen says where a ride stands`(json: String, line: String) throws {
        let attributes = Data(#"{"orderNumber":24155}"#.utf8)
        let shown = try ActivityCatalog.tested.presentation(
            kind: "BikeRide", attributes: attributes, contentState: Data(json.utf8))
        #expect(shown.lockScreen[1].text == line)
    }
}
