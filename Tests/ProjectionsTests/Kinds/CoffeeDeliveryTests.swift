import Domain
import Foundation
import Projections
import TestSupport
import Testing

struct CoffeeDeliveryTests {
    private typealias State = CoffeeDeliveryAttributes.ContentState

    private func ordered() throws -> Story {
        var story = Story()
        try story.tell(
            "CoffeeDelivery.OrderReceived", at: 0,
            #"{"coffeeName":"Flat White","estimatedAt":"\#(Story.time(15))"}"#)
        return story
    }

    private func wire(_ story: Story) -> String {
        String(decoding: story.snapshot?.contentState ?? Data(), as: UTF8.self)
    }

    @Test func `a status without raw value is an object on the wire`() throws {
        var story = try ordered()
        #expect(story.rule == "first")
        #expect(wire(story).contains(#""currentStatus":{"recieved":{}}"#))
        try story.tell("CoffeeDelivery.BrewingStarted", at: 2)
        #expect(wire(story).contains(#""currentStatus":{"preparing":{}}"#))
        #expect(story.rule == "progress")
        try story.tell("CoffeeDelivery.CourierLeft", at: 6)
        #expect(wire(story).contains(#""currentStatus":{"outForDelivery":{}}"#))
        #expect(
            story.alert == Alert(title: "On its way", body: "Flat White is out for delivery."))
    }

    @Test func `an ending keeps the last status, for the app knows no other`() throws {
        var story = try ordered()
        try story.tell("CoffeeDelivery.CourierLeft", at: 6)
        try story.tell("CoffeeDelivery.CoffeeDelivered", at: 14)
        #expect(story.alert == Alert(title: "Delivered", body: "Flat White is here."))
        #expect(story.changes.last?.assessment.ending != nil)
        let shown = try story.shown(State.self)
        #expect(shown.currentStatus == .outForDelivery && shown.outcome == .delivered)
        #expect(shown.estimatedAt == nil)
    }

    @Test func `a late report never takes the order back`() throws {
        var story = try ordered()
        try story.tell("CoffeeDelivery.CourierLeft", at: 6)
        let late = try story.tell("CoffeeDelivery.BrewingStarted", at: 2)
        #expect(!late.isVisible)
        #expect(try story.shown(State.self).currentStatus == .outForDelivery)
    }

