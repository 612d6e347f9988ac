import Domain
import Foundation
import Projections
import Testing

struct PizzaDeliveryTests {
    /// The article's own struct: an app built with it must decode whatever Islet sends.
    private struct ArticleState: Codable {
        var driverName: String
        var deliveryTimer: ClosedRange<Date>
    }

    private typealias State = PizzaDeliveryAttributes.ContentState

    private func placed() throws -> Story {
        var story = Story()
        try story.tell(
            "PizzaDelivery.OrderPlaced", at: 0,
            """
            {"orderNumber":"7","numberOfPizzas":2,"totalAmount":"€9",
            "promisedAt":"\(Story.time(30))"}
            """
        )
        return story
    }

    private func estimate(_ minute: Double) -> String {
        "{\"estimatedAt\":\"\(Story.time(minute))\"}"
    }

    @Test(arguments: 0..<20)
    func `an app built from the article's struct decodes every state`(seed: UInt64) throws {
        var facts = RandomFacts(seed: seed)
        var story = Story()
        for event in facts.events(of: KindProbe(PizzaDeliveryKind.self), count: 60) {
            try story.tell(event)
            let shown = try story.shown(ArticleState.self)
            #expect(!shown.driverName.isEmpty)
            let attributes = try #require(story.snapshot?.attributes)
            _ = try JSONDecoder().decode(PizzaDeliveryAttributes.self, from: attributes)
        }
    }

    @Test func `the countdown runs from the order to the promise`() throws {
        let shown = try placed().shown(State.self)
        #expect(shown.deliveryTimer.lowerBound == Story.start.date)
        #expect(shown.deliveryTimer.upperBound == Story.start.adding(seconds: 1800).date)
        #expect(shown.driverName == "Your driver")
        #expect(shown.stage == .placed)
    }

    @Test func `an estimate before the order never inverts the countdown`() throws {
        var story = try placed()
        try story.tell("PizzaDelivery.EstimateRevised", at: 1, estimate(-600))
        let timer = try story.shown(ArticleState.self).deliveryTimer
        #expect(timer.lowerBound == timer.upperBound)
    }

    @Test func `a late report never moves the order backwards`() throws {
        var story = try placed()
        try story.tell("PizzaDelivery.OrderPickedUp", at: 10)
        #expect(story.rule == "pickedUp")
        for type in ["OrderAccepted", "PreparationStarted", "OrderReady"] {
            let change = try story.tell("PizzaDelivery.\(type)", at: 5)
            #expect(try story.shown(State.self).stage == .onTheWay)
            #expect(!change.isVisible)
            #expect(story.rule == "unchanged")
        }
    }

