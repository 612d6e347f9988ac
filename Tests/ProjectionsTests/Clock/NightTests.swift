import DeliveryRules
import Domain
import Foundation
import Projections
import TestSupport
import Testing

/// Quiet hours from the report to the ledger, with the clock that ends them.
struct NightTests {
    private static let evening = Moment(unixSeconds: 1_772_834_400)  // 22:00 UTC

    private func book(_ kind: String, _ from: String = "22:00", _ to: String = "07:00") throws
        -> PolicyBook
    {
        var book = PolicyBook()
        let document = PolicyDocument(quietHours: .init(from: from, to: to, timeZone: "UTC"))
        book.add(
            try ActivityCatalog.standard.policy(ofKind: kind, document, version: 1), ofKind: kind,
            fromPosition: 1)
        return book
    }

    private func event(_ id: Int, _ type: String, _ data: String = "{}", at moment: Moment)
        -> NewEvent
    {
        NewEvent(
            id: "\(id)", source: "test", type: "PizzaDelivery.\(type)",
            activityID: ActivityID(rawValue: "a"), occurredAt: moment, data: Data(data.utf8))
    }

    @Test func `in the morning the clock brings about that a person hears of it`() throws {
        var ledger = Ledger(try book("PizzaDelivery"))
        let night = Self.evening.adding(seconds: 7 * 3600)
        try ledger.record(event(1, "OrderAccepted", at: night), at: night)
        try ledger.record(
            event(2, "DriverAssigned", #"{"driverName":"Ada"}"#, at: night), at: night)
        #expect(ledger.decisions[1].alertContext?.silence == .quietHours)
        let morning = Self.evening.adding(seconds: 9 * 3600)
        try ledger.wait(until: morning.adding(seconds: -1))
        #expect(ledger.decisions.suffix(1).map(\.rule) == ["stale"])
        #expect(try ledger.due?.occurredAt == morning)
        #expect(try ledger.due?.type == ActivityClock.Event.quietHoursEnded.type)
        try ledger.wait(until: morning)
        let told = try #require(ledger.decisions.last)
        #expect(told.verdict == .alert && told.rule == "quietHoursOver")
        #expect(told.decidedAt == morning)
        #expect(told.alertContext?.carried.map(\.version) == [2])
        #expect(told.alert?.title == "Driver assigned")
        #expect(try ledger.due?.type == ActivityClock.Event.timeLimitReached.type)
    }

    @Test func `an end that is recorded in the next night says that they began again`() throws {
        var ledger = Ledger(try book("PizzaDelivery"))
        let night = Self.evening.adding(seconds: 8.9 * 3600)
        try ledger.record(event(1, "OrderAccepted", at: night), at: night)
        try ledger.record(
            event(2, "DriverAssigned", #"{"driverName":"Ada"}"#, at: night), at: night)
        let due = try #require(try ledger.due)
        #expect(due.type == ActivityClock.Event.quietHoursEnded.type)
        try ledger.record(due, at: Self.evening.adding(seconds: 25 * 3600))
        let late = try #require(ledger.decisions.last)
        #expect(late.verdict == .hold)
        #expect(
            late.reason == "Quiet hours were over, and had begun again when this was recorded.")
        let snapshot = try #require(ledger.snapshots.last)
        #expect(
            try ActivityCatalog.standard.lifetime(of: snapshot).quietUntil
                == Self.evening.adding(seconds: 33 * 3600))
    }

    @Test func `quiet hours that were made longer are waited for`() throws {
        var book = try book("PizzaDelivery")
        let longer = PolicyDocument(
            quietHours: .init(from: "22:00", to: "07:30", timeZone: "UTC"))
        book.add(
            try ActivityCatalog.standard.policy(ofKind: "PizzaDelivery", longer, version: 2),
            ofKind: "PizzaDelivery", fromPosition: 2)
        var ledger = Ledger(book)
        let night = Self.evening.adding(seconds: 8.9 * 3600)
        try ledger.record(
            event(1, "DriverAssigned", #"{"driverName":"Ada"}"#, at: night), at: night)
        try ledger.wait(until: Self.evening.adding(seconds: 9 * 3600))
        #expect(ledger.decisions.map(\.verdict) == [.quiet, .hold])
        #expect(ledger.decisions[1].reason.contains("last longer"))
        try ledger.wait(until: Self.evening.adding(seconds: 9.5 * 3600))
        #expect(ledger.decisions.last?.alert?.title == "Driver assigned")
    }

    @Test func `the clock says nothing when a report was quicker`() throws {
        var ledger = Ledger(try book("PizzaDelivery"))
        let night = Self.evening.adding(seconds: 8.9 * 3600)
        try ledger.record(
            event(1, "DriverAssigned", #"{"driverName":"Ada"}"#, at: night), at: night)
        let due = try #require(try ledger.due)
        let morning = due.occurredAt.adding(seconds: 1)
        try ledger.record(event(2, "OrderReady", at: morning), at: morning)
        #expect(ledger.decisions.last?.alertContext?.carried.map(\.version) == [1])
        try ledger.record(due, at: morning)
        #expect(ledger.decisions.last?.rule == "overtaken")
        #expect(ledger.decisions.last?.verdict == .hold)
    }

    /// A kind's events with chance's delays, and the clock's between them.
    private func ledger(of kind: KindProbe, seed: UInt64) throws -> Ledger {
        var facts = RandomFacts(seed: 9_400 + seed)
        // At night, or all day but for an hour.
        var ledger = Ledger(
            seed % 2 == 0
                ? try book(kind.name, "20:00", "20:40") : try book(kind.name, "21:00", "20:00"))
        var now = Story.start.adding(seconds: 1_000)
        for event in facts.events(of: kind, count: 40) {
            now = now.adding(seconds: Double(facts.below(400)))
            try ledger.wait(until: now)
            var event = event
            if facts.below(3) > 0 { event.occurredAt = now }
            try ledger.record(event, at: now)
        }
        try ledger.wait(until: now.adding(seconds: 3 * 86_400))
        return ledger
    }

    private static let kinds = KindProbe.all.filter {
        ActivityCatalog.standard.kind(named: $0.name) != nil
    }

    @Test(arguments: kinds, UInt64(0)..<6)
    func `whatever quiet hours keep back is said or given up by a decision that says so`(
        kind: KindProbe, seed: UInt64
    ) throws {
        let ledger = try ledger(of: kind, seed: seed)
        var kept: [Int64] = []
        var settled: [Int64] = []
        for decision in ledger.decisions {
            if decision.alertContext?.silence == .quietHours { kept.append(decision.version) }
            settled += (decision.alertContext?.carried ?? []).map(\.version)
            settled += decision.alertContext?.dropped ?? []
        }
        #expect(settled.sorted() == kept)
        #expect(ledger.decisions.count { $0.verdict == .end } <= 1)
    }

    @Test func `chance lets the clock tell, and reports`() throws {
        var tellers: Set<String> = []
        for kind in Self.kinds {
            for seed in UInt64(0)..<20 {
                for decision in try ledger(of: kind, seed: seed).decisions
                where decision.alertContext?.carried.isEmpty == false {
                    tellers.insert(decision.rule == "quietHoursOver" ? "the clock" : "a report")
                }
            }
        }
        #expect(tellers == ["the clock", "a report"])
    }

    @Test(arguments: kinds, UInt64(0)..<6)
    func `a refold gives the same bytes, at every event`(kind: KindProbe, seed: UInt64) throws {
        let ledger = try ledger(of: kind, seed: seed)
        let fold = try StateFold(ledger.events[0], under: ledger.book)
        for (event, snapshot) in zip(ledger.events, ledger.snapshots).dropFirst() {
            try fold.fold(event, under: ledger.book)
            // Asking for the snapshot must not be what makes it right.
            guard event.version % 5 == 0 || event.version == ledger.events.count else { continue }
            var refolded = fold.snapshot()
            refolded.dispatch = snapshot.dispatch
            #expect(refolded == snapshot)
        }
    }

    @Test(arguments: kinds, UInt64(0)..<10)
    func `what is reported again later alerts nobody again`(kind: KindProbe, seed: UInt64) throws {
        var facts = RandomFacts(seed: 9_600 + seed)
        var ledger = Ledger(.builtIn)
        var now = Story.start.adding(seconds: 6_000)
        for event in facts.events(of: kind, count: 25) {
            now = now.adding(seconds: 10)
            try ledger.record(event, at: now)
        }
        let reported = ledger.events
        for again in facts.shuffled(reported.map(\.event)) {
            now = now.adding(seconds: Double(facts.below(4_000)))
            var again = again
            again.id += "/again"
            try ledger.record(again, at: now)
        }
        let later = ledger.decisions.dropFirst(reported.count)
        #expect(later.allSatisfy { $0.alert == nil && ($0.verdict == .hold || $0.rule == "fresh") })
    }
}
