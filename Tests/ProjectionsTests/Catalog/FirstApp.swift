import Domain
import Foundation
import Testing

/// The types of the first app that each kind had: the articles' own, without anything added since.
/// Such an app is on somebody's phone and decodes whatever Islet sends with them.
enum FirstApp {
    /// Decodes attributes and state with the stock decoder; throws as the phone would.
    static func decode(_ kind: String, _ attributes: Data, _ state: Data) throws {
        func decode<A: Decodable, S: Decodable>(_: A.Type, _: S.Type) throws {
            _ = try JSONDecoder().decode(A.self, from: attributes)
            _ = try JSONDecoder().decode(S.self, from: state)
        }
        switch kind {
        case "PizzaDelivery": try decode(Pizza.self, Pizza.ContentState.self)
        case "Match": try decode(Match.self, Match.ContentState.self)
        case "CoffeeDelivery": try decode(Coffee.self, Coffee.ContentState.self)
        case "BikeRide": try decode(Bike.self, Bike.ContentState.self)
        case "Adventure": try decode(Adventure.self, Adventure.ContentState.self)
        case "Laundry": try decode(Laundry.self, Laundry.ContentState.self)
        default: Issue.record("\(kind) has no first app; add its types as they are released")
        }
    }

    private struct Pizza: Decodable {
        struct ContentState: Decodable {
            var driverName: String
            var deliveryTimer: ClosedRange<Date>
        }

        var numberOfPizzas: Int
        var totalAmount: String
        var orderNumber: String
    }

    private struct Match: Decodable {
        enum Status: String, Decodable {
            case scheduled, playing, interval, suspended, finished, abandoned
        }

        struct ContentState: Decodable {
            var homeScore: Int
            var awayScore: Int
            var status: Status
        }

        var homeTeam: String
        var awayTeam: String
    }

    private struct Coffee: Decodable {
        /// Spelled as that app spells it.
        enum Status: Codable {
            case recieved, preparing, outForDelivery
        }

        struct ContentState: Decodable {
            var currentStatus: Status
        }

        var coffeeName: String
    }

    private struct Bike: Decodable {
        enum Status: String, Decodable {
            case unstarted, unlocked, riding, paused, ended
        }

        struct ContentState: Decodable {
            var status: Status = .unstarted
        }

        var orderNumber: Int
    }

    private struct Adventure: Decodable {
        /// The sample game's hero, with every member that it has.
        struct Hero: Decodable {
            let name: String
            let avatar: String
            let healthLevel: Double
            let heroType: String
            let healthRecoveryRatePerHour: Double
            let url: URL
            let battleCode: URL
            let level: Int
            let exp: Int
            let bio: String
        }

        struct ContentState: Decodable {
            let currentHealthLevel: Double
            let eventDescription: String
        }

        let hero: Hero
    }

    private struct Laundry: Decodable {
        struct ContentState: Decodable {
            var endsAt: Date
            var isDone: Bool
        }

        var machine: String
    }
}
