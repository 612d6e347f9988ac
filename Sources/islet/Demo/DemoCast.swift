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

    static func followers(of activity: String) -> [String] {
        guard let digit = activity.last?.wholeNumberValue, activity.hasPrefix("order-") else {
            return phones
        }
        return [phones[digit.isMultiple(of: 2) ? 1 : 0]]
    }
}