    @Test func `the assignment that happened last stands, also when it arrives first`() throws {
        var story = try placed()
        try story.tell("PizzaDelivery.DriverReassigned", at: 9, #"{"driverName":"Sam Sample"}"#)
        #expect(story.alert?.title == "Driver assigned")
        let late = try story.tell(
            "PizzaDelivery.DriverAssigned", at: 5, #"{"driverName":"Ida Imaginär"}"#)
        #expect(!late.isVisible)
        #expect(try story.shown(State.self).driverName == "Sam Sample")
        try story.tell("PizzaDelivery.DriverAssigned", at: 12, #"{"driverName":"Nemo Nobody"}"#)
        #expect(story.rule == "driverReassigned")
        #expect(
            story.alert == Alert(title: "New driver", body: "Nemo Nobody now brings your 2 pizzas.")
        )
        #expect(try story.shown(State.self).driverName == "Nemo Nobody")
    }

    @Test func `drift is quiet, a delay speaks once for every ten minutes`() throws {
        var story = try placed()
        let steps: [(minute: Double, rule: String)] = [
            (33, "estimateDrift"), (39, "estimateDrift"), (41, "late"), (38, "estimateDrift"),
            (41, "estimateDrift"), (49, "estimateDrift"), (50, "late"), (36, "estimate"),
            (75, "late"), (75, "unchanged"),
        ]
        for (index, step) in steps.enumerated() {
            try story.tell(
                "PizzaDelivery.EstimateRevised", at: Double(index + 1), estimate(step.minute))
            #expect(story.rule == step.rule, "step \(index)")
            #expect((story.alert != nil) == (step.rule == "late"))
        }
    }

    @Test func `a delay is said whichever report brings it`() throws {
        var story = try placed()
        try story.tell("PizzaDelivery.OrderPickedUp", at: 20, estimate(44))
        let body = "Order 7 comes about 14 minutes later than promised."
        #expect(story.alert == Alert(title: "Running late", body: body))
        #expect(try story.shown(State.self).stage == .onTheWay)
    }

    @Test func `a delay is said before the driver who brings it, and not at the door`() throws {
        var story = try placed()
        try story.tell("PizzaDelivery.DriverAssigned", at: 5, #"{"driverName":"Sam Sample"}"#)
        try story.tell(
            "PizzaDelivery.DriverReassigned", at: 8,
            #"{"driverName":"Ida Imaginär","estimatedAt":"\#(Story.time(60))"}"#)
        #expect(story.rule == "late")
        #expect(story.alert?.title == "Running late")
        #expect(try story.shown(State.self).driverName == "Ida Imaginär")
        try story.tell(
            "PizzaDelivery.DriverArriving", at: 70, #"{"estimatedAt":"\#(Story.time(75))"}"#)
        #expect(story.rule == "arriving")
    }

    @Test func `an older estimate that arrives late is not told`() throws {
        var story = try placed()
        try story.tell("PizzaDelivery.EstimateRevised", at: 12, estimate(31))
        let change = try story.tell("PizzaDelivery.EstimateRevised", at: 8, estimate(55))
        #expect(!change.isVisible)
        #expect(story.rule == "unchanged")
    }

    @Test func `a delay that only an overtaken report had is said when a newer one has it`() throws
    {
        var story = try placed()
        try story.tell("PizzaDelivery.EstimateRevised", at: 12, estimate(31))
        try story.tell("PizzaDelivery.EstimateRevised", at: 8, estimate(55))
        try story.tell("PizzaDelivery.EstimateRevised", at: 15, estimate(55))
        #expect(story.rule == "late")
        #expect(story.alert?.title == "Running late")
        // Once: an estimate that swings back to it is no news.
        try story.tell("PizzaDelivery.EstimateRevised", at: 16, estimate(31))
        try story.tell("PizzaDelivery.EstimateRevised", at: 17, estimate(55))
        #expect(story.alert == nil)
    }

    @Test func `a delay that swings back is said once`() throws {
        var story = try placed()
        try story.tell("PizzaDelivery.EstimateRevised", at: 5, estimate(45))
        #expect(story.rule == "late")
        for minute in [30.0, 45, 30, 45] {
            try story.tell("PizzaDelivery.EstimateRevised", at: 6, estimate(minute))
            #expect(story.alert == nil)
        }
    }

    @Test func `a delay after a mistyped estimate is said`() throws {
        var story = try placed()
        try story.tell("PizzaDelivery.EstimateRevised", at: 5, estimate(365 * 24 * 60))
        try story.tell("PizzaDelivery.EstimateRevised", at: 6, estimate(35))
        #expect(story.alert == nil)
        try story.tell("PizzaDelivery.EstimateRevised", at: 20, estimate(90))
        #expect(story.rule == "late")
    }

    @Test func `a delay is said by the promise that stands`() throws {
        var story = try placed()
        try story.tell("PizzaDelivery.EstimateRevised", at: 5, estimate(55))
        #expect(story.rule == "late")
        try story.tell(
            "PizzaDelivery.OrderPlaced", at: 6,
            """
            {"orderNumber":"7","numberOfPizzas":2,"totalAmount":"€9",
            "promisedAt":"\(Story.time(25))"}
            """)
        #expect(story.alert == nil)
        try story.tell("PizzaDelivery.EstimateRevised", at: 7, estimate(50))
        #expect(story.rule == "late")
        #expect(story.alert?.body == "Order 7 comes about 25 minutes later than promised.")
    }

    private func order(of pizzas: Int, for minute: Double = 40) -> String {
        """
        {"orderNumber":"7","numberOfPizzas":\(pizzas),"totalAmount":"€9",
        "promisedAt":"\(Story.time(minute))"}
        """
    }

    @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func `an order that is placed again leaves a newer estimate, in any order`(
        arrivals: [Int]
    ) throws {
        let estimate = #"{"estimatedAt":"\#(Story.time(70))","reason":"Rain"}"#
        let reports: [(type: String, minute: Double, data: String)] = [
            ("OrderPlaced", 0, order(of: 2)), ("EstimateRevised", 20, estimate),
            ("OrderPlaced", 30, order(of: 3)),
        ]
        var story = Story()
        for report in arrivals.map({ reports[$0] }) {
            try story.tell("PizzaDelivery.\(report.type)", at: report.minute, report.data)
        }
        let shown = try story.shown(State.self)
        #expect(shown.deliveryTimer.lowerBound == Story.start.date)
        #expect(shown.deliveryTimer.upperBound == Story.start.adding(seconds: 70 * 60).date)
        #expect(shown.note == "Rain")
        let attributes = try JSONDecoder().decode(
            PizzaDeliveryAttributes.self, from: try #require(story.snapshot).attributes)
        #expect(attributes.numberOfPizzas == 3)
    }

    @Test func `an order that is placed again takes no delay back`() throws {
        var story = Story()
        try story.tell("PizzaDelivery.OrderPlaced", at: 0, order(of: 2))
        try story.tell("PizzaDelivery.EstimateRevised", at: 20, estimate(70))
        #expect(story.rule == "late")
        try story.tell("PizzaDelivery.OrderPlaced", at: 30, order(of: 3))
        #expect(story.changes.last?.assessment.alertContext.withdrawnSubjects.isEmpty == true)
        #expect(story.alert == nil)
        try story.tell("PizzaDelivery.EstimateRevised", at: 31, estimate(75))
        #expect(story.rule == "estimateDrift")
    }

    @Test(arguments: [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]])
    func `a promise that is put back is newer than what came in between, in any order`(
        arrivals: [Int]
    ) throws {
        let reports: [(type: String, minute: Double, data: String)] = [
            ("OrderPlaced", 0, order(of: 2)), ("OrderPlaced", 5, order(of: 2, for: 400)),
            ("OrderAccepted", 6, estimate(400)), ("OrderPlaced", 7, order(of: 2)),
        ]
        var story = Story()
        for report in arrivals.map({ reports[$0] }) {
            try story.tell("PizzaDelivery.\(report.type)", at: report.minute, report.data)
            #expect(story.rule != "late")
        }
        let shown = try story.shown(State.self)
        #expect(shown.deliveryTimer.lowerBound == Story.start.date)
        #expect(shown.deliveryTimer.upperBound == Story.start.adding(seconds: 40 * 60).date)
    }

    @Test(arguments: [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 4, 3, 0, 1], [1, 4, 0, 3, 2]])
    func `a promise that was put back is repeated without being newer, in any order`(
        arrivals: [Int]
    ) throws {
        let rain = #"{"estimatedAt":"\#(Story.time(50))","reason":"Rain"}"#
        let reports: [(type: String, minute: Double, data: String)] = [
            ("OrderPlaced", 0, order(of: 2, for: 30)), ("OrderPlaced", 1, order(of: 2, for: 60)),
            ("OrderPlaced", 2, order(of: 2, for: 30)), ("EstimateRevised", 5, rain),
            ("OrderPlaced", 9, order(of: 3, for: 30)),
        ]
        var story = Story()
        for report in arrivals.map({ reports[$0] }) {
            try story.tell("PizzaDelivery.\(report.type)", at: report.minute, report.data)
        }
        let shown = try story.shown(State.self)
        #expect(shown.deliveryTimer.upperBound == Story.start.adding(seconds: 50 * 60).date)
        #expect(shown.note == "Rain")
    }

    @Test func `small steps of the driver are not worth a push`() throws {
        var story = try placed()
        try story.tell("PizzaDelivery.OrderPickedUp", at: 10)
        try story.tell("PizzaDelivery.DriverLocated", at: 11, #"{"distanceMeters":1940}"#)
        #expect(story.rule == "location")
        let still = try story.tell(
            "PizzaDelivery.DriverLocated", at: 12, #"{"distanceMeters":1860}"#)
        #expect(!still.isVisible)
        #expect(try story.shown(State.self).distanceMeters == 1900)
    }

    @Test(arguments: [
        ("OrderDelivered", "delivered", "Delivered", PizzaDelivery.Stage.delivered),
        ("OrderCancelled", "cancelled", "Order cancelled", .cancelled),
        ("DeliveryFailed", "failed", "Delivery failed", .failed),
    ])
    func `every ending alerts, ends and gives no stale date`(
        type: String, rule: String, title: String, stage: PizzaDelivery.Stage
    ) throws {
        var story = try placed()
        let change = try story.tell("PizzaDelivery.\(type)", at: 20)
        #expect(story.rule == rule)
        #expect(story.alert?.title == title)
        #expect(change.assessment.ending != nil)
        #expect(change.assessment.staleAt == nil)
        #expect(change.snapshot.phase == .ended)
        let shown = try story.shown(State.self)
        #expect(shown.stage == stage)
        #expect(shown.deliveryTimer.upperBound == Story.start.adding(seconds: 1200).date)
    }

    @Test func `a delivery corrects a cancellation but nobody is woken for it`() throws {
        var story = try placed()
        try story.tell("PizzaDelivery.OrderCancelled", at: 20, #"{"reason":"No oven"}"#)
        #expect(story.alert?.body == "No oven")
        try story.tell("PizzaDelivery.OrderDelivered", at: 19)
        #expect(story.rule == "afterEnd")
        let shown = try story.shown(State.self)
        #expect(shown.stage == .delivered)
        #expect(shown.note == nil)
        try story.tell("PizzaDelivery.OrderCancelled", at: 25)
        #expect(try story.shown(State.self).stage == .delivered)
    }

    @Test func `a driver who is assigned after the pick-up alerts nobody`() throws {
        var story = Story()
        try story.tell("PizzaDelivery.OrderPickedUp", at: 5)
        try story.tell("PizzaDelivery.DriverAssigned", at: 6, #"{"driverName":"Ada"}"#)
        #expect(story.rule == "details" && story.alert == nil)
        try story.tell("PizzaDelivery.DriverReassigned", at: 7, #"{"driverName":"Bo"}"#)
        #expect(story.rule == "driverReassigned")
    }

    @Test func `a delay that grows with the driver at the door alerts nobody`() throws {
        var story = try placed()
        try story.tell("PizzaDelivery.EstimateRevised", at: 5, estimate(41))
        #expect(story.rule == "late")
        try story.tell("PizzaDelivery.DriverArriving", at: 40)
        let grown = try story.tell("PizzaDelivery.EstimateRevised", at: 41, estimate(55))
        #expect(grown.isVisible)
        #expect(story.rule == "estimate")
        #expect(story.alert == nil)
        // Neither does one of which nobody had heard, with or without an earlier estimate.
        var unheard = try placed()
        try unheard.tell("PizzaDelivery.DriverArriving", at: 29)
        try unheard.tell("PizzaDelivery.EstimateRevised", at: 30, estimate(45))
        #expect(unheard.changes.last?.assessment.significance != .alert)
        try unheard.tell("PizzaDelivery.EstimateRevised", at: 31, estimate(70))
        #expect(unheard.changes.last?.assessment.significance != .alert)
        #expect(unheard.alert == nil)
    }

    @Test func `a delay with the driver at the door keeps nothing back in quiet hours`() throws {
        let hours = PolicyDocument.Hours(from: "17:00", to: "18:45", timeZone: "UTC")
        var book = PolicyBook()
        book.add(
            try ActivityCatalog.standard.policy(
                ofKind: "PizzaDelivery", PolicyDocument(quietHours: hours), version: 1),
            ofKind: "PizzaDelivery", fromPosition: 1)
        var story = try placed()
        try story.tell("PizzaDelivery.DriverArriving", at: 29)
        try story.tell(
            NewEvent(
                id: "late", source: "test", type: "PizzaDelivery.EstimateRevised",
                activityID: ActivityID(rawValue: "story"),
                occurredAt: Story.start.adding(seconds: 31 * 60), data: Data(estimate(90).utf8)),
            under: book)
        // What is due next is not the end of the quiet hours.
        let dueAt = try #require(story.snapshot?.dueAt)
        #expect(dueAt > Story.start.adding(seconds: 45 * 60))
    }

    @Test func `arriving alerts once`() throws {
        var story = try placed()
        try story.tell("PizzaDelivery.DriverAssigned", at: 5, #"{"driverName":"Sam Sample"}"#)
        try story.tell("PizzaDelivery.DriverArriving", at: 25)
        #expect(story.alert == Alert(title: "Almost there", body: "Sam Sample is arriving."))
        try story.tell("PizzaDelivery.DriverArriving", at: 26)
        #expect(story.rule == "unchanged")
    }
}
