import Domain
import Foundation
import JSON
import Projections
import TestSupport
import Testing

struct MatchTests {
    private typealias State = MatchAttributes.ContentState

    private func kickedOff() throws -> Story {
        var story = Story()
        try story.tell(
            "Match.MatchScheduled", at: -60,
            """
            {"competition":"Cup","homeTeam":"Reds","awayTeam":"Blues","kickoff":"\(Story.time(0))"}
            """
        )
        #expect(story.snapshot?.phase == .scheduled)
        try story.tell("Match.PeriodStarted", at: 0, #"{"period":"firstHalf"}"#)
        #expect(story.rule == "kickOff")
        return story
    }

    private func goal(_ id: String, _ team: String = "home", _ rest: String = "") -> String {
        #"{"goalID":"\#(id)","team":"\#(team)"\#(rest)}"#
    }

    @Test func `a goal alerts with the score, the scorer and the minute`() throws {
        var story = try kickedOff()
        try story.tell(
            "Match.GoalScored", at: 22,
            goal("g1", "home", #","player":"Ada","minute":45,"addedMinutes":2,"kind":"penalty""#))
        #expect(
            story.alert == Alert(title: "Goal! Reds 1–0 Blues", body: "Ada 45+2' (penalty)"))
        #expect(try story.shown(State.self).lastEvent == "Goal: Ada 45+2' (penalty)")
        try story.tell("Match.GoalScored", at: 30, goal("g2", "away"))
        #expect(story.alert == Alert(title: "Goal! Reds 1–1 Blues", body: "Blues score."))
    }

    @Test func `a goal reported again counts once and is silent`() throws {
        var story = try kickedOff()
        try story.tell("Match.GoalScored", at: 22, goal("g1"))
        try story.tell("Match.GoalScored", at: 22, goal("g1"))
        #expect(story.rule == "unchanged")
        try story.tell("Match.GoalScored", at: 23, goal("g1", "home", #","player":"Ada""#))
        #expect(story.rule == "details")
        #expect(story.alert == nil)
        #expect(try story.shown(State.self).homeScore == 1)
        try story.tell("Match.GoalScored", at: 24, goal("g1", "away"))
        #expect(story.rule == "scoreCorrected")
        let shown = try story.shown(State.self)
        #expect((shown.homeScore, shown.awayScore) == (0, 1))
    }

    @Test func `a disallowed goal is taken back aloud`() throws {
        var story = try kickedOff()
        try story.tell("Match.GoalScored", at: 22, goal("g1", "home", #","player":"Ada""#))
        try story.tell("Match.GoalDisallowed", at: 24, #"{"goalID":"g1","reason":"Offside"}"#)
        #expect(
            story.alert
                == Alert(title: "No goal: Reds 0–0 Blues", body: "Ada does not count: Offside"))
        #expect(try story.shown(State.self).lastEvent == "Goal disallowed: Ada")
        try story.tell("Match.GoalScored", at: 26, goal("g1"))
        #expect(try story.shown(State.self).homeScore == 0)
        #expect(story.alert == nil)
    }

    @Test func `a goal whose disallowance came first never counts and never alerts`() throws {
        var story = try kickedOff()
        let early = try story.tell("Match.GoalDisallowed", at: 24, #"{"goalID":"g1"}"#)
        #expect(!early.isVisible)
        try story.tell("Match.GoalScored", at: 22, goal("g1"))
        #expect(story.alert == nil)
        #expect(try story.shown(State.self).homeScore == 0)
    }

    @Test func `the clock is a date that the phone counts from`() throws {
        var story = try kickedOff()
        #expect(try story.shown(State.self).clock == Story.start.date)
        try story.tell("Match.PeriodEnded", at: 47, #"{"period":"firstHalf"}"#)
        var shown = try story.shown(State.self)
        #expect(shown.clock == nil && shown.status == .interval)
        #expect(story.alert?.title == "Half-time: Reds 0–0 Blues")
        try story.tell("Match.PeriodStarted", at: 62, #"{"period":"secondHalf"}"#)
        shown = try story.shown(State.self)
        #expect(shown.clock == Story.start.adding(seconds: 17 * 60).date)
        #expect(story.alert == nil && story.rule == "period")
    }

    @Test func `the clock is put right quietly, and an older reading changes nothing`() throws {
        var story = try kickedOff()
        let adjust = #"{"period":"firstHalf","clockSeconds":600}"#
        try story.tell("Match.ClockAdjusted", at: 10.1, adjust)
        #expect(story.rule == "clock")
        #expect(story.changes.last?.assessment.significance == .ambient)
        #expect(try story.shown(State.self).clock == Story.start.adding(seconds: 6).date)
        let late = try story.tell(
            "Match.ClockAdjusted", at: 9, #"{"period":"firstHalf","clockSeconds":1}"#)
        #expect(!late.isVisible)
    }

    @Test func `a period that is over does not come back`() throws {
        var story = try kickedOff()
        try story.tell("Match.PeriodStarted", at: 62, #"{"period":"secondHalf"}"#)
        for (type, at) in [("PeriodEnded", 47.0), ("PeriodStarted", 1.0)] {
            let change = try story.tell("Match.\(type)", at: at, #"{"period":"firstHalf"}"#)
            #expect(!change.isVisible)
        }
        #expect(try story.shown(State.self).period == .secondHalf)
    }

    @Test func `a suspension stops the clock and resuming sets it`() throws {
        var story = try kickedOff()
        try story.tell("Match.PlaySuspended", at: 20, #"{"reason":"Fog"}"#)
        var shown = try story.shown(State.self)
        #expect(shown.status == .suspended && shown.clock == nil)
        #expect(shown.lastEvent == "Play suspended: Fog")
        try story.tell(
            "Match.PlayResumed", at: 50, #"{"period":"firstHalf","clockSeconds":1200}"#)
        shown = try story.shown(State.self)
        #expect(shown.status == .playing)
        #expect(shown.clock == Story.start.adding(seconds: 1800).date)
        #expect(try !story.tell("Match.PlaySuspended", at: 20, #"{"reason":"Fog"}"#).isVisible)
    }

    @Test func `only a sending-off alerts`() throws {
        var story = try kickedOff()
        let card = { (id: String, card: String) in
            #"{"cardID":"\#(id)","team":"away","card":"\#(card)","player":"Bo"}"#
        }
        try story.tell("Match.CardShown", at: 10, card("c1", "yellow"))
        #expect(story.rule == "card" && story.alert == nil)
        try story.tell("Match.CardShown", at: 20, card("c2", "secondYellow"))
        #expect(
            story.alert == Alert(title: "Red card for Blues", body: "Second yellow card: Bo"))
        #expect(try story.shown(State.self).awayRedCards == 1)
        try story.tell("Match.CardShown", at: 20, card("c2", "secondYellow"))
        #expect(story.rule == "unchanged")
    }

    @Test func `what goals and cards are is said in each language`() throws {
        func inGerman(_ story: Story) -> Alert.Text? {
            story.changes.last?.alert?.translations[Language("de")]
        }
        var story = try kickedOff()
        try story.tell(
            "Match.GoalScored", at: 22,
            goal("g1", "home", #","player":"Ada","minute":22,"kind":"penalty""#))
        #expect(inGerman(story)?.body == "Ada 22' (Elfmeter)")
        try story.tell("Match.GoalDisallowed", at: 24, #"{"goalID":"g1"}"#)
        #expect(story.alert?.body == "Ada 22' (penalty) does not count.")
        #expect(inGerman(story)?.body == "Ada 22' (Elfmeter) zählt nicht.")
        try story.tell("Match.GoalScored", at: 26, goal("g2", "home", #","kind":"ownGoal""#))
        #expect(story.alert?.body == "Goal for Reds (own goal)")
        #expect(inGerman(story)?.body == "Tor für Reds (Eigentor)")
        #expect(try story.shown(State.self).lastEvent == "Goal (own goal)")
        try story.tell(
            "Match.CardShown", at: 30,
            #"{"cardID":"c1","team":"away","card":"secondYellow","player":"Bo"}"#)
        #expect(inGerman(story)?.body == "Gelb-Rote Karte: Bo")
        try story.tell(
            "Match.CardShown", at: 31, #"{"cardID":"c2","team":"away","card":"red"}"#)
        #expect(story.alert?.body == "Red card")
        #expect(inGerman(story)?.body == "Rote Karte")
    }

    @Test func `two cards that send one player off are one sending-off`() throws {
        var story = try kickedOff()
        let card = { (id: String, card: String, player: String) in
            #"{"cardID":"\#(id)","team":"away","card":"\#(card)","player":"\#(player)"}"#
        }
        try story.tell("Match.CardShown", at: 20, card("c2", "secondYellow", "Bo"))
        #expect(story.rule == "redCard")
        try story.tell("Match.CardShown", at: 20.1, card("c3", "red", "Bo"))
        #expect(story.rule == "card" && story.alert == nil)
        let reason = story.changes.last?.assessment.reason
        #expect(reason == "The player was sent off before.")
        #expect(try story.shown(State.self).awayRedCards == 1)
        try story.tell("Match.CardShown", at: 30, card("c4", "red", "Cy"))
        #expect(story.rule == "redCard")
        #expect(try story.shown(State.self).awayRedCards == 2)
    }

    @Test func `fans hear that extra time and a shoot-out begin`() throws {
        var story = try kickedOff()
        try story.tell("Match.PeriodStarted", at: 115, #"{"period":"extraTimeFirstHalf"}"#)
        #expect(
            story.alert
                == Alert(title: "Extra time: Reds 0–0 Blues", body: "Extra time has begun."))
        try story.tell("Match.PeriodStarted", at: 132, #"{"period":"extraTimeSecondHalf"}"#)
        #expect(story.rule == "period" && story.alert == nil)
        try story.tell("Match.ShootoutStarted", at: 152)
        #expect(
            story.alert
                == Alert(title: "Penalties: Reds 0–0 Blues", body: "The shoot-out is on."))
    }

    @Test func `a kick has words for a policy that raises it to an alert`() throws {
        var book = PolicyBook()
        book.add(
            try ActivityCatalog.standard.newPolicy(
                ofKind: "Match", PolicyDocument(rules: ["shootoutKick": "alert"])),
            ofKind: "Match", fromPosition: 1)
        var story = Story()
        let change = try story.tell(
            NewEvent(
                id: "1", source: "test", type: "Match.ShootoutKickTaken", schemaVersion: 2,
                activityID: ActivityID(rawValue: "story"), occurredAt: Story.start,
                data: Data(
                    #"{"number":1,"team":"home","result":"scored","player":"Ada"}"#.utf8)),
            under: book)
        #expect(change.alert?.title == "Penalties: Home 1–0 Away")
        #expect(change.alert?.body == "Kick scored: Ada")
    }

    @Test func `a substitution is recorded and not pushed`() throws {
        var story = try kickedOff()
        let change = try story.tell(
            "Match.PlayerSubstituted", at: 60, #"{"team":"home","playerOn":"Cy","playerOff":"Ada"}"#
        )
        #expect(!change.isVisible)
        #expect(change.assessment.significance == .none)
    }

    @Test func `kicks decide by their numbers, not by their arrival`() throws {
        var story = try kickedOff()
        let kick = { (number: Int, team: String, scored: Bool) in
            #"{"number":\#(number),"team":"\#(team)","scored":\#(scored)}"#
        }
        try story.tell("Match.ShootoutKickTaken", at: 140, kick(2, "away", false))
        try story.tell("Match.ShootoutStarted", at: 139)
        try story.tell("Match.ShootoutKickTaken", at: 139.5, kick(1, "home", true))
        try story.tell("Match.ShootoutKickTaken", at: 139.5, kick(1, "home", true))
        var shown = try story.shown(State.self)
        #expect(shown.shootoutHome == 1 && shown.shootoutAway == 0)
        #expect(shown.period == .shootout && shown.clock == nil)
        try story.tell("Match.ShootoutKickTaken", at: 141, kick(2, "away", true))
        shown = try story.shown(State.self)
        #expect(shown.shootoutAway == 1)
        for (number, team) in [(3, "home"), (5, "home"), (7, "home")] {
            try story.tell(
                "Match.ShootoutKickTaken", at: 139 + Double(number), kick(number, team, true))
        }
        for number in [4, 6] {
            try story.tell(
                "Match.ShootoutKickTaken", at: 139 + Double(number), kick(number, "away", false))
        }
        try story.tell("Match.FullTimeReached", at: 147)
        #expect(
            story.alert
                == Alert(title: "Full time: Reds 0–0 Blues", body: "Reds win 4–1 on penalties."))
    }

    @Test func `a goal after full time is counted, and nobody is woken`() throws {
        var story = try kickedOff()
        try story.tell("Match.FullTimeReached", at: 95)
        #expect(story.alert?.body == "It ends level.")
        try story.waitForClock()
        #expect(story.rule == "endGrace")
        let change = try story.tell("Match.GoalScored", at: 90, goal("g1"))
        #expect(change.isVisible && change.assessment.significance == .none)
        #expect(try story.shown(State.self).homeScore == 1)
    }

    @Test func `an abandoned match ends with its reason`() throws {
        var story = try kickedOff()
        let change = try story.tell("Match.MatchAbandoned", at: 70, #"{"reason":"Flood"}"#)
        #expect(story.alert == Alert(title: "Abandoned: Reds 0–0 Blues", body: "Flood"))
        #expect(change.assessment.pendingEnding != nil)
    }

    @Test func `a match that is called off before it begins has no score`() throws {
        var story = Story()
        try story.tell(
            "Match.MatchScheduled", at: -60,
            """
            {"competition":"Cup","homeTeam":"Reds","awayTeam":"Blues","kickoff":"\(Story.time(0))"}
            """
        )
        try story.tell("Match.MatchAbandoned", at: -30)
        #expect(story.rule == "abandoned")
        #expect(
            story.alert
                == Alert(
                    title: "Called off: Reds – Blues", body: "The match will not be played."))
    }

    @Test func `a second sport counts its points and its periods`() throws {
        var story = Story()
        for period in ["firstQuarter", "secondQuarter", "thirdQuarter", "fourthQuarter"] {
            try story.tell("Match.PeriodStarted", at: 0, #"{"period":"\#(period)"}"#)
        }
        try story.tell("Match.GoalScored", at: 1, goal("a", "home", #","points":3"#))
        try story.tell("Match.GoalScored", at: 2, goal("b", "home", #","points":2"#))
        try story.tell("Match.PeriodStarted", at: 50, #"{"period":"overtime"}"#)
        let shown = try story.shown(State.self)
        #expect(shown.homeScore == 5 && shown.period == .overtime)
    }

    @Test func `an overtime may follow another, in any order of the reports`() throws {
        let reports: [(type: String, minute: Double)] = [
            ("PeriodStarted", 60), ("PeriodEnded", 65), ("PeriodStarted", 67), ("PeriodEnded", 72),
        ]
        var story = try kickedOff()
        var shown: [State] = []
        for report in reports {
            try story.tell("Match.\(report.type)", at: report.minute, #"{"period":"overtime"}"#)
            shown.append(try story.shown(State.self))
        }
        #expect(shown.map(\.status) == [.playing, .interval, .playing, .interval])
        #expect(shown[2].clock == Story.start.adding(seconds: 67 * 60).date)
        var late = try kickedOff()
        for report in reports.dropLast().reversed() {
            try late.tell("Match.\(report.type)", at: report.minute, #"{"period":"overtime"}"#)
        }
        #expect(try late.shown(State.self) == shown[2])
    }

    @Test func `other sports have full time after an extra time that a clock told`() throws {
        var story = Story()
        try story.tell(
            "Match.MatchScheduled", at: -60,
            """
            {"competition":"Cup","homeTeam":"Reds","awayTeam":"Blues","sport":"handball",
            "kickoff":"\(Story.time(0))"}
            """
        )
        try story.tell("Match.PeriodStarted", at: 40, #"{"period":"secondHalf"}"#)
        try story.tell(
            "Match.PlayResumed", at: 75, #"{"period":"extraTimeFirstHalf","clockSeconds":60}"#)
        try story.tell("Match.FullTimeReached", at: 85)
        #expect(story.rule == "fullTime")
    }

    @Test(arguments: [
        (#","sport":"rugby union""#, "secondHalf", 40.0), (#","sport":"Soccer""#, "secondHalf", -5),
        ("", "secondHalf", -5), ("", "fourthQuarter", 40),
    ])
    func `only football's clock goes on at 45 minutes, and only its minutes tell the period`(
        sport: String, period: String, zeroMinute: Double
    ) throws {
        var story = Story()
        try story.tell(
            "Match.MatchScheduled", at: -60,
            """
            {"competition":"Cup","homeTeam":"Reds","awayTeam":"Blues",
            "kickoff":"\(Story.time(0))"\(sport)}
            """
        )
        try story.tell("Match.PeriodStarted", at: 40, #"{"period":"\#(period)"}"#)
        var shown = try story.shown(State.self)
        #expect(shown.clock == Story.start.adding(seconds: zeroMinute * 60).date)
        try story.tell("Match.GoalScored", at: 90, goal("g", "home", #","minute":93"#))
        shown = try story.shown(State.self)
        let isFootball = zeroMinute < 0
        #expect(shown.period?.rawValue == (isFootball ? "extraTimeFirstHalf" : period))
    }

    @Test func `a feed that never stops sending goals does not grow the state`() throws {
        func state(after numbers: [Int]) throws -> MatchState {
            var state = MatchKind.initial
            for number in numbers {
                let event = try MatchKind.event(
                    type: "Match.GoalScored", schemaVersion: 1,
                    data: Data(goal("g\(number)").utf8))
                MatchKind.evolve(&state, with: event, occurredAt: Story.start)
            }
            return state
        }
        let forwards = try state(after: Array(0..<400))
        #expect(forwards.score(of: .home) == 256)
        #expect(WireCoder.encode(forwards).count < 64 * 1024)
        #expect(try forwards == state(after: (0..<400).reversed()))
    }
}
