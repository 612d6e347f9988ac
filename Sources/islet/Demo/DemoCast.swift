import Projections
import Simulator

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

    /// What a match card says at the end, such as `Argentina 3–3 France, 4–2 on penalties`; nil for
    /// other cards.
    static func result(of card: PhoneView.Activity) -> String? {
        guard card.kind == Kind.match.rawValue, let lines = card.shows?.lockScreen else {
            return nil
        }
        return lines.map(\.text).filter { $0.contains(where: \.isNumber) }.prefix(2)
            .joined(separator: ", ")
    }

    static func followers(of activity: String) -> [String] {
        guard let digit = activity.last?.wholeNumberValue, activity.hasPrefix("order-") else {
            return phones
        }
        return [phones[digit.isMultiple(of: 2) ? 1 : 0]]
    }
}
