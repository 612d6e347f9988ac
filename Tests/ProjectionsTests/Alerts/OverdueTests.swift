import DeliveryRules
import Domain
import Foundation
import Projections
import Testing

/// What was promised does not come, and nobody reports anything.
struct OverdueTests {
    private func book(_ kind: String, _ document: PolicyDocument) throws -> PolicyBook {
        var book = PolicyBook()
        book.add(
            try ActivityCatalog.standard.policy(ofKind: kind, document, version: 1), ofKind: kind,
            fromPosition: 1)
        return book
    }

    private func event(_ id: Int, _ type: String, at minute: Double, _ data: String = "{}")
        -> (event: NewEvent, at: Moment)
    {
        let at = Story.start.adding(seconds: minute * 60)
        return (
            NewEvent(
                id: "\(id)", source: "test", type: type, activityID: ActivityID(rawValue: "a"),
                occurredAt: at, data: Data(data.utf8)), at
        )
    }

    private var order: (event: NewEvent, at: Moment) {
        event(
            1, "PizzaDelivery.OrderPlaced", at: 0,
            """
            {"orderNumber":"17","numberOfPizzas":1,"totalAmount":"€9",
            "promisedAt":"\(Story.time(30))"}
            """)
    }

    private func overdue(_ ledger: Ledger) -> [Decision] {
        ledger.decisions.filter { $0.rule == "overdue" }
    }

