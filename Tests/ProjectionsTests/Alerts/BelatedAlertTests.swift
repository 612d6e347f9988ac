import DeliveryRules
import Domain
import Foundation
import Projections
import TestSupport
import Testing

/// Goals, cards and kicks are judged by their own times, whatever is known of periods and clocks.
struct FreshNewsTests {
    private static let facts: Set = [
        "Match.GoalScored", "Match.CardShown", "Match.ShootoutKickTaken",
    ]
    private static let ofPeriods: Set = [
        "Match.PeriodStarted", "Match.PeriodEnded", "Match.ClockAdjusted", "Match.PlaySuspended",
        "Match.PlayResumed", "Match.ShootoutStarted",
    ]

    /// By the ids of the facts.
    private func verdicts(_ arrivals: [(event: NewEvent, at: Moment)]) throws -> [String: Verdict] {
        var ledger = Ledger()
        try ledger.record(arrivals)
        var verdicts: [String: Verdict] = [:]
        for (recorded, decision) in zip(ledger.events, ledger.decisions)
        where Self.facts.contains(recorded.event.type) {
            verdicts[recorded.event.id] = decision.verdict
            #expect(decision.alertContext?.silence == nil)
        }
        return verdicts
    }

    /// Each fact at once; of the periods some nothing, some up to an hour late.
    private func check(_ matches: [ImportedMatch], seeds: Range<UInt64>) throws -> Int {
        var goals = 0
        for match in matches {
            let inTime = match.events.map { (event: $0, at: $0.occurredAt) }
            let expected = try verdicts(inTime)
            goals += match.events.count { $0.type == "Match.GoalScored" }
            for seed in seeds {
                var random = SeededGenerator(seed: seed)
                let arrivals = inTime.compactMap { arrival -> (event: NewEvent, at: Moment)? in
                    guard Self.ofPeriods.contains(arrival.event.type) else { return arrival }
                    // The first seed knows nothing of any period.
                    switch seed == 0 ? 0 : Int.random(in: 0..<3, using: &random) {
                    case 0: return nil
                    case 1: return arrival
                    default:
                        let late = Double.random(in: 0...3600, using: &random)
                        return (arrival.event, arrival.at.adding(seconds: late))
                    }
                }
                let actual = try verdicts(arrivals.sorted { $0.at < $1.at })
                #expect(actual == expected, "\(match.name), \(seed)")
            }
        }
        return goals
    }

    @Test func `of the matches in the project is sent, whatever is missing of the periods`() throws
    {
        let worldCup = try check(OpenFootball.fixture.worldCup2022(), seeds: 0..<6)
        let euro = try check(OpenFootball.fixture.euro2020(), seeds: 0..<6)
        print("fresh goals told without periods: World Cup 2022 \(worldCup), Euro 2020 \(euro)")
        #expect(worldCup > 30 && euro > 30)
    }

    @Test(.needsSharedData)
    func `of whole tournaments is sent, whatever is missing of the periods`() throws {
        let openFootball = OpenFootball(folder: try SharedData.file("football/openfootball"))
        let sets = [
            ("World Cup 2022", try openFootball.worldCup2022()),
            ("Euro 2020", try openFootball.euro2020()),
            ("Euro 2016", try Wyscout(folder: "football/wyscout").timelines()),
            ("League", try Wyscout(folder: "football/wyscout-league").timelines()),
        ]
        for (name, matches) in sets {
            let goals = try check(matches, seeds: 0..<3)
            print("fresh goals told without periods: \(name), \(matches.count) matches, \(goals)")
        }
    }

    @Test func `is old by its time alone`() throws {
        func silence(lateSeconds: Double) throws -> Silence? {
            var story = Story()
            try story.tell("Match.PeriodStarted", at: 0, #"{"period":"firstHalf"}"#)
            let change = try story.tell(
                "Match.GoalScored", at: 75 - lateSeconds / 60, recordedAtMinute: 75,
                #"{"goalID":"1","team":"home","minute":60}"#)
            return change.silence
        }
        #expect(try silence(lateSeconds: 25) == nil)
        #expect(try silence(lateSeconds: 900) == nil)
        #expect(try silence(lateSeconds: 901) == .late)
    }

    @Test func `makes a later period known by its minute, with about the right clock`() throws {
        var story = Story()
        try story.tell("Match.PeriodStarted", at: 0, #"{"period":"firstHalf"}"#)
        let goal = #"{"goalID":"1","team":"home","minute":60}"#
        try story.tell("Match.GoalScored", at: 77, goal)
        var shown = try story.shown(MatchAttributes.ContentState.self)
        #expect(shown.period == .secondHalf && shown.status == .playing)
        #expect(shown.clock == Story.start.adding(seconds: 77 * 60 - 59.5 * 60).date)
        // What was known of the clock all the while is better, however late it comes.
        try story.tell("Match.PeriodStarted", at: 62, #"{"period":"secondHalf"}"#)
        #expect(story.alert == nil)
        shown = try story.shown(MatchAttributes.ContentState.self)
        #expect(shown.clock == Story.start.adding(seconds: 17 * 60).date)
        try story.tell(
            "Match.GoalScored", at: 64,
            #"{"goalID":"2","team":"home","minute":45,"addedMinutes":3}"#)
        #expect(try story.shown(MatchAttributes.ContentState.self).period == .secondHalf)
    }
}

extension Story {
    /// Folds an event that happened and was recorded so many minutes after the beginning.
    @discardableResult
    mutating func tell(
        _ type: String, at minute: Double, recordedAtMinute: Double, _ data: String = "{}"
    ) throws -> FoldedChange {
        try tell(
            NewEvent(
                id: "\(events.count)", source: "test", type: type,
                activityID: ActivityID(rawValue: "story"),
                occurredAt: Self.start.adding(seconds: minute * 60), data: Data(data.utf8)),
            recordedAt: Self.start.adding(seconds: recordedAtMinute * 60))
    }
}
