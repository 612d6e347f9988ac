import Domain
import Foundation
import Projections
import Testing

/// Facts that contradict each other: the rules of docs/reference/events.md decide, and the order of
/// arrival does not.
struct ContradictionTests {
    /// Two facts, and a piece of the JSON that the card has once both are known.
    struct Pair: Sendable, CustomTestStringConvertible {
        var kind: String
        var one: (type: String, minute: Double, data: String)
        var other: (type: String, minute: Double, data: String)
        var shows: String

        var testDescription: String { "\(kind): \(one.type), \(other.type)" }
    }

    private static let pairs = [
        Pair(
            kind: "PizzaDelivery", one: ("OrderDelivered", 20, "{}"),
            other: ("OrderCancelled", 25, "{}"), shows: #""stage":"delivered""#),
        Pair(
            kind: "PizzaDelivery", one: ("OrderDelivered", 25, "{}"),
            other: ("DeliveryFailed", 20, "{}"), shows: #""stage":"delivered""#),
        Pair(
            kind: "PizzaDelivery", one: ("DeliveryFailed", 20, "{}"),
            other: ("OrderCancelled", 25, "{}"), shows: #""stage":"failed""#),
        Pair(
            kind: "PizzaDelivery", one: ("DriverAssigned", 5, #"{"driverName":"Ada"}"#),
            other: ("DriverReassigned", 6, #"{"driverName":"Bo"}"#),
            shows: #""driverName":"Bo""#),
        Pair(
            kind: "PizzaDelivery", one: ("DriverAssigned", 5, #"{"driverName":"Ada"}"#),
            other: ("DriverReassigned", 5, #"{"driverName":"Bo"}"#),
            shows: #""driverName":"Bo""#),
        Pair(
            kind: "Match", one: ("GoalScored", 22, #"{"goalID":"g","team":"home"}"#),
            other: ("GoalDisallowed", 21, #"{"goalID":"g"}"#), shows: #""homeScore":0"#),
        Pair(
            kind: "Match", one: ("GoalScored", 22, #"{"goalID":"g","team":"home"}"#),
            other: ("GoalScored", 23, #"{"goalID":"g","team":"away"}"#),
            shows: #""homeScore":0"#),
        Pair(
            kind: "Match", one: ("FullTimeReached", 95, "{}"),
            other: ("MatchAbandoned", 99, "{}"), shows: #""status":"finished""#),
        Pair(
            kind: "Match", one: ("FullTimeReached", 47, "{}"),
            other: ("PeriodStarted", 62, #"{"period":"secondHalf"}"#),
            shows: #""status":"playing""#),
        Pair(
            kind: "Match", one: ("FullTimeReached", 95, "{}"),
            other: ("PlayResumed", 95, #"{"period":"secondHalf","clockSeconds":5400}"#),
            shows: #""status":"finished""#),
        Pair(
            kind: "Match", one: ("MatchAbandoned", -30, "{}"),
            other: ("PeriodStarted", 0, #"{"period":"firstHalf"}"#),
            shows: #""status":"playing""#),
        Pair(
            kind: "Match", one: ("MatchAbandoned", 0, "{}"),
            other: ("PeriodStarted", 0, #"{"period":"firstHalf"}"#),
            shows: #""status":"abandoned""#),
        Pair(
            kind: "Match", one: ("PeriodEnded", 40, #"{"period":"firstHalf"}"#),
            other: ("PlayResumed", 41, #"{"period":"firstHalf","clockSeconds":2400}"#),
            shows: #""status":"playing""#),
        Pair(
            kind: "Match", one: ("PeriodEnded", 41, #"{"period":"firstHalf"}"#),
            other: ("PlayResumed", 41, #"{"period":"firstHalf","clockSeconds":2400}"#),
            shows: #""status":"interval""#),
        Pair(
            kind: "Match", one: ("PeriodStarted", 62, #"{"period":"secondHalf"}"#),
            other: ("PeriodStarted", 63, #"{"period":"firstHalf"}"#),
            shows: #""period":"secondHalf""#),
        Pair(
            kind: "CoffeeDelivery", one: ("CoffeeDelivered", 5, "{}"),
            other: ("OrderCancelled", 9, "{}"), shows: #""outcome":"delivered""#),
        Pair(
            kind: "CoffeeDelivery", one: ("OrderCancelled", 5, #"{"reason":"No milk"}"#),
            other: ("OrderCancelled", 6, #"{"reason":"No beans"}"#),
            shows: #""note":"No beans""#),
        Pair(
            kind: "BikeRide", one: ("RidePaused", 5, "{}"), other: ("RideResumed", 5, "{}"),
            shows: #""stage":"riding""#),
        Pair(
            kind: "BikeRide", one: ("RideEnded", 9, #"{"fare":"€3"}"#),
            other: ("FareUpdated", 30, #"{"fare":"€2"}"#), shows: #""fare":"€2""#),
        Pair(
            kind: "BikeRide", one: ("RideEnded", 9, #"{"fare":"€3"}"#),
            other: ("FareUpdated", 8, #"{"fare":"€2"}"#), shows: #""fare":"€3""#),
        Pair(
            kind: "Adventure", one: ("BossDefeated", 9, "{}"), other: ("HeroFallen", 8, "{}"),
            shows: #""outcome":"victorious""#),
        Pair(
            kind: "Adventure", one: ("HeroDamaged", 5, #"{"healthPercent":10}"#),
            other: ("HeroHealed", 6, #"{"healthPercent":90}"#),
            shows: #""currentHealthLevel":0.9"#),
    ]

    @Test(arguments: pairs)
    func `of two facts the rule decides, not the order of arrival`(pair: Pair) throws {
        func shown(_ facts: [(type: String, minute: Double, data: String)]) throws -> String {
            var story = Story()
            for fact in facts {
                try story.tell("\(pair.kind).\(fact.type)", at: fact.minute, fact.data)
            }
            return String(decoding: try #require(story.snapshot).contentState, as: UTF8.self)
        }
        let forwards = try shown([pair.one, pair.other])
        #expect(forwards == (try shown([pair.other, pair.one])))
        #expect(forwards.contains(pair.shows), "\(forwards)")
    }

    @Test(arguments: [
        ("PizzaDelivery.OrderDelivered", "PizzaDelivery.DriverAssigned", #"{"driverName":"Bo"}"#),
        ("Match.FullTimeReached", "Match.GoalScored", #"{"goalID":"g","team":"home"}"#),
        ("CoffeeDelivery.OrderCancelled", "CoffeeDelivery.CoffeeDelivered", "{}"),
        ("BikeRide.RideEnded", "BikeRide.FareUpdated", #"{"fare":"€2"}"#),
        ("Adventure.HeroFallen", "Adventure.BossDefeated", "{}"),
    ])
    func `a fact that comes after the end corrects the snapshot and disturbs nobody`(
        ending: String, late: String, data: String
    ) throws {
        var story = Story()
        try story.tell(ending, at: 10)
        while story.snapshot?.phase != .ended { try story.waitForClock() }
        let change = try story.tell(late, at: 9, data)
        #expect(change.isVisible)
        #expect(change.assessment.rule == "afterEnd")
        #expect(change.assessment.significance == .none)
        #expect(change.snapshot.phase == .ended)
    }
}
