import Domain
import Foundation

/// The types of the first app that each kind had: the articles' own, without anything added since.
/// Such an app is on somebody's phone and decodes whatever Islet sends with them. A match is of no
/// article, and its types are those that were released.
enum FirstApp {
    /// Decodes attributes and state with the stock decoder; throws as the phone would.
    static func decode(_ kind: String, _ attributes: Data, _ state: Data) throws {
        func decode<A: Decodable, S: Decodable>(_: A.Type, _: S.Type) throws {
            _ = try JSONDecoder().decode(A.self, from: attributes)
            _ = try JSONDecoder().decode(S.self, from: state)
        }
        switch kind {
        case "PizzaDelivery":
            try decode(
                Articles.PizzaDeliveryAttributes.self,
                Articles.PizzaDeliveryAttributes.ContentState.self)
        case "Match": try decode(Match.self, Match.ContentState.self)
        case "CoffeeDelivery":
            try decode(
                Articles.CoffeeDeliveryAttributes.self,
                Articles.CoffeeDeliveryAttributes.ContentState.self)
        case "BikeRide":
            try decode(Articles.OrderAttributes.self, Articles.OrderAttributes.ContentState.self)
            try decode(
                Articles.PlainOrderAttributes.self,
                Articles.PlainOrderAttributes.ContentState.self)
        case "Adventure":
            try decode(
                Articles.AdventureAttributes.self, Articles.AdventureAttributes.ContentState.self)
        case "Laundry": try decode(Laundry.self, Laundry.ContentState.self)
        default:
            throw NotWrittenDown("\(kind) has no first app; add its types as they are released")
        }
    }

    private struct Laundry: Decodable {
        struct ContentState: Decodable {
            var endsAt: Date
            var isDone: Bool
        }

        var machine: String
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
}

/// ActivityKit's own, as far as a type of attributes can tell.
private protocol ActivityAttributes: Codable, Hashable {
    associatedtype ContentState: Codable, Hashable
}

/// The types as the articles print them, names and mistakes of spelling included.
private enum Articles {
    struct PizzaDeliveryAttributes: ActivityAttributes {
        public struct ContentState: Codable, Hashable {
            var driverName: String
            var deliveryTimer: ClosedRange<Date>
        }

        var numberOfPizzas: Int
        var totalAmount: String
        var orderNumber: String
    }

    enum CoffeeDeliveryStatus: Codable, Hashable, Sendable, CaseIterable {
        case recieved, preparing, outForDelivery
    }

    struct CoffeeDeliveryAttributes: ActivityAttributes {
        public struct ContentState: Codable, Hashable {
            var currentStatus: CoffeeDeliveryStatus
        }

        var coffeeName: String
    }

    /// The article prints no declaration of it, but uses these two of its cases.
    enum Status: String, Codable, Hashable {
        case unstarted, cycling
    }

    struct OrderAttributes: ActivityAttributes {
        public struct ContentState: Codable, Hashable {
            var status: Status = .unstarted
        }

        var orderNumber: Int
    }

    /// The same app, by somebody who took a text for the type that is not printed.
    struct PlainOrderAttributes: ActivityAttributes {
        public struct ContentState: Codable, Hashable {
            var status: String = "unstarted"
        }

        var orderNumber: Int
    }

    /// The sample game's hero.
    struct EmojiRanger: Codable, Hashable {
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

    struct AdventureAttributes: ActivityAttributes {
        public struct ContentState: Codable, Hashable {
            let currentHealthLevel: Double
            let eventDescription: String
        }

        let hero: EmojiRanger
    }
}
