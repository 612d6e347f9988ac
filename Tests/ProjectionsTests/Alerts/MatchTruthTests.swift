import DeliveryRules
import Domain
import Foundation
import Projections
import TestSupport
import Testing

/// Real matches by a feed that is up to an hour late, says things twice, leaves periods out and
/// reports full time too early: nothing false is said, and nothing fresh is left unsaid.
struct MatchTruthTests {
    struct Counts {
        var matches = 0
        var alerts = 0
        var freshGoals = 0
        var lateGoals = 0
        var falseFullTimes = 0
    }

    private static let ofPeriods: Set = [
        "Match.PeriodStarted", "Match.PeriodEnded", "Match.ShootoutStarted",
    ]

    private func arrivals(
        _ match: ImportedMatch, _ random: inout SeededGenerator, _ counts: inout Counts
    ) -> [(event: NewEvent, at: Moment)] {
        var arrivals: [(event: NewEvent, at: Moment)] = []
        for event in match.events {
            let isOfPeriods = Self.ofPeriods.contains(event.type)
            if isOfPeriods, Int.random(in: 0..<3, using: &random) == 0 { continue }
            let late =
                switch Int.random(in: 0..<6, using: &random) {
                case 0: Double.random(in: 0...3600, using: &random)
                case 1: Double.random(in: 0...600, using: &random)
                default: Double.random(in: 0...5, using: &random)
                }
            arrivals.append((event, event.occurredAt.adding(seconds: late)))
            if Int.random(in: 0..<4, using: &random) == 0 {
                arrivals.append((event, event.occurredAt.adding(seconds: late + 30)))
            }
        }
        // Full time is reported once more, before the last kick or goal.
        let last = match.events.last {
            $0.type == "Match.ShootoutKickTaken" || $0.type == "Match.GoalScored"
        }
        if let last, let end = match.events.last, end.type == "Match.FullTimeReached" {
            var early = end
            early.id = "early"
            early.occurredAt = last.occurredAt.adding(seconds: -20)
            let isKick = last.type == "Match.ShootoutKickTaken"
            if isKick || end.occurredAt.seconds(since: last.occurredAt) < 900 {
                arrivals.append((early, early.occurredAt))
                counts.falseFullTimes += 1
            }
        }
        return arrivals.sorted { $0.at < $1.at }
    }

    private func check(_ match: ImportedMatch, seed: UInt64, _ counts: inout Counts) throws {
        var random = SeededGenerator(seed: seed)
        var ledger = Ledger()
        try ledger.record(arrivals(match, &random, &counts))
        try ledger.waitForEver()
        counts.matches += 1
        var known = KnownFacts()
        var hasEnded = false
        var result: Alert?
        for (recorded, decision) in zip(ledger.events, ledger.decisions) {
            let isNew = try known.take(recorded.event)
            if let alert = decision.alert {
                counts.alerts += 1
                #expect(!known.contradicts(alert), "\(match.name) \(seed) \(alert)")
                #expect(!hasEnded && decision.alertContext?.silence == nil)
            }
            if recorded.event.type == "Match.GoalScored", isNew, !hasEnded {
                let age = recorded.recordedAt.seconds(since: recorded.event.occurredAt)
                if age <= 900 { counts.freshGoals += 1 } else { counts.lateGoals += 1 }
                let isTold = ["goal", "resultCorrected"].contains(decision.rule)
                #expect(isTold, "\(match.name) \(seed) \(decision.rule)")
                // A correction of the result says it for as long as its card would have stayed.
                if age <= 900 { #expect(decision.alert != nil, "\(match.name) \(seed)") }
                if age > 1800 { #expect(decision.alert == nil, "\(match.name) \(seed)") }
            }
            switch decision.rule {
            case "fullTime", "resultCorrected": result = decision.alert ?? result
            case "extraTime", "shootout": result = nil
            default: break
            }
            if decision.verdict == .end, !hasEnded {
                hasEnded = true
                // The last result that was sent is true by all that is known then.
                let isFalse = result.map(known.contradicts) ?? false
                #expect(!isFalse, "\(match.name) \(seed)")
            }
        }
        #expect(hasEnded)
    }

    private func check(_ name: String, _ matches: [ImportedMatch], seeds: Range<UInt64>) throws {
        var counts = Counts()
        for match in matches {
            for seed in seeds { try check(match, seed: seed, &counts) }
        }
        print(
            "\(name): \(counts.matches) stories, \(counts.alerts) alerts, none false; "
                + "\(counts.freshGoals) fresh goals, none silent; \(counts.lateGoals) late goals; "
                + "\(counts.falseFullTimes) false full-times")
        #expect(counts.freshGoals > 0 && counts.alerts > counts.freshGoals)
    }

    @Test func `of the matches in the project`() throws {
        try check("World Cup 2022", try OpenFootball.fixture.worldCup2022(), seeds: 0..<8)
        try check("Euro 2020", try OpenFootball.fixture.euro2020(), seeds: 0..<8)
    }

    @Test(.needsSharedData)
    func `of whole tournaments`() throws {
        let openFootball = OpenFootball(folder: try SharedData.file("football/openfootball"))
        let euro2016 = Wyscout(folder: "football/wyscout")
        try check("World Cup 2022", try openFootball.worldCup2022(), seeds: 0..<3)
        try check("Euro 2020", try openFootball.euro2020(), seeds: 0..<3)
        try check("Euro 2016", try euro2016.timelines(), seeds: 0..<3)
        try check(
            "League", try Wyscout(folder: "football/wyscout-league").timelines(), seeds: 0..<3)
    }
}

/// What a feed has said so far, counted without the fold.
private struct KnownFacts {
    private struct Fact: Decodable {
        var goalID: String?
        var number: Int?
        var team: String?
        var scored: Bool?
        var result: String?
    }

    private var goals: [String: String] = [:]
    private var kicks: [Int: (team: String, isScored: Bool)] = [:]

    /// - Returns: whether it had not been said.
    mutating func take(_ event: NewEvent) throws -> Bool {
        guard event.type == "Match.GoalScored" || event.type == "Match.ShootoutKickTaken" else {
            return true
        }
        let fact = try JSONDecoder().decode(Fact.self, from: event.data)
        if let id = fact.goalID, let team = fact.team {
            defer { goals[id] = team }
            return goals[id] == nil
        }
        if let number = fact.number, let team = fact.team {
            kicks[number] = (team, fact.scored ?? (fact.result == "scored"))
        }
        return true
    }

    private func goals(_ team: String) -> Int { goals.values.count { $0 == team } }
    private func kicks(_ team: String) -> Int {
        kicks.values.count { $0.team == team && $0.isScored }
    }

    func contradicts(_ alert: Alert) -> Bool {
        let (home, away) = (goals("home"), goals("away"))
        // Sendings-off name no score.
        if alert.title.contains("–"), !alert.title.contains(" \(home)–\(away) ") { return true }
        guard alert.title.hasPrefix("Full time") || alert.title.hasPrefix("Correction") else {
            return false
        }
        if alert.body == "It ends level." { return home != away || !kicks.isEmpty }
        guard alert.body.hasSuffix("on penalties.") else { return home == away }
        let (first, second) = (kicks("home"), kicks("away"))
        let isAll = kicks.count == kicks.keys.max()
        return !isAll || !alert.body.contains("\(max(first, second))–\(min(first, second))")
            || first == second
    }
}