    @Test func `the newest estimate stands, and only a jump is shown at once`() throws {
        var story = try ordered()
        try story.tell(
            "CoffeeDelivery.EstimateRevised", at: 4, #"{"estimatedAt":"\#(Story.time(17))"}"#)
        #expect(story.rule == "estimateDrift")
        try story.tell(
            "CoffeeDelivery.EstimateRevised", at: 5,
            #"{"estimatedAt":"\#(Story.time(25))","reason":"Long queue"}"#)
        #expect(story.rule == "estimate")
        #expect(try story.shown(State.self).note == "Long queue")
        let older = try story.tell(
            "CoffeeDelivery.EstimateRevised", at: 3, #"{"estimatedAt":"\#(Story.time(90))"}"#)
        #expect(!older.isVisible)
    }

    @Test func `a delay is said whichever report brings it`() throws {
        var story = try ordered()
        try story.tell(
            "CoffeeDelivery.BrewingStarted", at: 4, #"{"estimatedAt":"\#(Story.time(40))"}"#)
        #expect(story.rule == "delayed")
        #expect(story.alert != nil)
        #expect(try story.shown(State.self).currentStatus == .preparing)
    }

    private func estimate(_ minute: Double) -> String {
        #"{"estimatedAt":"\#(Story.time(minute))"}"#
    }

    @Test func `a delay that creeps is said, and one that swings is said once`() throws {
        var creeping = try ordered()
        var told: [String] = []
        for step in 1...8 {
            try creeping.tell(
                "CoffeeDelivery.EstimateRevised", at: Double(step),
                estimate(15 + 4 * Double(step)))
            if let alert = creeping.alert { told.append(alert.body) }
        }
        #expect(
            told == [
                "Flat White comes 16 minutes later.", "Flat White comes 32 minutes later.",
            ])
        var swinging = try ordered()
        var rules: [String] = []
        for (step, minute) in [31.0, 15, 31, 15, 31].enumerated() {
            try swinging.tell(
                "CoffeeDelivery.EstimateRevised", at: Double(step + 1), estimate(minute))
            rules.append(swinging.rule)
        }
        #expect(rules == ["delayed", "estimate", "estimate", "estimate", "estimate"])
    }

    @Test(arguments: [15, 525_600] as [Double])
    func `a delay after a mistyped estimate is said`(first: Double) throws {
        var story = Story()
        try story.tell(
            "CoffeeDelivery.OrderReceived", at: 0,
            #"{"coffeeName":"Flat White","estimatedAt":"\#(Story.time(first))"}"#)
        try story.tell("CoffeeDelivery.EstimateRevised", at: 1, estimate(525_600))
        try story.tell("CoffeeDelivery.EstimateRevised", at: 2, estimate(20))
        #expect(story.alert == nil)
        try story.tell("CoffeeDelivery.EstimateRevised", at: 3, estimate(40))
        #expect(story.rule == "delayed")
    }

    private func order(_ minute: Double) -> String {
        #"{"coffeeName":"Flat White","estimatedAt":"\#(Story.time(minute))"}"#
    }

    @Test func `a coffee that is ordered again for later is not late`() throws {
        var story = try ordered()
        try story.tell("CoffeeDelivery.OrderReceived", at: 5, order(45))
        #expect(story.rule == "estimate")
        try story.tell("CoffeeDelivery.EstimateRevised", at: 6, estimate(62))
        #expect(story.alert?.body == "Flat White comes 17 minutes later.")
        // The same order once more promises nothing else.
        try story.tell("CoffeeDelivery.OrderReceived", at: 7, order(45))
        #expect(
            try story.shown(State.self).estimatedAt == Story.start.adding(seconds: 62 * 60).date)
        try story.tell("CoffeeDelivery.EstimateRevised", at: 8, estimate(62))
        #expect(story.rule == "unchanged")
    }

    @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func `an order that is sent again leaves a newer estimate, in any order`(
        arrivals: [Int]
    ) throws {
        let estimate = #"{"estimatedAt":"\#(Story.time(25))","reason":"Long queue"}"#
        let reports: [(type: String, minute: Double, data: String)] = [
            ("OrderReceived", 0, order(15)), ("EstimateRevised", 5, estimate),
            ("OrderReceived", 7, order(15).replacing("Flat", with: "Oat")),
        ]
        var story = Story()
        for report in arrivals.map({ reports[$0] }) {
            try story.tell("CoffeeDelivery.\(report.type)", at: report.minute, report.data)
        }
        let shown = try story.shown(State.self)
        #expect(shown.estimatedAt == Story.start.adding(seconds: 25 * 60).date)
        #expect(shown.note == "Long queue")
        let attributes = try JSONDecoder().decode(
            CoffeeDeliveryAttributes.self, from: try #require(story.snapshot).attributes)
        #expect(attributes.coffeeName == "Oat White")
    }

    @Test(arguments: [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]])
    func `an order that is put back is newer than what came in between, in any order`(
        arrivals: [Int]
    ) throws {
        let reports: [(type: String, minute: Double, data: String)] = [
            ("OrderReceived", 0, order(15)), ("OrderReceived", 5, order(400)),
            ("BrewingStarted", 6, estimate(400)), ("OrderReceived", 7, order(15)),
        ]
        var story = Story()
        for report in arrivals.map({ reports[$0] }) {
            try story.tell("CoffeeDelivery.\(report.type)", at: report.minute, report.data)
            #expect(story.rule != "delayed")
        }
        let shown = try story.shown(State.self)
        #expect(shown.estimatedAt == Story.start.adding(seconds: 15 * 60).date)
    }

    @Test(arguments: [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 4, 3, 0, 1], [1, 4, 0, 3, 2]])
    func `an order that was put back is repeated without being newer, in any order`(
        arrivals: [Int]
    ) throws {
        let reports: [(type: String, minute: Double, data: String)] = [
            ("OrderReceived", 0, order(15)), ("OrderReceived", 1, order(60)),
            ("OrderReceived", 2, order(15)), ("EstimateRevised", 5, estimate(25)),
            ("OrderReceived", 9, order(15).replacing("Flat", with: "Oat")),
        ]
        var story = Story()
        for report in arrivals.map({ reports[$0] }) {
            try story.tell("CoffeeDelivery.\(report.type)", at: report.minute, report.data)
        }
        let shown = try story.shown(State.self)
        #expect(shown.estimatedAt == Story.start.adding(seconds: 25 * 60).date)
    }

    @Test func `an order for earlier is counted from, whenever it is reported`() throws {
        var story = try ordered()
        try story.tell("CoffeeDelivery.EstimateRevised", at: 9, estimate(24))
        try story.tell("CoffeeDelivery.OrderReceived", at: 5, order(12))
        #expect(story.alert == nil)
        try story.tell("CoffeeDelivery.EstimateRevised", at: 10, estimate(28))
        #expect(story.alert?.body == "Flat White comes 16 minutes later.")
    }

    @Test func `one that slips back after it was brought forward is late, and told once`() throws {
        var story = Story()
        try story.tell("CoffeeDelivery.OrderReceived", at: 0, order(30))
        var rules: [String] = []
        for (step, minute) in [10.0, 30, 10, 30].enumerated() {
            try story.tell(
                "CoffeeDelivery.EstimateRevised", at: Double(step + 2), estimate(minute))
            rules.append(story.rule)
        }
        #expect(rules == ["estimate", "delayed", "estimate", "estimate"])
    }

    @Test func `nobody counts on an arrival that was put back at once`() throws {
        var story = Story()
        try story.tell("CoffeeDelivery.OrderReceived", at: 0, order(40))
        try story.tell("CoffeeDelivery.EstimateRevised", at: 2, estimate(10))
        try story.tell("CoffeeDelivery.EstimateRevised", at: 2.5, estimate(40))
        #expect(story.alert == nil)
        try story.tell("CoffeeDelivery.EstimateRevised", at: 3, estimate(60))
        #expect(story.alert?.body == "Flat White comes 20 minutes later.")
    }

    @Test func `a delay that was said is not said again when an earlier arrival is put right`()
        throws
    {
        var story = Story()
        try story.tell("CoffeeDelivery.OrderReceived", at: 0, order(40))
        var rules: [String] = []
        for (minute, arrival) in [(1.0, 60.0), (2, 10), (2.5, 60), (3, 76)] {
            try story.tell("CoffeeDelivery.EstimateRevised", at: minute, estimate(arrival))
            rules.append(story.rule)
        }
        #expect(rules == ["delayed", "estimate", "estimate", "delayed"])
        #expect(story.alert?.body == "Flat White comes 36 minutes later.")
    }

    @Test func `an earlier arrival counts after a minute, however often it is reported`() throws {
        var story = Story()
        try story.tell("CoffeeDelivery.OrderReceived", at: 0, order(40))
        for (minute, arrival) in [(2.0, 10.0), (2.5, 11), (3, 10), (3.5, 10)] {
            try story.tell("CoffeeDelivery.EstimateRevised", at: minute, estimate(arrival))
            #expect(story.alert == nil)
        }
        try story.tell("CoffeeDelivery.EstimateRevised", at: 4, estimate(27))
        #expect(story.alert?.body == "Flat White comes 17 minutes later.")
    }

    @Test(
        arguments: [
            (120, nil), (179, "Flat White comes 30 minutes later."),
        ] as [(Double, String?)])
    func `a slip counts only if it stood for a minute, though it came after an earlier arrival`(
        last: Double, alert: String?
    ) throws {
        var story = Story()
        try story.tell("CoffeeDelivery.OrderReceived", at: 0, order(40))
        for (second, arrival) in [(60.0, 38.0), (119, 8), (last, 38)] {
            #expect(story.alert == nil)
            try story.tell("CoffeeDelivery.EstimateRevised", at: second / 60, estimate(arrival))
        }
        #expect(story.alert?.body == alert)
    }

    @Test(arguments: 0..<50)
    func `people count on the earliest arrival that stood for a minute`(seed: UInt64) throws {
        var random = RandomData(seed: seed)
        var story = Story()
        var reports = [(second: 0, arrival: 40)]
        try story.tell("CoffeeDelivery.OrderReceived", at: 0, order(40))
        for _ in 0..<12 {
            let second = (reports.last?.second ?? 0) + 10 + random.below(81)
            reports.append((second, 20 + random.below(41)))
            try story.tell(
                "CoffeeDelivery.EstimateRevised", at: Double(second) / 60,
                estimate(Double(reports.last?.arrival ?? 0)))
            let state = try JSONDecoder().decode(
                CoffeeDeliveryState.self, from: try #require(story.snapshot).state)
            let expected = Self.countedOn(reports)
            let actual = state.shown?.countedOn.seconds(since: Story.start)
            #expect(actual == Double(expected) * 60, "\(reports)")
        }
    }

    /// By the rule as the reference says it: of each time for which arrivals stood, the latest.
    /// - Parameter reports: the first is the order.
    private static func countedOn(_ reports: [(second: Int, arrival: Int)]) -> Int {
        var earliest = reports[0].arrival
        for index in reports.indices.dropFirst() {
            var latest = reports[index].arrival
            for next in reports[(index + 1)...] {
                if next.second - reports[index].second >= 60 {
                    earliest = min(earliest, latest)
                    break
                }
                latest = max(latest, next.arrival)
            }
        }
        return earliest
    }

    @Test func `a state of an older fold is read`() throws {
        let state = try JSONDecoder().decode(
            CoffeeDeliveryState.self,
            from: Data(
                """
                {"isKnown":true,"orders":{"1772822400000000":"\(Story.time(0))"},
                "orderedFor":{"at":"\(Story.time(0))","value":"\(Story.time(40))"},
                "shown":{"countedOn":"\(Story.time(10))","former":{"countedOn":"\(Story.time(40))",
                "until":"\(Story.time(2))","worstEstimate":"\(Story.time(40))"},
                "worstEstimate":"\(Story.time(10))"},"status":{"recieved":{}}}
                """.utf8))
        #expect(state.estimate?.value.deliveryAt == Story.start.adding(seconds: 40 * 60))
        #expect(state.shown?.earlier == nil)
    }

    @Test func `nobody counts on an arrival that was over when it was reported`() throws {
        var story = try ordered()
        try story.tell("CoffeeDelivery.EstimateRevised", at: 9, estimate(1))
        try story.tell("CoffeeDelivery.EstimateRevised", at: 10, estimate(17))
        #expect(story.rule == "estimate")
        #expect(story.alert == nil)
    }

    @Test func `a cancellation says why`() throws {
        var story = try ordered()
        try story.tell("CoffeeDelivery.OrderCancelled", at: 3, #"{"reason":"No milk"}"#)
        #expect(story.alert == Alert(title: "Order cancelled", body: "No milk"))
        try story.tell("CoffeeDelivery.CoffeeDelivered", at: 2)
        #expect(story.rule == "afterEnd")
        #expect(try story.shown(State.self).outcome == .delivered)
        #expect(try story.shown(State.self).note == nil)
    }
}
