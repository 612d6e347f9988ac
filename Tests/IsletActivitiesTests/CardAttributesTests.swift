import Foundation
import IsletActivities
import Testing

/// What an app that links the module relies on: the phone decodes with a stock `JSONDecoder`.
struct CardAttributesTests {
    private func decoded<Value: Decodable>(_ json: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(json.utf8))
    }

    @Test func `a pizza's state is read as the phone is sent it`() throws {
        let state: PizzaDeliveryAttributes.ContentState = try decoded(
            #"{"deliveryTimer":[700000000,700002400],"driverName":"Ada","stage":"onTheWay"}"#)
        #expect(state.driverName == "Ada" && state.stage == .onTheWay)
        #expect(state.deliveryTimer.upperBound.timeIntervalSinceReferenceDate == 700_002_400)
        #expect(state.note == nil)
    }

    @Test func `an app of the first release reads a state with its members alone`() throws {
        let state: PizzaDeliveryAttributes.ContentState = try decoded(
            #"{"deliveryTimer":[0,1],"driverName":"Your driver"}"#)
        #expect(state.stage == nil)
        let coffee: CoffeeDeliveryAttributes.ContentState = try decoded(
            #"{"currentStatus":{"recieved":{}}}"#)
        #expect(coffee.currentStatus == .received)
    }

    @Test func `attributes of a started card say which activity it is`() throws {
        let match: MatchAttributes = try decoded(
            #"{"activityID":"m1","awayTeam":"B","competition":"C","homeTeam":"A","sport":"f"}"#
        )
        #expect(match.activityID == "m1")
    }

    @Test func `states and attributes come back from their own JSON`() throws {
        var pizza = PizzaDeliveryAttributes(
            numberOfPizzas: 2, totalAmount: "€24.00", orderNumber: "1042")
        pizza.activityID = "order-1042"
        try expectRoundTrip(pizza)
        try expectRoundTrip(
            MatchAttributes.ContentState(
                homeScore: 1, awayScore: 0, status: .playing, period: .firstHalf,
                clock: Date(timeIntervalSinceReferenceDate: 5)))
        try expectRoundTrip(OrderAttributes.ContentState(status: .cycling, stage: .paused))
        try expectRoundTrip(
            AdventureAttributes.ContentState(currentHealthLevel: 0.5, eventDescription: "Ouch"))
    }

    private func expectRoundTrip<Value: Codable & Equatable>(_ value: Value) throws {
        let json = try JSONEncoder().encode(value)
        #expect(try JSONDecoder().decode(Value.self, from: json) == value)
    }

    @Test func `names of kinds are as they were released`() {
        #expect(
            [
                PizzaDeliveryAttributes.kind, MatchAttributes.kind, CoffeeDeliveryAttributes.kind,
                OrderAttributes.kind, AdventureAttributes.kind,
            ] == ["PizzaDelivery", "Match", "CoffeeDelivery", "BikeRide", "Adventure"])
    }
}
