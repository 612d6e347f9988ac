import Domain
import ProjectFiles
import Projections
import Testing

struct `The attributes of a card that a push starts` {
    private func awaited<K: ActivityKind>(_ kind: K.Type) -> String? {
        kind.awaited(by: kind.initial)
    }

    @Test func `wait for an event of the kind, if for any, and the page about starts lists it`()
        throws
    {
        let page = try ProjectFiles.text("docs/how-to/start-cards-remotely.md")
        let list = try #require(
            page.firstMatch(of: /that the card's attributes need:([\s\S]*?)\. Attributes never/))
        let listed = list.1.matches(of: /`([^`]+)`/).map { String($0.1) }
        #expect(Set(listed) == Set(ActivityCatalog.standard.kinds.compactMap { awaited($0) }))
        for kind in ActivityCatalog.tested.kinds {
            if let type = awaited(kind) { #expect(kind.eventTypes.contains { $0.name == type }) }
        }
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
