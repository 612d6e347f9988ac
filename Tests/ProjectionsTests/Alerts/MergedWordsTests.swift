import DeliveryRules
import Domain
import Foundation
import Projections
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
    /// - Parameters:
    ///   - newest: how many decisions are still to be sent; nil for all.
    ///   - rules: significances that a tenant has changed.
    private func said(
        _ kind: String, _ reports: [Report], newest: Int? = nil, rules: [String: String] = [:]
    ) throws -> String {
        var book = PolicyBook()
        if !rules.isEmpty {
            book.add(
                try ActivityCatalog.standard.newPolicy(
                    ofKind: kind, PolicyDocument(rules: rules)),
                ofKind: kind, fromPosition: 1)
        }
        var ledger = Ledger(book)
        for (number, report) in reports.enumerated() {
            let at = Story.start.adding(seconds: report.minute * 60)
            let event = NewEvent(
                id: "\(number)", source: "test", type: "\(kind).\(report.type)",
                schemaVersion: report.type == "ShootoutKickTaken" ? 2 : 1,
                activityID: ActivityID(rawValue: "a"), occurredAt: at,
                data: Data(report.data.utf8))
            try ledger.record(event, at: at)
        }
        let pending = ledger.decisions.filter(\.verdict.pushes)
        let plan = PushPlan.make(
            snapshot: try #require(ledger.snapshots.last),
            pending: pending.suffix(newest ?? pending.count), lastCompleted: nil,
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
                == "Almost there: Ada is arriving.")
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

    private let begun: [Report] = [
        (
            "MatchScheduled", -60,
            """
            {"competition":"Cup","homeTeam":"Reds","awayTeam":"Blues","kickoff":"\(Story.time(0))"}
            """
        ),
        ("PeriodStarted", 0, #"{"period":"firstHalf"}"#),
    ]

    private func goal(
        _ id: Int, _ minute: Double, _ team: String = "home", player: String = "Ann"
    ) -> Report {
        (
            "GoalScored", minute,
            #"{"goalID":"\#(id)","team":"\#(team)","player":"\#(player)","minute":5}"#
        )
    }

    @Test func `an alert of an abandoned match says the score and the reason of now`()
        throws
    {
        let abandoned: [Report] =
            begun + [goal(1, 5), ("MatchAbandoned", 20, #"{"reason":"Rain"}"#)]
        #expect(try said("Match", abandoned, newest: 1) == "Abandoned: Reds 1–0 Blues: Rain")
        let disallowed: Report = ("GoalDisallowed", 21, #"{"goalID":"1"}"#)
        #expect(
            try said("Match", abandoned + [disallowed]) == "Abandoned: Reds 0–0 Blues: Rain")
        // A goal that comes after it has an alert of its own.
        let late = try said(
            "Match", abandoned + [goal(2, 21)], newest: 2, rules: ["goal": "timely"])
        #expect(late == "Abandoned: Reds 2–0 Blues: Rain")
        let reason: Report = ("MatchAbandoned", 21, #"{"reason":"Fog"}"#)
        #expect(
            try said("Match", abandoned + [reason], newest: 2) == "Abandoned: Reds 1–0 Blues: Fog")
    }

    @Test func `a match that was played after all was not called off`() throws {
        let called: Report = ("MatchAbandoned", -1, "{}")
        #expect(
            try said("Match", [begun[0], called])
                == "Called off: Reds – Blues: The match will not be played.")
        #expect(try said("Match", [begun[0], called, begun[1]]) == "")
        #expect(
            try said("Match", [begun[0], called, begun[1]], newest: 1)
                == "Kick-off: Reds – Blues: The match has begun.")
        // One that began no later was abandoned.
        var early = begun[1]
        early.minute = -1
        #expect(
            try said("Match", [begun[0], called, early])
                == "Abandoned: Reds 0–0 Blues: The match will not be finished.")
    }

    @Test func `a result that is as it was heard is not corrected`() throws {
        func disallowed(_ minute: Double) -> Report {
            ("GoalDisallowed", minute, #"{"goalID":"1"}"#)
        }
        let fullTime: Report = ("FullTimeReached", 95, "{}")
        let level = begun + [fullTime, goal(1, 96), disallowed(96.1)]
        #expect(try said("Match", level, newest: 2) == "")
        #expect(
            try said("Match", level, newest: 1)
                == "Correction: Reds 0–0 Blues: It ends level.")
        let renamed = begun + [goal(1, 5), fullTime, disallowed(96), goal(2, 96.1)]
        #expect(try said("Match", renamed, newest: 2) == "")
        #expect(
            try said("Match", renamed + [goal(3, 96.2)], newest: 3)
                == "Correction: Reds 2–0 Blues: Reds win.")
    }

    @Test func `a result that nobody has heard of is said as full time, not corrected`() throws {
        let over: [Report] = begun + [("FullTimeReached", 95, "{}"), goal(1, 96)]
        #expect(try said("Match", over) == "Full time: Reds 1–0 Blues: Reds win.")
        let disallowed: Report = ("GoalDisallowed", 96.1, #"{"goalID":"1"}"#)
        #expect(
            try said("Match", over + [disallowed]) == "Full time: Reds 0–0 Blues: It ends level.")
        #expect(
            try said("Match", over + [disallowed, goal(2, 96.2)])
                == "Full time: Reds 1–0 Blues: Reds win.")
        #expect(
            try said("Match", over, newest: 1) == "Correction: Reds 1–0 Blues: Reds win.")
        #expect(
            try said("Match", over, rules: ["resultCorrected": "timely"])
                == "Full time: Reds 1–0 Blues: Reds win.")
        let resumed: Report = (
            "PlayResumed", 97, #"{"period":"firstHalf","clockSeconds":2700}"#
        )
        #expect(try said("Match", over + [resumed]) == "")
        #expect(
            try said("Match", over + [resumed], newest: 2)
                == "Correction: Reds 1–0 Blues: The match is not over.")
    }

    @Test func `a match that goes on was not over`() throws {
        let reports: [Report] =
            begun + [
                ("FullTimeReached", 46, "{}"), ("PeriodStarted", 47, #"{"period":"secondHalf"}"#),
            ]
        #expect(try said("Match", reports) == "")
        #expect(
            try said("Match", reports, newest: 1)
                == "Correction: Reds 0–0 Blues: The match is not over.")
        // Nor is one that stops in between.
        #expect(
            try said("Match", reports + [("PlaySuspended", 48, "{}")], newest: 2)
                == "Correction: Reds 0–0 Blues: The match is not over.")
        let scored = reports + [goal(1, 48)]
        #expect(try said("Match", scored) == "Goal! Reds 1–0 Blues: Ann 5'")
        #expect(
            try said("Match", scored, newest: 2)
                == "Goal! Reds 1–0 Blues: Ann 5' · The match is not over.")
    }

    @Test func `that a match is not over is said with the score as put right since`() throws {
        for (period, seconds) in [("firstHalf", 1_260), ("secondHalf", 3_960)] {
            let reports: [Report] =
                begun + [
                    goal(1, 5), ("FullTimeReached", 20, "{}"),
                    ("PlayResumed", 21, #"{"period":"\#(period)","clockSeconds":\#(seconds)}"#),
                    ("GoalDisallowed", 21.5, #"{"goalID":"1"}"#),
                ]
            #expect(
                try said("Match", reports, newest: 2, rules: ["goalDisallowed": "timely"])
                    == "Correction: Reds 0–0 Blues: The match is not over.")
        }
    }

    @Test func `a match that is over was not abandoned`() throws {
        let reports: [Report] =
            begun + [("MatchAbandoned", 20, "{}"), ("FullTimeReached", 21, "{}")]
        #expect(try said("Match", reports) == "Full time: Reds 0–0 Blues: It ends level.")
    }

    @Test func `a goal that does not count is said with the score and scorer of now`() throws {
        let reports: [Report] =
            begun + [
                goal(1, 5), goal(2, 6, player: "Bea"),
                ("GoalDisallowed", 7, #"{"goalID":"1","reason":"offside"}"#),
            ]
        #expect(
            try said("Match", reports, newest: 1)
                == "No goal: Reds 1–0 Blues: Ann 5' does not count: offside")
        #expect(
            try said("Match", reports + [goal(2, 8, "away", player: "Bea")], newest: 2)
                == "No goal: Reds 0–1 Blues: Ann 5' does not count: offside")
        #expect(
            try said("Match", reports + [goal(1, 8, player: "Cy")], newest: 2)
                == "No goal: Reds 1–0 Blues: Cy 5' does not count: offside")
    }

    @Test func `an alert of a kick of a shoot-out says how it was, and the score of now`() throws {
        func kick(_ number: Int, _ result: String, _ minute: Double) -> Report {
            (
                "ShootoutKickTaken", minute,
                #"{"number":\#(number),"team":"home","result":"\#(result)","player":"Ann"}"#
            )
        }
        let reports: [Report] =
            begun + [("ShootoutStarted", 130, "{}"), kick(1, "scored", 131)]
        let rules = ["shootoutKick": "alert"]
        #expect(
            try said("Match", reports, newest: 1, rules: rules)
                == "Penalties: Reds 1–0 Blues: Kick scored: Ann")
        #expect(
            try said("Match", reports + [kick(1, "saved", 132)], newest: 2, rules: rules)
                == "Penalties: Reds 0–0 Blues: Kick saved: Ann")
        #expect(
            try said(
                "Match", reports + [kick(2, "scored", 132), kick(1, "saved", 133)], newest: 1,
                rules: ["scoreCorrected": "alert"])
                == "Penalties: Reds 1–0 Blues: The score was put right.")
    }

    @Test func `a correction and a break are said with the score as put right since`() throws {
        let corrected: [Report] = begun + [goal(1, 5), goal(1, 6, "away")]
        let rules = ["scoreCorrected": "alert", "goal": "timely", "goalDisallowed": "timely"]
        let disallowed: Report = ("GoalDisallowed", 7, #"{"goalID":"1"}"#)
        #expect(
            try said("Match", corrected, newest: 1, rules: rules)
                == "Correction: Reds 0–1 Blues: The score was put right.")
        #expect(
            try said("Match", corrected + [disallowed], newest: 2, rules: rules)
                == "Correction: Reds 0–0 Blues: The score was put right.")
        let broken: [Report] =
            begun + [("PeriodEnded", 45, #"{"period":"firstHalf"}"#), goal(1, 46)]
        #expect(
            try said("Match", broken, newest: 2, rules: rules)
                == "Half-time: Reds 1–0 Blues: The first half is over.")
    }
}
