import DeliveryRules
import Domain
import Foundation
import Projections
import Testing

/// What quiet hours kept back is said as it is when they are over, whatever was corrected in them.
struct UntoldCorrectionTests {
    private struct Report {
        var type: String
        var data: String

        init(_ type: String, _ data: String) {
            self.type = type
            self.data = data
        }
    }

    private func told(_ kind: String, _ reports: [Report]) throws -> [Alert] {
        var book = PolicyBook()
        book.add(
            try ActivityCatalog.standard.policy(
                ofKind: kind,
                PolicyDocument(quietHours: .init(from: "17:00", to: "21:00", timeZone: "UTC")),
                version: 1), ofKind: kind, fromPosition: 1)
        var ledger = Ledger(book)
        for (index, report) in reports.enumerated() {
            let at = Story.start.adding(seconds: Double(index) * 60)
            try ledger.record(
                NewEvent(
                    id: "\(index)", source: "test", type: "\(kind).\(report.type)",
                    activityID: ActivityID(rawValue: "a"), occurredAt: at,
                    data: Data(report.data.utf8)), at: at)
        }
        #expect(ledger.decisions.allSatisfy { $0.alert == nil })
        try ledger.wait(until: Story.start.adding(seconds: 3 * 3600))
        let morning = ledger.decisions.first { $0.alert != nil }
        let alerts = (morning?.alert).map { [$0] } ?? []
        return (alerts + (morning?.alertContext?.carried ?? []).map(\.alert)).map {
            Alert(title: $0.title, body: $0.body)
        }
    }

    private func match(_ reports: [Report]) throws -> [Alert] {
        let schedule = """
            {"competition":"Cup","homeTeam":"Reds","awayTeam":"Blues",
            "kickoff":"\(Story.time(0))"}
            """
        let beginning = [
            Report("MatchScheduled", schedule), Report("PeriodStarted", #"{"period":"firstHalf"}"#),
        ]
        return try told("Match", beginning + reports)
    }

    private func goal(
        _ id: String, _ team: String, _ player: String, _ rest: String = ""
    ) -> Report {
        Report(
            "GoalScored",
            #"{"goalID":"\#(id)","team":"\#(team)","player":"\#(player)"\#(rest)}"#
        )
    }

    @Test func `a goal is said with the score that is left when another was disallowed`() throws {
        let told = try match([
            goal("a", "home", "Ada"), goal("b", "home", "Bea"),
            Report("GoalDisallowed", #"{"goalID":"a"}"#),
        ])
        let bea = Alert(title: "Goal! Reds 1–0 Blues", body: "Bea")
        #expect(told == [bea, bea])
    }

    @Test func `a goal is said for the side and by the player of its newest report`() throws {
        let own = try match([
            goal("z", "home", "Zoe"), goal("a", "home", "Ada"),
            goal("a", "away", "Ada", #","kind":"ownGoal""#),
        ])
        #expect(own.first == Alert(title: "Goal! Reds 1–1 Blues", body: "Ada (own goal)"))
        #expect(own.allSatisfy { $0.title == "Goal! Reds 1–1 Blues" })
        let other = try match([
            goal("a", "home", "Ada"), goal("a", "home", "Bea", #","kind":"penalty""#),
        ])
        #expect(other.first == Alert(title: "Goal! Reds 1–0 Blues", body: "Bea (penalty)"))
    }

    @Test func `half-time is said with the score as it was put right`() throws {
        let told = try match([
            goal("a", "home", "Ada"), Report("PeriodEnded", #"{"period":"firstHalf"}"#),
            Report("GoalDisallowed", #"{"goalID":"a"}"#),
        ])
        #expect(told.first?.title == "Half-time: Reds 0–0 Blues")
        #expect(told.count == 2)
    }

    @Test func `a sending-off that was a booking is not told`() throws {
        let card = { (card: String) in
            Report("CardShown", #"{"cardID":"c","team":"home","card":"\#(card)","player":"Ada"}"#)
        }
        #expect(try match([card("red"), card("yellow")]).isEmpty)
        #expect(try match([card("red")]).first?.body == "Red card: Ada")
    }

    @Test func `that somebody will bring an order is not told once it is on its way`() throws {
        let order = Report(
            "OrderPlaced",
            #"{"orderNumber":"7","numberOfPizzas":2,"totalAmount":"€9","#
                + #""promisedAt":"\#(Story.time(200))"}"#)
        let assigned = Report("DriverAssigned", #"{"driverName":"Ada"}"#)
        let (pickedUp, arriving) = (Report("OrderPickedUp", "{}"), Report("DriverArriving", "{}"))
        let titles = { (reports: [Report]) in
            try told("PizzaDelivery", reports).map(\.title)
        }
        #expect(try titles([order, assigned]).contains("Driver assigned"))
        #expect(try !titles([order, assigned, pickedUp]).contains("Driver assigned"))
        #expect(try titles([order, assigned, arriving]) == ["Almost there", "Almost there"])
    }

    @Test func `a delay is said as long as it is, and not when there is none any more`() throws {
        let order = """
            {"orderNumber":"7","numberOfPizzas":2,"totalAmount":"€9",
            "promisedAt":"\(Story.time(200))"}
            """
        let estimate = { (minute: Double) in
            Report("EstimateRevised", "{\"estimatedAt\":\"\(Story.time(minute))\"}")
        }
        let less = try told(
            "PizzaDelivery", [Report("OrderPlaced", order), estimate(225), estimate(212)])
        #expect(less.first?.body == "Order 7 comes about 12 minutes later than promised.")
        let none = try told(
            "PizzaDelivery", [Report("OrderPlaced", order), estimate(225), estimate(200)])
        #expect(none.isEmpty)
    }

    @Test func `a coffee that is in time again is not told to be late`() throws {
        let order = Report(
            "OrderReceived",
            #"{"coffeeName":"Flat White","estimatedAt":"\#(Story.time(200))"}"#)
        let estimate = { (minute: Double) in
            Report("EstimateRevised", "{\"estimatedAt\":\"\(Story.time(minute))\"}")
        }
        #expect(try told("CoffeeDelivery", [order, estimate(225), estimate(200)]).isEmpty)
        let less = try told("CoffeeDelivery", [order, estimate(225), estimate(217)])
        #expect(less.first?.body == "Flat White comes 17 minutes later.")
        // By so little nobody hears that it is later, whatever was kept back.
        #expect(try told("CoffeeDelivery", [order, estimate(225), estimate(212)]).isEmpty)
    }

    @Test func `a hero who is well again needs no help`() throws {
        let health = { (type: String, percent: Int) in
            Report(type, #"{"healthPercent":\#(percent)}"#)
        }
        let begun = Report("AdventureBegun", #"{"heroName":"Panda","healthPercent":80}"#)
        #expect(
            try told("Adventure", [begun, health("HeroDamaged", 5), health("HeroHealed", 95)])
                .isEmpty)
        let hurt = try told(
            "Adventure", [begun, health("HeroDamaged", 20), health("HeroDamaged", 5)])
        #expect(hurt.first?.body == "5 % of health left. Panda was hit.")
    }
}
