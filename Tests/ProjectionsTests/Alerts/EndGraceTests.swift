import DeliveryRules
import Domain
import Foundation
import Projections
import Testing

/// An end is sent at once, and the card ends when nothing has contradicted it for a while.
struct EndGraceTests {
    private typealias Report = (event: NewEvent, at: Moment)

    private static func report(_ type: String, at minute: Double, _ data: String = "{}") -> Report {
        let at = Story.start.adding(seconds: minute * 60)
        return (
            NewEvent(
                id: "\(type)-\(minute)-\(data)", source: "test", type: "Match.\(type)",
                activityID: ActivityID(rawValue: "a"), occurredAt: at, data: Data(data.utf8)), at
        )
    }

    private static func goal(_ id: String, at minute: Double) -> Report {
        report("GoalScored", at: minute, #"{"goalID":"\#(id)","team":"home"}"#)
    }

    private static func kick(_ number: Int, _ team: String, _ result: String) -> Report {
        report(
            "ShootoutKickTaken", at: 150 + Double(number),
            #"{"number":\#(number),"team":"\#(team)","scored":\#(result == "scored")}"#)
    }

    private let beginning: [Report] = [
        report(
            "MatchScheduled", at: -60,
            """
            {"competition":"Cup","homeTeam":"Reds","awayTeam":"Blues",
            "kickoff":"\(Story.time(0))"}
            """),
        report("PeriodStarted", at: 0, #"{"period":"firstHalf"}"#),
    ]

    private func ledger(
        _ reports: [Report], _ document: PolicyDocument? = nil
    ) throws -> Ledger {
        var book = PolicyBook()
        if let document {
            book.add(
                try ActivityCatalog.standard.policy(ofKind: "Match", document, version: 1),
                ofKind: "Match", fromPosition: 1)
        }
        var ledger = Ledger(book)
        try ledger.record(beginning + reports)
        try ledger.waitForEver()
        return ledger
    }

    private func shown(_ ledger: Ledger) throws -> MatchAttributes.ContentState {
        let end = try #require(ledger.decisions.last { $0.verdict == .end })
        return try JSONDecoder().decode(
            MatchAttributes.ContentState.self, from: end.contentState)
    }

    @Test func `the result goes out at once, and the end two minutes later without a word`() throws
    {
        let ledger = try ledger([Self.report("FullTimeReached", at: 95)])
        let told = ledger.decisions.filter { $0.rule == "fullTime" }
        #expect(told.map(\.verdict) == [.alert])
        #expect(told.first?.order?.isImmediate == true)
        let end = try #require(ledger.decisions.first { $0.verdict == .end })
        #expect(end.rule == "endGrace" && end.alert == nil)
        #expect(end.decidedAt == Story.start.adding(seconds: 97 * 60))
        #expect(end.dismissAt == end.decidedAt.adding(seconds: 1800))
        #expect(ledger.events.filter { $0.event.type.hasSuffix("EndGracePassed") }.count == 1)
    }

    @Test func `a correction within the grace reaches the phone, and has a grace of its own`()
        throws
    {
        let ledger = try ledger([
            Self.report("FullTimeReached", at: 95), Self.goal("late", at: 96),
        ])
        let corrected = try #require(ledger.decisions.first { $0.rule == "resultCorrected" })
        #expect(corrected.verdict == .alert)
        #expect(corrected.alert?.title == "Correction: Reds 1–0 Blues")
        #expect(corrected.alert?.body == "Reds win.")
        let end = try #require(ledger.decisions.first { $0.verdict == .end })
        #expect(end.decidedAt == Story.start.adding(seconds: 98 * 60))
        #expect(try shown(ledger).homeScore == 1)
    }

    @Test func `a report of the same end once more ends the card, without a second alert`() throws {
        let ledger = try ledger([
            Self.report("FullTimeReached", at: 95), Self.report("FullTimeReached", at: 95.5),
        ])
        #expect(ledger.decisions.filter { $0.alert != nil }.count == 1)
        let end = try #require(ledger.decisions.first { $0.verdict == .end })
        #expect(end.rule == "confirmed")
        #expect(end.decidedAt == Story.start.adding(seconds: 95.5 * 60))
    }

    @Test func `the policy says how long, and a grace of 0 ends the card with the result`() throws {
        for (seconds, rule) in [(0.0, "fullTime"), (600, "endGrace")] {
            let ledger = try ledger(
                [Self.report("FullTimeReached", at: 95)],
                PolicyDocument(thresholds: ["endGraceSeconds": seconds]))
            let end = try #require(ledger.decisions.first { $0.verdict == .end })
            #expect(end.rule == rule)
            #expect((end.alert != nil) == (seconds == 0))
            #expect(end.decidedAt == Story.start.adding(seconds: 95 * 60 + seconds))
        }
    }

    @Test func `the result is sent in quiet hours too, with all that they kept back`() throws {
        let ledger = try ledger(
            [Self.goal("1", at: 80), Self.report("FullTimeReached", at: 95)],
            PolicyDocument(
                quietHours: .init(from: "18:30", to: "23:00", timeZone: "UTC")))
        let result = try #require(ledger.decisions.first { $0.rule == "fullTime" })
        #expect(result.verdict == .alert && result.alertContext?.carried.count == 1)
    }

    @Test func `full time before the last kick is not told until the kicks decide`() throws {
        let kicks = (1...9).map {
            Self.kick($0, $0 % 2 == 1 ? "home" : "away", $0 == 9 ? "saved" : "scored")
        }
        let early = Self.report("FullTimeReached", at: 159.5)
        let last = Self.kick(10, "away", "scored")
        let ledger = try ledger(
            [Self.report("ShootoutStarted", at: 150)] + kicks + [early, last])
        #expect(ledger.told.allSatisfy { !$0.alert.body.contains("level") })
        let undecided = try #require(ledger.decisions.first { $0.rule == "undecided" })
        #expect(undecided.verdict == .hold)
        let result = try #require(ledger.decisions.first { $0.rule == "fullTime" })
        #expect(result.alert?.body == "Blues win 5–4 on penalties.")
        #expect(result.decidedAt == last.at)
        #expect(try shown(ledger).shootoutAway == 5)
        let end = try #require(ledger.decisions.first { $0.verdict == .end })
        #expect(end.decidedAt == last.at.adding(seconds: 120))
    }

    @Test func `a shoot-out that begins after full time takes the result back`() throws {
        let ledger = try ledger([
            Self.report("FullTimeReached", at: 150.5), Self.kick(1, "home", "scored"),
            Self.kick(2, "away", "saved"), Self.report("FullTimeReached", at: 170),
        ])
        let told = ledger.decisions.filter { $0.alert != nil }
        #expect(told.map(\.rule) == ["fullTime", "shootout"])
        #expect(told.last?.alertContext?.withdrawnSubjects.contains("result") == true)
    }

    @Test func `a report of a period that comes after full time takes nothing back`() throws {
        // It began before, or at the same moment if the feed counts in minutes.
        var started = Self.report("PeriodStarted", at: 95.02, #"{"period":"secondHalf"}"#)
        started.event.occurredAt = Story.start.adding(seconds: 95 * 60)
        let ledger = try ledger([
            Self.report("FullTimeReached", at: 95),
            Self.report("PeriodEnded", at: 95.01, #"{"period":"secondHalf"}"#), started,
        ])
        let told = ledger.decisions.filter { $0.alert != nil }
        #expect(told.map(\.rule) == ["fullTime"])
        let late = ledger.decisions.drop { $0.rule != "fullTime" }.dropFirst().prefix(2)
        #expect(late.allSatisfy { $0.alertContext?.withdrawnSubjects.contains("result") != true })
        #expect(late.allSatisfy { ["details", "unchanged"].contains($0.rule) })
    }

    @Test func `after kicks a second report of full time waits for the last one`() throws {
        let kicks = (1...5).map {
            Self.kick($0, $0 % 2 == 1 ? "home" : "away", $0 % 2 == 1 ? "scored" : "saved")
        }
        var last = Self.kick(6, "away", "scored")
        last.at = last.at.adding(seconds: 3)
        let ledger = try ledger(
            [Self.report("ShootoutStarted", at: 150)] + kicks
                + [
                    Self.report("FullTimeReached", at: 155.5),
                    Self.report("FullTimeReached", at: 156.02), last,
                ])
        let told = ledger.decisions.filter { $0.alert != nil }
        #expect(told.last?.alert?.body == "Reds win 3–1 on penalties.")
        #expect(try shown(ledger).shootoutAway == 1)
    }

    @Test func `a kick from before full time that comes after it takes nothing back`() throws {
        let kicks = (1...5).map {
            Self.kick($0, $0 % 2 == 1 ? "home" : "away", $0 % 2 == 1 ? "scored" : "saved")
        }
        var last = Self.kick(6, "away", "saved")
        last.at = last.at.adding(seconds: 2)
        let ledger = try ledger(
            [Self.report("ShootoutStarted", at: 150)] + kicks
                + [Self.report("FullTimeReached", at: 156 + 1 / 60), last])
        let told = ledger.decisions.filter { $0.alert != nil }
        #expect(told.map(\.rule) == ["shootout", "fullTime"])
        #expect(told.last?.alert?.body == "Reds win 3–0 on penalties.")
        let late = zip(ledger.events, ledger.decisions).first { $0.0.event.id == last.event.id }
        #expect(
            late?.1.rule == "details"
                && late?.1.alertContext?.withdrawnSubjects.contains("result") != true)
    }

    @Test func `a kick that is sent again with more of it after full time takes nothing back`()
        throws
    {
        // Of three rounds that is enough; of five, both could still win.
        let kicks = (1...4).map {
            Self.kick($0, $0 % 2 == 1 ? "home" : "away", $0 % 2 == 1 ? "scored" : "saved")
        }
        let named = Self.report(
            "ShootoutKickTaken", at: 155.5,
            #"{"number":3,"team":"home","scored":true,"player":"Ada"}"#)
        var explained = Self.report(
            "ShootoutKickTaken", at: 155.6, #"{"number":4,"team":"away","result":"saved"}"#)
        explained.event.schemaVersion = 2
        let ledger = try ledger(
            [Self.report("ShootoutStarted", at: 150)] + kicks
                + [Self.report("FullTimeReached", at: 155), named, explained])
        let told = ledger.decisions.filter { $0.alert != nil }
        #expect(told.map(\.rule) == ["shootout", "fullTime"])
        #expect(told.last?.alert?.body == "Reds win 2–0 on penalties.")
        #expect(try shown(ledger).status == .finished)
    }

    @Test func `a result that a later kick shows to be none is taken back and sent again`() throws {
        let kicks = (1...5).map { Self.kick($0, $0 % 2 == 1 ? "home" : "away", "scored") }
        let rest = (6...8).map {
            Self.kick($0, $0 % 2 == 1 ? "home" : "away", $0 % 2 == 1 ? "scored" : "saved")
        }
        let ledger = try ledger(
            [Self.report("ShootoutStarted", at: 150)] + kicks
                + [Self.report("FullTimeReached", at: 155.5)] + rest)
        let told = ledger.decisions.filter { $0.alert != nil }
        #expect(told.map(\.rule) == ["shootout", "fullTime", "shootout", "fullTime"])
        #expect(told.last?.alert?.body == "Reds win 4–2 on penalties.")
    }

    @Test func `a deciding kick that is taken once more takes the result back`() throws {
        let kicks = (1...10).map {
            Self.kick($0, $0 % 2 == 1 ? "home" : "away", $0 == 10 ? "saved" : "scored")
        }
        let again = Self.report(
            "ShootoutKickTaken", at: 160.8, #"{"number":10,"team":"away","scored":true}"#)
        let rest = [Self.kick(11, "home", "scored"), Self.kick(12, "away", "saved")]
        let ledger = try ledger(
            [Self.report("ShootoutStarted", at: 150)] + kicks
                + [Self.report("FullTimeReached", at: 160.5), again] + rest)
        let told = ledger.decisions.filter { $0.alert != nil }
        #expect(told.map(\.rule) == ["shootout", "fullTime", "shootout", "fullTime"])
        #expect(told[2].alertContext?.withdrawnSubjects.contains("result") == true)
        // As nobody has heard it before.
        #expect(told[0].alert?.body == "The shoot-out is on.")
        #expect(told[2].alert?.body == "The shoot-out goes on.")
        #expect(told.last?.alert?.body == "Reds win 6–5 on penalties.")
    }

    @Test func `a kick that is never reported leaves nothing false, and the card ends`() throws {
        let ledger = try ledger([
            Self.report("ShootoutStarted", at: 150), Self.kick(1, "home", "scored"),
            Self.kick(2, "away", "scored"), Self.report("FullTimeReached", at: 160),
        ])
        #expect(ledger.decisions.allSatisfy { $0.rule != "fullTime" })
        let end = try #require(ledger.decisions.first { $0.verdict == .end })
        #expect(end.alert == nil)
        #expect(end.decidedAt == Story.start.adding(seconds: 175 * 60))
    }

    @Test func `extra time that begins after full time takes it back`() throws {
        let ledger = try ledger(
            [
                Self.report("PeriodStarted", at: 62, #"{"period":"secondHalf"}"#),
                Self.report("FullTimeReached", at: 110),
                Self.report("PeriodStarted", at: 115, #"{"period":"extraTimeFirstHalf"}"#),
                Self.goal("1", at: 120), Self.report("FullTimeReached", at: 150),
            ], PolicyDocument(thresholds: ["endGraceSeconds": 600]))
        let rules = ledger.decisions.filter { $0.alert != nil }.map(\.rule)
        #expect(rules == ["fullTime", "extraTime", "goal", "fullTime"])
        #expect(ledger.decisions.filter { $0.verdict == .end }.count == 1)
        #expect(try shown(ledger).homeScore == 1)
    }

    @Test func `a goal of extra time that is corrected after full time leaves the match finished`()
        throws
    {
        let goal = { (player: String, minute: Double) in
            Self.report(
                "GoalScored", at: minute,
                #"{"goalID":"g","team":"home","player":"\#(player)","minute":106}"#)
        }
        let ledger = try ledger([
            goal("Ada", 124), Self.report("FullTimeReached", at: 138), goal("Bea", 139),
        ])
        #expect(ledger.decisions.filter { $0.alert != nil }.map(\.rule) == ["goal", "fullTime"])
        #expect(try shown(ledger).status == .finished)
        let end = try #require(ledger.decisions.first { $0.verdict == .end })
        #expect(end.decidedAt == Story.start.adding(seconds: 141 * 60))
    }

    @Test func `an order may have a grace as well, and hears of a harder end`() throws {
        var book = PolicyBook()
        book.add(
            try ActivityCatalog.standard.policy(
                ofKind: "PizzaDelivery", PolicyDocument(thresholds: ["endGraceSeconds": 60]),
                version: 1), ofKind: "PizzaDelivery", fromPosition: 1)
        var ledger = Ledger(book)
        for (index, type) in ["OrderAccepted", "OrderCancelled", "OrderDelivered"].enumerated() {
            let at = Story.start.adding(seconds: Double(index) * 30)
            try ledger.record(
                NewEvent(
                    id: type, source: "test", type: "PizzaDelivery.\(type)",
                    activityID: ActivityID(rawValue: "a"), occurredAt: at, data: Data("{}".utf8)),
                at: at)
        }
        try ledger.waitForEver()
        #expect(ledger.told.map(\.decision.rule) == ["cancelled", "delivered"])
        let end = try #require(ledger.decisions.first { $0.verdict == .end })
        #expect(end.rule == "endGrace")
        #expect(end.decidedAt == Story.start.adding(seconds: 120))
    }

    /// Before there was a grace the clock said nothing of the end, and later that the card is gone.
    @Test func `a log of the time before the grace ends as it did`() throws {
        var ledger = Ledger()
        try ledger.record(beginning + [Self.report("FullTimeReached", at: 95)])
        var gone = try #require(try ledger.due)
        gone.type = ActivityClock.Event.dismissed.type
        gone.occurredAt = Story.start.adding(seconds: 125 * 60)
        try ledger.record(gone, at: gone.occurredAt)
        #expect(ledger.snapshots.last?.phase == .ended)
        #expect(try ledger.due == nil)
        #expect(ledger.decisions.last?.verdict == .hold)
    }
}
