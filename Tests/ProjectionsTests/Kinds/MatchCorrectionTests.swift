import Domain
import Foundation
import Projections
import Testing

/// What a report repeats says nothing new, and what it says counts whatever is known of the match.
struct MatchCorrectionTests {
    private typealias State = MatchAttributes.ContentState

    private func scheduled() throws -> Story {
        var story = Story()
        try story.tell("Match.MatchScheduled", at: -60, schedule())
        return story
    }

    private func schedule(_ home: String = "Reds", kickOffAt minute: Double = 0) -> String {
        """
        {"competition":"Cup","homeTeam":"\(home)","awayTeam":"Blues",
        "kickoff":"\(Story.time(minute))"}
        """
    }

    /// What counts down on a card that was started before anything was corrected.
    private func countdown(_ contentState: Data) throws -> Presentation.Clock? {
        let started = try #require(scheduled().snapshot)
        let shown = try ActivityCatalog.tested.presentation(
            kind: "Match", attributes: started.attributes, contentState: contentState)
        return shown.lockScreen.compactMap(\.clock).first
    }

    @Test func `a kick-off that is moved is shown, and goes stale after the new one`() throws {
        var story = try scheduled()
        let moved = try story.tell("Match.MatchScheduled", at: -50, schedule(kickOffAt: 240))
        #expect(story.rule == "kickOffMoved" && moved.assessment.significance == .timely)
        let kickOff = Story.start.adding(seconds: 240 * 60)
        #expect(moved.assessment.staleAt == kickOff.adding(seconds: 1800))
        #expect(try story.shown(State.self).kickoff == kickOff.date)
        #expect(try countdown(moved.snapshot.contentState) == .countdown(to: kickOff))
        try story.tell("Match.PeriodStarted", at: 240, #"{"period":"firstHalf"}"#)
        #expect(story.rule == "kickOff")
        #expect(try story.shown(State.self).kickoff == nil)
    }

    @Test func `a state of before it had a kick-off counts down to that of the attributes`() throws
    {
        let older = Data(#"{"homeScore":0,"awayScore":0,"status":"scheduled"}"#.utf8)
        #expect(try countdown(older) == .countdown(to: Story.start))
    }

    @Test func `other names reach no card that runs, and the reason says so`() throws {
        let kept = "cards that were started before keep theirs"
        var story = try scheduled()
        #expect(story.changes.last?.assessment.reason.contains(kept) == false)
        let renamed = try story.tell("Match.MatchScheduled", at: -50, schedule("Greens"))
        #expect(story.rule == Decision.attributesRule)
        #expect(!renamed.isVisible && renamed.assessment.significance == .none)
        #expect(renamed.assessment.reason.contains(kept))
        let both = schedule("Yellows", kickOffAt: 60)
        let moved = try story.tell("Match.MatchScheduled", at: -40, both)
        #expect(story.rule == "kickOffMoved")
        #expect(moved.assessment.reason.contains(kept))
        try story.tell("Match.MatchScheduled", at: -30, both)
        #expect(story.rule == "unchanged")
    }

    @Test func `a goal that is corrected later leaves the clock as it was, in either order`() throws
    {
        let reports: [(minute: Double, player: String)] = [(75, "Ada"), (95, "Bea")]
        for order in [reports, reports.reversed()] {
            var story = try scheduled()
            for report in order {
                try story.tell(
                    "Match.GoalScored", at: report.minute,
                    #"{"goalID":"g","team":"home","player":"\#(report.player)","minute":60}"#)
            }
            var shown = try story.shown(State.self)
            #expect(shown.clock == Story.start.adding(seconds: 15.5 * 60).date)
            #expect(shown.lastEvent == "Goal: Bea 60'")
            // A later minute tells more.
            try story.tell(
                "Match.CardShown", at: 100,
                #"{"cardID":"c","team":"home","card":"yellow","minute":84}"#)
            shown = try story.shown(State.self)
            #expect(shown.clock == Story.start.adding(seconds: 16.5 * 60).date)
        }
    }

    @Test(arguments: [78, 98], ["GoalScored", "CardShown"])
    func `a mistyped minute tells nothing once it is corrected, in either order`(
        mistyped: Int, type: String
    ) throws {
        let reports: [(at: Double, minute: Int)] = [(73, mistyped), (74, 58)]
        for order in [reports, reports.reversed()] {
            var story = try scheduled()
            for report in order {
                try story.tell(
                    "Match.\(type)", at: report.at,
                    """
                    {"\(type == "GoalScored" ? "goalID" : "cardID")":"1","team":"home",
                    "card":"yellow","minute":\(report.minute)}
                    """)
            }
            let shown = try story.shown(State.self)
            #expect(shown.period == .secondHalf)
            #expect(shown.clock == Story.start.adding(seconds: 16.5 * 60).date)
        }
    }

    @Test func `what is sent again, or put right, is not the last event once more`() throws {
        let red = #"{"cardID":"c","team":"away","card":"red","player":"Cy","minute":41}"#
        func goal(_ player: String) -> String {
            #"{"goalID":"g","team":"home","player":"\#(player)","minute":3}"#
        }
        let reports = [
            ("GoalScored", 3.0, goal("Ada")), ("CardShown", 41, red),
            ("GoalScored", 42, goal("Ada")), ("GoalScored", 43, goal("Bea")),
        ]
        var story = try scheduled()
        for (type, minute, data) in reports { try story.tell("Match.\(type)", at: minute, data) }
        #expect(story.changes[3].isVisible == false)
        #expect(try story.shown(State.self).lastEvent == "Red card: Cy 41'")
        var reversed = try scheduled()
        for (type, minute, data) in reports.reversed() {
            try reversed.tell("Match.\(type)", at: minute, data)
        }
        #expect(try reversed.shown(State.self) == story.shown(State.self))
        // That a goal is taken back is news, and said once.
        try story.tell("Match.GoalDisallowed", at: 44, #"{"goalID":"g"}"#)
        #expect(try story.shown(State.self).lastEvent == "Goal disallowed: Bea 3'")
        try story.tell(
            "Match.CardShown", at: 45,
            #"{"cardID":"d","team":"home","card":"yellow","player":"Di","minute":45}"#)
        try story.tell("Match.GoalDisallowed", at: 46, #"{"goalID":"g"}"#)
        #expect(try story.shown(State.self).lastEvent == "Yellow card: Di 45'")
    }

    @Test func `a kick that is put right is not the last one once more`() throws {
        var story = try scheduled()
        for (minute, number, scored) in [(130.0, 1, true), (131, 2, true), (132, 1, false)] {
            try story.tell(
                "Match.ShootoutKickTaken", at: minute,
                """
                {"number":\(number),"team":"\(number == 1 ? "home" : "away")",
                "scored":\(scored),"player":"P\(number)"}
                """)
        }
        let shown = try story.shown(State.self)
        #expect(shown.shootoutHome == 0 && shown.lastEvent == "Kick scored: P2")
    }

    @Test func `a suspension is shown in a period that nobody has named`() throws {
        var story = try scheduled()
        try story.tell(
            "Match.GoalScored", at: 12, #"{"goalID":"g","team":"home","minute":12}"#)
        #expect(try story.shown(State.self).status == .playing)
        try story.tell("Match.PlaySuspended", at: 20, #"{"reason":"Fog"}"#)
        #expect(story.rule == "suspended")
        let shown = try story.shown(State.self)
        #expect(shown.status == .suspended && shown.period == nil)
        #expect(shown.lastEvent == "Play suspended: Fog")
    }
}
