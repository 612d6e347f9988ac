import Domain
import Projections
import Simulator

enum DemoCast {
    enum Kind: String, CaseIterable, Sendable {
        case match, pizza, coffee, bike, adventure

        var fixtures: [String] {
            switch self {
            case .match: ["world-cup-2022-final", "harbour-derby"]
            case .pizza: ["pizza-orders"]
            case .coffee: ["coffee-orders"]
            case .bike: ["bike-rides"]
            case .adventure: ["adventures"]
            }
        }
    }

    /// Both phones show the matches; everything else belongs to one person.
    static let phones = ["Phone A", "Phone B"]

    /// What happens to a phone in the middle of a story.
    enum Incident {
        /// The system gives the card another push token.
        case rotates
        /// The person swipes the card away.
        case dismisses

        var description: String {
            switch self {
            case .rotates: "given another push token"
            case .dismisses: "swiped away"
            }
        }
    }

    /// By the activity and the type of its first report at which they happen.
    static let incidents: [Cue: (phone: String, incident: Incident)] = [
        Cue(activity: "world-cup-2022-final", type: "Match.PeriodEnded"): ("Phone A", .rotates),
        Cue(activity: "adventure-1", type: "Adventure.HeroHealed"): ("Phone A", .dismisses),
    ]

    struct Cue: Hashable {
        var activity: String
        var type: String
    }

    /// The reports of which an app knows before its server does: the person ordered, or chose to
    /// follow the match. A card starts then, with attributes of its own.
    static let beginnings = Set(
        ActivityCatalog.standard.kinds.compactMap { $0.eventTypes.first?.name })

    /// What a match card says at the end, such as `Argentina 3–3 France, 4–2 on penalties`; nil for
    /// other cards.
    static func result(of card: PhoneView.Activity) -> String? {
        guard card.kind == "Match", let lines = card.shows?.lockScreen else {
            return nil
        }
        return lines.map(\.text).filter { $0.contains(where: \.isNumber) }.prefix(2)
            .joined(separator: ", ")
    }

    /// A person's activities end with a number; by it they are shared out.
    static func followers(of activity: String) -> [String] {
        guard let digit = activity.last?.wholeNumberValue else { return phones }
        return [phones[digit.isMultiple(of: 2) ? 1 : 0]]
    }
}
