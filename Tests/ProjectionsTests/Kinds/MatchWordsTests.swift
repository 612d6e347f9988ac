import Domain
import Foundation
import Projections
import Testing

/// What alerts and the card of a match say, in each language and of each sport.
struct MatchWordsTests {
    private func scheduled(
        _ sport: String = "football", home: String = "Reds"
    ) throws -> Story {
        var story = Story()
        try story.tell(
            "Match.MatchScheduled", at: -60,
            """
            {"competition":"Cup","homeTeam":"\(home)","awayTeam":"Blues","sport":"\(sport)",
            "kickoff":"\(Story.time(0))"}
            """
        )
        return story
    }

    private func inGerman(_ story: Story) -> Alert.Text? {
        story.changes.last?.alert?.translations[Language("de")]
    }

    /// Of the Lock Screen.
    private func lines(_ story: Story) throws -> [String] {
        let snapshot = try #require(story.snapshot)
        return try ActivityCatalog.tested.presentation(of: snapshot).lockScreen.map(\.text)
    }

    @Test func `the card of a match that is called off says what its alert says`() throws {
        var story = try scheduled()
        try story.tell("Match.MatchAbandoned", at: -30, #"{"reason":"Snow"}"#)
        #expect(story.alert == Alert(title: "Called off: Reds – Blues", body: "Snow"))
        #expect(story.changes.last?.assessment.reason == "The match was called off.")
        #expect(try lines(story) == ["Reds – Blues", "Called off", "Called off: Snow"])
        try story.tell("Match.PeriodStarted", at: -31, #"{"period":"firstHalf"}"#)
        #expect(try lines(story) == ["Reds 0–0 Blues", "Abandoned", "Abandoned: Snow"])
        try story.tell("Match.PeriodStarted", at: 0, #"{"period":"firstHalf"}"#)
        #expect(try lines(story) == ["Reds 0–0 Blues", "First half"])
    }

    @Test func `a name from right to left turns no score round`() throws {
        let home = "\u{5D4}\u{5E4}\u{5D5}\u{5E2}\u{5DC}"
        let isolated = "\u{2068}\(home)\u{2069}"
        var story = try scheduled(home: home)
        try story.tell(
            "Match.GoalScored", at: 22, #"{"goalID":"g1","team":"home","player":"\#(home)"}"#)
        // A body that is a name alone has nothing beside it.
        #expect(story.alert == Alert(title: "Goal! \(isolated) 1–0 Blues", body: home))
        #expect(inGerman(story)?.title == "Tor! \(isolated) 1–0 Blues")
        #expect(try lines(story)[0] == "\(isolated) 1–0 Blues")
        try story.tell(
            "Match.GoalDisallowed", at: 24, #"{"goalID":"g1","reason":"\#(home)"}"#)
        #expect(story.alert?.body == "\(isolated) does not count: \(isolated)")
    }

    @Test func `a goal of which only the minute is known has a sentence`() throws {
        var story = try scheduled()
        try story.tell(
            "Match.GoalScored", at: 88, #"{"goalID":"g1","team":"home","minute":88}"#)
        #expect(story.alert?.body == "Goal for Reds: 88'")
        #expect(inGerman(story)?.body == "Tor für Reds: 88'")
        try story.tell("Match.GoalDisallowed", at: 89, #"{"goalID":"g1"}"#)
        #expect(story.alert?.body == "The goal 88' does not count.")
        #expect(inGerman(story)?.body == "Das Tor 88' zählt nicht.")
    }

    @Test func `teams that nobody has named are called something in each language`() throws {
        var story = Story()
        try story.tell("Match.PeriodStarted", at: 0, #"{"period":"firstHalf"}"#)
        try story.tell("Match.GoalScored", at: 5, #"{"goalID":"g1","team":"home"}"#)
        #expect(story.alert == Alert(title: "Goal! Home 1–0 Away", body: "Home score."))
        #expect(
            inGerman(story) == Alert.Text(title: "Tor! Heim 1–0 Gast", body: "Tor für Heim."))
    }

    @Test func `a penalty of another sport is no kick from eleven metres`() throws {
        var story = try scheduled("handball")
        try story.tell("Match.PeriodStarted", at: 0, #"{"period":"firstHalf"}"#)
        try story.tell(
            "Match.GoalScored", at: 22,
            #"{"goalID":"g1","team":"home","player":"Ada","minute":22,"kind":"penalty"}"#)
        #expect(story.alert?.body == "Ada 22' (penalty)")
        #expect(inGerman(story)?.body == "Ada 22' (Penalty)")
        try story.tell("Match.GoalDisallowed", at: 24, #"{"goalID":"g1"}"#)
        #expect(inGerman(story)?.body == "Ada 22' (Penalty) zählt nicht.")
    }

    @Test func `what follows full time is called as in its sport`() throws {
        var story = try scheduled("ice hockey")
        try story.tell("Match.PeriodStarted", at: 65, #"{"period":"overtime"}"#)
        #expect(
            story.alert == Alert(title: "Overtime: Reds 0–0 Blues", body: "Overtime has begun."))
        #expect(inGerman(story)?.title == "Verlängerung: Reds 0–0 Blues")
        try story.tell("Match.ShootoutStarted", at: 75)
        #expect(
            story.alert == Alert(title: "Shoot-out: Reds 0–0 Blues", body: "The shoot-out is on."))
        #expect(inGerman(story)?.body == "Das Shoot-out läuft.")
        for (number, team) in [(1, "home"), (2, "away")] {
            try story.tell(
                "Match.ShootoutKickTaken", at: 75 + Double(number),
                #"{"number":\#(number),"team":"\#(team)","scored":\#(number == 1)}"#)
        }
        let shown = ["Reds 0–0 Blues", "Shoot-out", "1–0 in the shoot-out", "Shot missed"]
        #expect(try lines(story) == shown)
        try story.tell("Match.FullTimeReached", at: 80)
        #expect(story.alert?.body == "Reds win 1–0 in the shoot-out.")
        #expect(inGerman(story)?.body == "Reds gewinnt 1–0 im Shoot-out.")
    }
}
