/// Who follows what in the demo.
enum DemoCast {
    enum Kind: String, CaseIterable {
        case all
        case match = "Match"
        case pizza = "PizzaDelivery"

        var fixtures: [String] {
            switch self {
            case .all: ["world-cup-2022-final", "pizza-orders"]
            case .match: ["world-cup-2022-final"]
            case .pizza: ["pizza-orders"]
            }
        }
    }

    /// Both phones show the match; the orders are shared out between them.
    static let phones = ["Phone A", "Phone B"]

    /// Reports that an app knows of before its server does: the person ordered, or chose to follow
    /// the match. Its card starts then, with attributes of its own.
    static let beginnings: Set = ["Match.MatchScheduled", "PizzaDelivery.OrderPlaced"]

    static func followers(of activity: String) -> [String] {
        guard let digit = activity.last?.wholeNumberValue, activity.hasPrefix("order-") else {
            return phones
        }
        return [phones[digit.isMultiple(of: 2) ? 1 : 0]]
    }
}
