import DeliveryRules
import Domain
import Foundation
import Projections
import Testing

/// Between an end and that of its card, only ends and results that are put right alert at any hour
/// and long after they happened.
struct GraceNewsTests {
    private typealias Report = (event: NewEvent, at: Moment)

    /// 18:00 UTC is the beginning of each story.
    private static let night = PolicyDocument(
        quietHours: .init(from: "18:30", to: "23:00", timeZone: "UTC"))

    private static let fullTime = report("FullTimeReached", at: 95)

    private static func report(
        _ type: String, at minute: Double, reportedAt: Double? = nil, _ data: String = "{}"
    ) -> Report {
        let happened = Story.start.adding(seconds: minute * 60)
        let event = NewEvent(
            id: "\(type)-\(minute)-\(data)", source: "test", type: "Match.\(type)",
            activityID: ActivityID(rawValue: "a"), occurredAt: happened, data: Data(data.utf8))
        return (event, Story.start.adding(seconds: (reportedAt ?? minute) * 60))
    }

    private static func redCard(at minute: Double, reportedAt: Double? = nil) -> Report {
        report(
            "CardShown", at: minute, reportedAt: reportedAt,
            #"{"cardID":"c","team":"home","card":"red"}"#)
    }

    private static func goal(at minute: Double, reportedAt: Double) -> Report {
        report("GoalScored", at: minute, reportedAt: reportedAt, #"{"goalID":"g","team":"home"}"#)
    }

    private static func kick(_ number: Int, isScored: Bool) -> Report {
        let team = number % 2 == 1 ? "home" : "away"
        return report(
            "ShootoutKickTaken", at: 150 + Double(number),
            #"{"number":\#(number),"team":"\#(team)","scored":\#(isScored)}"#)
    }

    private func ledger(
        _ reports: [Report], _ document: PolicyDocument? = nil, ofKind kind: String = "Match"
    ) throws -> Ledger {
        var book = PolicyBook()
        if let document {
            book.add(
                try ActivityCatalog.standard.policy(ofKind: kind, document, version: 1),
                ofKind: kind, fromPosition: 1)
        }
        var ledger = Ledger(book)
        try ledger.record(reports)
        try ledger.waitForEver()
        return ledger
    }

    private func played(_ reports: [Report], _ document: PolicyDocument? = nil) throws -> Ledger {
        let begun = Self.report("PeriodStarted", at: 0, #"{"period":"firstHalf"}"#)
        return try ledger([begun] + reports, document)
    }

    private func decision(_ rule: String, in ledger: Ledger) throws -> Decision {
        try #require(ledger.decisions.first { $0.rule == rule })
    }

    @Test(arguments: [false, true])
    func `an old red card alerts nobody, whether or not full time was reported`(
        isOver: Bool
    ) throws {
        let card = Self.redCard(at: 70.5, reportedAt: 95.5)
        let late = try decision("redCard", in: played(isOver ? [Self.fullTime, card] : [card]))
        #expect(late.verdict == .timely && late.alert == nil)
        #expect(late.alertContext?.silence == .late)
    }

    @Test func `a red card is news after full time, and no end`() throws {
        var story = Story()
        for report in [Self.fullTime, Self.redCard(at: 95.5)] { try story.tell(report.event) }
        let change = try #require(story.changes.last)
        #expect(change.assessment.rule == "redCard" && change.silence == nil)
        #expect(change.assessment.isOver && !change.assessment.tellsEnd)
        #expect(!change.assessment.isCritical)
    }

    @Test func `quiet hours keep a red card back after full time too, and the end drops it`() throws
    {
        let ledger = try played([Self.fullTime, Self.redCard(at: 95.5)], Self.night)
        #expect(try decision("fullTime", in: ledger).alert != nil)
        let card = try decision("redCard", in: ledger)
        #expect(card.verdict == .quiet && card.alertContext?.silence == .quietHours)
        let end = try #require(ledger.decisions.first { $0.verdict == .end })
        #expect(end.alert == nil && end.alertContext?.dropped == [card.version])
    }

    @Test func `a result that is put right long after alerts in quiet hours too`() throws {
        let goal = Self.goal(at: 70, reportedAt: 96)
        for document in [nil, Self.night] {
            let ledger = try played([Self.fullTime, goal], document)
            #expect(try decision("resultCorrected", in: ledger).alert != nil)
        }
    }

    @Test func `while a shoot-out is not decided an old goal alerts nobody`() throws {
        let ledger = try played([
            Self.report("ShootoutStarted", at: 150), Self.kick(1, isScored: true),
            Self.kick(2, isScored: true), Self.report("FullTimeReached", at: 160),
            Self.goal(at: 135.5, reportedAt: 160.5),
        ])
        #expect(try decision("undecided", in: ledger).verdict == .hold)
        #expect(try decision("goal", in: ledger).alertContext?.silence == .late)
    }

    @Test func `the result that a late kick brings alerts in quiet hours too`() throws {
        let kicks = (1...9).map { Self.kick($0, isScored: $0 < 9) }
        let ledger = try played(
            [Self.report("ShootoutStarted", at: 150)] + kicks
                + [Self.report("FullTimeReached", at: 159.5), Self.kick(10, isScored: true)],
            Self.night)
        #expect(try decision("undecided", in: ledger).verdict == .hold)
        let result = try decision("fullTime", in: ledger)
        #expect(result.verdict == .alert)
        #expect(result.alert?.body == "Away win 5–4 on penalties.")
    }

    @Test func `a harder end of an order alerts in quiet hours too`() throws {
        var document = Self.night
        document.thresholds = ["endGraceSeconds": 60]
        var reports: [Report] = []
        for (index, type) in ["OrderAccepted", "OrderCancelled", "OrderDelivered"].enumerated() {
            let at = Story.start.adding(seconds: 3600 + Double(index) * 30)
            let event = NewEvent(
                id: type, source: "test", type: "PizzaDelivery.\(type)",
                activityID: ActivityID(rawValue: "a"), occurredAt: at, data: Data("{}".utf8))
            reports.append((event, at))
        }
        let ledger = try ledger(reports, document, ofKind: "PizzaDelivery")
        #expect(ledger.told.map(\.decision.rule) == ["cancelled", "delivered"])
    }
}
