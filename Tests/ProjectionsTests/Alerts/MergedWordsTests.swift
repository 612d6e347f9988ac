import Domain
import Foundation
import Projections
import PushDispatch
import Testing

/// What one push says of several changes is true by the last of them.
struct MergedWordsTests {
    private struct Body: Decodable {
        struct Aps: Decodable {
            struct Alert: Decodable {
                var title: String
                var body: String
            }
            var alert: Alert?
        }
        var aps: Aps
    }

    private typealias Report = (type: String, minute: Double, data: String)

    /// The alert of the push that goes out when all that was reported is still to be sent.
    private func said(_ kind: String, _ reports: [Report]) throws -> String {
        var ledger = Ledger()
        for (number, report) in reports.enumerated() {
            let at = Story.start.adding(seconds: report.minute * 60)
            let event = NewEvent(
                id: "\(number)", source: "test", type: "\(kind).\(report.type)",
                activityID: ActivityID(rawValue: "a"), occurredAt: at,
                data: Data(report.data.utf8))
            try ledger.record(event, at: at)
        }
        let plan = PushPlan.make(
            snapshot: try #require(ledger.snapshots.last),
            pending: ledger.decisions.filter(\.verdict.pushes), lastCompleted: nil,
            timestamp: Story.start.unixSeconds)
        let message = try #require(plan.message())
        let alert = try JSONDecoder().decode(Body.self, from: Data(message.body)).aps.alert
        return alert.map { "\($0.title): \($0.body)" } ?? ""
    }

    private let placed: Report = (
        "OrderPlaced", 0,
        """
        {"orderNumber":"17","numberOfPizzas":2,"totalAmount":"€9","promisedAt":"\(Story.time(30))"}
        """
    )
    private let late: Report = (
        "EstimateRevised", 40, #"{"estimatedAt":"\#(Story.time(60))"}"#
    )
    private let driver: Report = ("DriverAssigned", 41, #"{"driverName":"Ada"}"#)

    @Test func `an order that is there is neither late nor on its way`() throws {
        let reports = [placed, late, driver, ("DriverArriving", 42, "{}")]
        #expect(
            try said("PizzaDelivery", reports)
                == "Almost there: Ada is arriving. · Ada will bring your 2 pizzas.")
        #expect(
            try said("PizzaDelivery", reports + [("OrderDelivered", 43, "{}")])
                == "Delivered: Order 17 is at your door. Enjoy!")
        #expect(
            try said("PizzaDelivery", [placed, late, driver])
                == "Running late: Order 17 comes about 30 minutes later than promised. · "
                + "Ada will bring your 2 pizzas.")
    }

    @Test func `a coffee that is there is not late`() throws {
        let received: Report = (
            "OrderReceived", 0,
            #"{"coffeeName":"Mocha","estimatedAt":"\#(Story.time(10))"}"#
        )
        let revised: Report = (
            "EstimateRevised", 5, #"{"estimatedAt":"\#(Story.time(40))"}"#
        )
        let delayed = try said("CoffeeDelivery", [received, revised])
        #expect(delayed.contains("30 minutes"), "\(delayed)")
        let delivered = try said(
            "CoffeeDelivery", [received, revised, ("CoffeeDelivered", 6, "{}")])
        #expect(!delivered.contains("30 minutes"), "\(delivered)")
    }

    @Test func `a match that is over has no period that begins, and keeps its goals`() throws {
        let scheduled: Report = (
            "MatchScheduled", -60,
            """
            {"competition":"Cup","homeTeam":"Reds","awayTeam":"Blues","kickoff":"\(Story.time(0))"}
            """
        )
        let reports: [Report] = [
            scheduled, ("PeriodStarted", 0, #"{"period":"firstHalf"}"#),
            ("PeriodEnded", 45, #"{"period":"firstHalf"}"#),
            ("PeriodStarted", 125, #"{"period":"extraTimeFirstHalf"}"#),
            ("GoalScored", 127, #"{"goalID":"1","team":"home","player":"Ann","minute":93}"#),
        ]
        #expect(
            try said("Match", reports)
                == "Goal! Reds 1–0 Blues: Ann 93' · Extra time has begun.")
        #expect(
            try said("Match", reports + [("FullTimeReached", 155, "{}")])
                == "Full time: Reds 1–0 Blues: Reds win. · Ann 93'")
    }
}