    @Test func `people hear of it once for each step, and each is twice the last`() throws {
        var ledger = Ledger()
        try ledger.record([order])
        try ledger.waitForEver()
        let told = overdue(ledger)
        #expect(told.allSatisfy { $0.verdict == .alert })
        let minutes = told.map { $0.decidedAt.seconds(since: Story.start) / 60 - 30 }
        #expect(minutes == [20, 40, 80, 160, 320])
        #expect(told.first?.alert?.title == "Running late")
        #expect(
            told.first?.alert?.body
                == "Order 17 is 20 minutes past the promise, and there is no news of it.")
        #expect(told.allSatisfy { $0.contentState == ledger.decisions[0].contentState })
    }

    /// An order is stale ten minutes after its promise. The steps before that are one.
    @Test func `a step below the grace is said once the activity is stale`() throws {
        let document = PolicyDocument(thresholds: ["overdueStepSeconds": 60])
        var ledger = Ledger(try book("PizzaDelivery", document))
        try ledger.record([order])
        try ledger.waitForEver()
        let minutes = overdue(ledger).map { $0.decidedAt.seconds(since: Story.start) / 60 - 30 }
        #expect(minutes == [10, 16, 32, 64, 128, 256])
        let threshold = PizzaDeliveryKind.thresholds.first { $0.name == "overdueStepSeconds" }
        #expect(threshold?.why.contains("once the activity is stale") == true)
    }

    @Test(arguments: ["0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "2019-05-01T12:00:00Z"])
    func `of what was promised for another decade they hear once`(promisedAt: String) throws {
        var ledger = Ledger()
        try ledger.record([
            event(
                1, "PizzaDelivery.OrderPlaced", at: 0,
                """
                {"orderNumber":"17","numberOfPizzas":1,"totalAmount":"€9",
                "promisedAt":"\(promisedAt)"}
                """)
        ])
        try ledger.waitForEver()
        #expect(overdue(ledger).count == 1)
    }

    @Test func `nobody hears of it while there is news, or when the order is there`() throws {
        var ledger = Ledger()
        let reports = (1...12).map {
            event(
                1 + $0, "PizzaDelivery.DriverLocated", at: Double($0) * 8,
                #"{"distanceMeters":\#($0 * 500)}"#)
        }
        try ledger.record([order] + reports)
        #expect(overdue(ledger).isEmpty)
        try ledger.record([event(99, "PizzaDelivery.OrderDelivered", at: 100)])
        try ledger.waitForEver()
        #expect(overdue(ledger).isEmpty)
    }

    @Test func `a step that was said is not said again after a report`() throws {
        var ledger = Ledger()
        try ledger.record([order])
        try ledger.wait(until: Story.start.adding(seconds: 51 * 60))
        #expect(overdue(ledger).count == 1)
        try ledger.record([event(2, "PizzaDelivery.OrderReady", at: 52)])
        try ledger.wait(until: Story.start.adding(seconds: 69 * 60))
        #expect(overdue(ledger).count == 1)
        try ledger.wait(until: Story.start.adding(seconds: 71 * 60))
        #expect(overdue(ledger).count == 2)
    }

    @Test func `an estimate that people have heard is waited for`() throws {
        var ledger = Ledger()
        try ledger.record([
            order, event(2, "PizzaDelivery.EstimateRevised", at: 5, estimate(80)),
        ])
        try ledger.wait(until: Story.start.adding(seconds: 89 * 60))
        #expect(overdue(ledger).isEmpty)
        try ledger.wait(until: Story.start.adding(seconds: 91 * 60))
        #expect(overdue(ledger).count == 1)
    }

    private func estimate(_ minute: Double) -> String {
        #"{"estimatedAt":"\#(Story.time(minute))"}"#
    }

    @Test func `the policy says from when on, and whether people hear of it`() throws {
        for (document, count) in [
            (PolicyDocument(thresholds: ["overdueStepSeconds": 0]), 0),
            (PolicyDocument(thresholds: ["overdueStepSeconds": 7200]), 2),
        ] {
            var ledger = Ledger(try book("PizzaDelivery", document))
            try ledger.record([order])
            try ledger.waitForEver()
            #expect(overdue(ledger).count == count)
        }
        var ledger = Ledger(
            try book("PizzaDelivery", PolicyDocument(rules: ["overdue": "none"])))
        try ledger.record([order])
        try ledger.waitForEver()
        #expect(overdue(ledger).allSatisfy { $0.verdict == .hold })
    }

    /// The story begins at 18:00 UTC.
    @Test func `in quiet hours it is kept back, and a report takes it back`() throws {
        let document = PolicyDocument(
            quietHours: .init(from: "18:30", to: "19:30", timeZone: "UTC"))
        for isReported in [false, true] {
            var ledger = Ledger(try book("PizzaDelivery", document))
            try ledger.record([order])
            try ledger.wait(until: Story.start.adding(seconds: 75 * 60))
            #expect(overdue(ledger).allSatisfy { $0.alertContext?.silence == .quietHours })
            if isReported {
                try ledger.record([event(2, "PizzaDelivery.OrderReady", at: 76)])
            }
            try ledger.wait(until: Story.start.adding(seconds: 91 * 60))
            #expect(ledger.told.isEmpty == isReported)
        }
    }

    /// A minute of that set stands for a second: then most of it is here within two hours.
    @Test(.needsSharedData)
    func `of real shipments it is said when nobody reports, and never else`() throws {
        var told = 0
        var late = 0
        let shipments = try Cargo2000.shipments().prefix(400)
        for shipment in shipments {
            var ledger = Ledger()
            let events = shipment.events(from: Story.start, secondsPerMinute: 1)
            try ledger.record(events.map { ($0, $0.occurredAt) })
            try ledger.waitForEver()
            let promised = Story.start.adding(seconds: shipment.plannedMinutes)
            late += shipment.actualMinutes > shipment.plannedMinutes ? 1 : 0
            var lastReport = Story.start
            for (recorded, decision) in zip(ledger.events, ledger.decisions) {
                guard recorded.event.source == ActivityClock.source else {
                    lastReport = recorded.recordedAt
                    continue
                }
                guard decision.rule == "overdue" else { continue }
                told += 1
                #expect(decision.verdict == .alert)
                #expect(decision.decidedAt.seconds(since: promised) >= 1200)
                #expect(decision.decidedAt.seconds(since: lastReport) >= 600)
                #expect(decision.decidedAt < events.last?.occurredAt ?? promised)
            }
            // Shipments without a report from the promise to twice the step, and without another
            // estimate.
            let reports = events.map(\.occurredAt).filter { $0 > promised }
            if let next = reports.first, next.seconds(since: promised) > 2400,
                events.last(where: { $0.occurredAt <= promised })?.type.hasSuffix("Ready") == true,
                next.seconds(since: Story.start) < 8 * 3600
            {
                #expect(!overdue(ledger).isEmpty, "\(shipment.number)")
            }
        }
        print("air freight: \(shipments.count) shipments, \(late) late, \(told) told as overdue")
        #expect(told > 0)
    }

    @Test func `a coffee is past what was expected`() throws {
        var ledger = Ledger()
        try ledger.record([
            event(
                1, "CoffeeDelivery.OrderReceived", at: 0,
                #"{"coffeeName":"Mocha","estimatedAt":"\#(Story.time(10))"}"#)
        ])
        try ledger.waitForEver()
        #expect(
            overdue(ledger).first?.alert?.body
                == "Mocha was to come 20 minutes ago, and there is no news of it.")
        var unpromised = Ledger()
        try unpromised.record([
            event(1, "CoffeeDelivery.OrderReceived", at: 0, #"{"coffeeName":"Mocha"}"#)
        ])
        try unpromised.waitForEver()
        #expect(overdue(unpromised).isEmpty)
    }
}
