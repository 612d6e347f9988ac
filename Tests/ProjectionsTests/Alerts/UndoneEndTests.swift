import DeliveryRules
import Domain
import Foundation
import Projections
import Testing

/// What was reported to be over by mistake goes on, once a report says so of a later time.
struct UndoneEndTests {
    private typealias State = MatchAttributes.ContentState
    private typealias Report = (type: String, minute: Double, data: String)

    private let scheduled: Report = (
        "MatchScheduled", -60,
        """
        {"competition":"Cup","homeTeam":"Reds","awayTeam":"Blues","kickoff":"\(Story.time(0))"}
        """
    )
    private let begun: Report = ("PeriodStarted", 0, #"{"period":"firstHalf"}"#)
    private let fullTime: Report = ("FullTimeReached", 47, "{}")
    private let secondHalf: Report = ("PeriodStarted", 48, #"{"period":"secondHalf"}"#)

    private func resumed(_ minute: Double, _ period: String, clock seconds: Int) -> Report {
        ("PlayResumed", minute, #"{"period":"\#(period)","clockSeconds":\#(seconds)}"#)
    }

    private func ledger(_ reports: [Report]) throws -> Ledger {
        var ledger = Ledger()
        try ledger.record(
            reports.enumerated().map { index, report in
                let at = Story.start.adding(seconds: report.minute * 60)
                let event = NewEvent(
                    id: "\(index)", source: "test", type: "Match.\(report.type)",
                    activityID: ActivityID(rawValue: "a"), occurredAt: at,
                    data: Data(report.data.utf8))
                return (event: event, at: at)
            })
        try ledger.waitForEver()
        return ledger
    }

    private func shown(_ decision: Decision?) throws -> State {
        let decision = try #require(decision)
        return try JSONDecoder().decode(State.self, from: decision.contentState)
    }

    @Test func `full time in the break is taken back, and comes when the match is over`() throws {
        let ledger = try ledger([
            scheduled, begun, fullTime, secondHalf, resumed(48.1, "secondHalf", clock: 2_706),
            ("GoalScored", 49, #"{"goalID":"1","team":"home","minute":46}"#),
            ("FullTimeReached", 95, "{}"),
        ])
        let told = ledger.decisions.filter { $0.alert != nil }
        #expect(told.map(\.rule) == ["fullTime", "resumed", "goal", "fullTime"])
        let resumed = try #require(told.dropFirst().first)
        #expect(resumed.alert?.title == "Correction: Reds 0–0 Blues")
        #expect(resumed.alert?.body == "The match is not over.")
        #expect(resumed.alertContext?.withdrawnSubjects.contains("result") == true)
        #expect(try shown(told.dropFirst(2).first).status == .playing)
        #expect(told.last?.alert?.body == "Reds win.")
        let ends = ledger.decisions.filter { $0.verdict == .end }
        #expect(ends.map(\.decidedAt) == [Story.start.adding(seconds: 97 * 60)])
    }

    @Test func `a match that was called off and is played has a kick-off`() throws {
        let ledger = try ledger([
            scheduled, ("MatchAbandoned", -1, #"{"reason":"Snow"}"#), begun,
            ("GoalScored", 3, #"{"goalID":"1","team":"home"}"#),
        ])
        let told = ledger.decisions.filter { $0.alert != nil }
        #expect(told.map(\.rule) == ["abandoned", "resumed", "goal"])
        #expect(told.dropFirst().first?.alert?.title == "Kick-off: Reds – Blues")
        let shown = try shown(told.last)
        #expect(shown.status == .playing && shown.calledOff == nil)
        #expect(shown.lastEvent == "Goal")
    }

    @Test func `play that is called back after half-time was reported has a clock again`() throws {
        var story = Story()
        let ended: Report = ("PeriodEnded", 40, #"{"period":"firstHalf"}"#)
        for report in [scheduled, begun, ended, resumed(41, "firstHalf", clock: 2_400)] {
            try story.tell("Match.\(report.type)", at: report.minute, report.data)
        }
        #expect(story.rule == "period" && story.alert == nil)
        #expect(story.changes.last?.assessment.alertContext.withdrawnSubjects == ["stage"])
        let shown = try story.shown(State.self)
        #expect(shown.status == .playing && shown.period == .firstHalf)
        #expect(shown.clock == Story.start.adding(seconds: 60).date)
        try story.tell("Match.PeriodEnded", at: 47, ended.data)
        #expect(story.rule == "halfTime")
    }

    @Test func `an end that was none is said in a break and while play is suspended, too`() throws {
        let played: [Report] = [scheduled, begun, secondHalf, ("FullTimeReached", 95, "{}")]
        let late = resumed(96, "secondHalf", clock: 4_860)
        let ended: Report = ("PeriodEnded", 97, #"{"period":"secondHalf"}"#)
        let firstHalf: Report = ("PeriodStarted", 98, #"{"period":"firstHalf"}"#)
        let stories: [([Report], Match.Status)] = [
            ([("PlaySuspended", 97, "{}"), late], .suspended), ([ended, late], .interval),
            ([ended, firstHalf], .interval),
        ]
        for (reports, status) in stories {
            var story = Story()
            for report in played + reports {
                try story.tell("Match.\(report.type)", at: report.minute, report.data)
            }
            #expect(try story.shown(State.self).status == status)
            #expect(story.rule == "resumed")
            #expect(story.alert?.title == "Correction: Reds 0–0 Blues")
            #expect(story.alert?.body == "The match is not over.")
            #expect(story.changes.last?.assessment.alertContext.isCorrection == true)
        }
    }

    @Test func `what happened before an end, or with it, undoes nothing when it comes late`()
        throws
    {
        let abandoned: Report = ("MatchAbandoned", 60, "{}")
        let ends: [(Report, Match.Status)] = [(fullTime, .finished), (abandoned, .abandoned)]
        for (end, status) in ends {
            for minute in [end.minute - 1, end.minute] {
                let late = resumed(minute, "firstHalf", clock: 2_700)
                for reports in [[begun, late, end], [begun, end, late]] {
                    var story = Story()
                    for report in reports {
                        try story.tell("Match.\(report.type)", at: report.minute, report.data)
                    }
                    #expect(try story.shown(State.self).status == status)
                }
            }
        }
    }
}
