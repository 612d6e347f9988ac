import Domain
import Projections
import Testing

struct `The attributes of a card that a push starts` {
    private func awaited<K: ActivityKind>(_ kind: K.Type) -> String? {
        kind.awaited(by: kind.initial)
    }

    @Test func `wait in every kind for the event that names what they show`() {
        let types = ActivityCatalog.standard.kinds.map { awaited($0) }
        #expect(
            Set(types) == [
                "PizzaDelivery.OrderPlaced", "Match.MatchScheduled", "CoffeeDelivery.OrderReceived",
                "BikeRide.BikeOrdered", "Adventure.AdventureBegun",
            ])
    }

    @Test func `wait no longer once it is there, however late`() throws {
        var story = Story()
        try story.tell("Match.PeriodStarted", at: 0, #"{"period":"firstHalf"}"#)
        #expect(story.snapshot?.awaits == "Match.MatchScheduled")
        try story.tell(
            "Match.MatchScheduled", at: 1,
            """
            {"competition":"Cup","homeTeam":"A","awayTeam":"B","kickoff":"\(Story.time(0))"}
            """)
        #expect(story.snapshot?.awaits == nil)
    }

    @Test func `wait for nothing after the end`() throws {
        var story = Story()
        try story.tell("PizzaDelivery.OrderAccepted", at: 0)
        #expect(story.snapshot?.awaits == "PizzaDelivery.OrderPlaced")
        try story.tell("PizzaDelivery.OrderDelivered", at: 1)
        #expect(story.snapshot?.awaits == nil)
    }
}
