import Domain
import Foundation
import JSON
import Projections
import Testing

/// What of a card may only ever grow, whatever arrives: stages, periods, endings.
enum Progress {
    /// Compared member by member; none may fall.
    static func of(_ snapshot: Snapshot) throws -> [Int] {
        [rank(snapshot.phase, Phase.allCases)] + (try ofKind(snapshot))
    }

    private static func ofKind(_ snapshot: Snapshot) throws -> [Int] {
        func shown<State: Decodable>(_ type: State.Type) throws -> State {
            try JSONDecoder().decode(State.self, from: snapshot.contentState)
        }
        switch snapshot.kind {
        case "PizzaDelivery":
            let state = try shown(PizzaDeliveryAttributes.ContentState.self)
            return [rank(state.stage, PizzaDelivery.Stage.allCases)]
        case "Match":
            // What minutes tell of the period is nothing once the sport is known to be another, or
            // the minute is corrected.
            let state = try WireCoder.decode(MatchState.self, from: snapshot.state)
            let reported = state.periods.keys.max()
            let period = try shown(MatchAttributes.ContentState.self).period
            #expect(rank(period, Match.Period.allCases) >= rank(reported, Match.Period.allCases))
            return [rank(reported, Match.Period.allCases)]
        case "CoffeeDelivery":
            let state = try shown(CoffeeDeliveryAttributes.ContentState.self)
            return [
                rank(state.currentStatus, CoffeeDelivery.Status.allCases),
                rank(state.outcome, CoffeeDelivery.Outcome.allCases),
            ]
        case "BikeRide":
            // A ride pauses and goes on; it does not go back to the stand.
            let state = try shown(OrderAttributes.ContentState.self)
            let status = rank(state.status, BikeRide.Status.allCases)
            switch state.stage {
            case nil: return [status, 0]
            case .unlocked: return [status, 1]
            case .riding, .paused: return [status, 2]
            case .ended: return [status, 3]
            }
        case "Adventure":
            let state = try shown(AdventureAttributes.ContentState.self)
            return [rank(state.outcome, Adventure.Outcome.allCases)]
        case "Laundry": return []
        default: throw NotWrittenDown("say what of a \(snapshot.kind) may never go back")
        }
    }

    private static func rank<Value: Equatable>(_ value: Value?, _ order: [Value]) -> Int {
        value.flatMap { order.firstIndex(of: $0) } ?? -1
    }
}
