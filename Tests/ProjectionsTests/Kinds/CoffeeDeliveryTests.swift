import Domain
import Foundation
import Projections
import Testing

struct CoffeeDeliveryTests {
    private typealias State = CoffeeDeliveryAttributes.ContentState

    private func ordered() throws -> Story {
        var story = Story()
        try story.tell(
            "CoffeeDelivery.OrderReceived", at: 0,
            #"{"coffeeName":"Flat White","estimatedAt":"\#(Story.time(15))"}"#)
        return story
    }

    private func wire(_ story: Story) -> String {
        String(decoding: story.snapshot?.contentState ?? Data(), as: UTF8.self)
    }

    @Test func `a status without raw value is an object on the wire`() throws {
        var story = try ordered()
        #expect(story.rule == "first")
        #expect(wire(story).contains(#""currentStatus":{"recieved":{}}"#))
        try story.tell("CoffeeDelivery.BrewingStarted", at: 2)
        #expect(wire(story).contains(#""currentStatus":{"preparing":{}}"#))
        #expect(story.rule == "progress")
        try story.tell("CoffeeDelivery.CourierLeft", at: 6)
        #expect(wire(story).contains(#""currentStatus":{"outForDelivery":{}}"#))
        #expect(
            story.alert == Alert(title: "On its way", body: "Flat White is out for delivery."))
    }

    @Test func `an ending keeps the last status, for the app knows no other`() throws {
        var story = try ordered()
        try story.tell("CoffeeDelivery.CourierLeft", at: 6)
        try story.tell("CoffeeDelivery.CoffeeDelivered", at: 14)
        #expect(story.alert == Alert(title: "Delivered", body: "Flat White is here."))
        #expect(story.changes.last?.assessment.ending != nil)
        let shown = try story.shown(State.self)
        #expect(shown.currentStatus == .outForDelivery && shown.outcome == .delivered)
        #expect(shown.estimatedAt == nil)
    }

    @Test func `a late report never takes the order back`() throws {
        var story = try ordered()
        try story.tell("CoffeeDelivery.CourierLeft", at: 6)
        let late = try story.tell("CoffeeDelivery.BrewingStarted", at: 2)
        #expect(!late.isVisible)
        #expect(try story.shown(State.self).currentStatus == .outForDelivery)
    }

    @Test func `the newest estimate stands, and only a jump is shown at once`() throws {
        var story = try ordered()
        try story.tell(
            "CoffeeDelivery.EstimateRevised", at: 4, #"{"estimatedAt":"\#(Story.time(17))"}"#)
        #expect(story.rule == "estimateDrift")
        try story.tell(
            "CoffeeDelivery.EstimateRevised", at: 5,
            #"{"estimatedAt":"\#(Story.time(25))","reason":"Long queue"}"#)
        #expect(story.rule == "estimate")
        #expect(try story.shown(State.self).note == "Long queue")
        let older = try story.tell(
            "CoffeeDelivery.EstimateRevised", at: 3, #"{"estimatedAt":"\#(Story.time(90))"}"#)
        #expect(!older.isVisible)
    }

    @Test func `a delay is told whichever report brings it`() throws {
        var story = try ordered()
        try story.tell(
            "CoffeeDelivery.BrewingStarted", at: 4, #"{"estimatedAt":"\#(Story.time(40))"}"#)
        #expect(story.rule == "delayed")
        #expect(story.alert != nil)
        #expect(try story.shown(State.self).currentStatus == .preparing)
    }

    @Test func `a cancellation says why`() throws {
        var story = try ordered()
        try story.tell("CoffeeDelivery.OrderCancelled", at: 3, #"{"reason":"No milk"}"#)
        #expect(story.alert == Alert(title: "Order cancelled", body: "No milk"))
        try story.tell("CoffeeDelivery.CoffeeDelivered", at: 2)
        #expect(story.rule == "afterEnd")
        #expect(try story.shown(State.self).outcome == .delivered)
        #expect(try story.shown(State.self).note == nil)
    }
}
