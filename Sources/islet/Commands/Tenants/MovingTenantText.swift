import EventStore
import JSON

/// A tenant on its way between two cells, as lists show it.
enum MovingTenantText {
    static func words(_ move: MovingTenant) -> String {
        let way =
            switch move.state {
            case .leaving: "leaving for \(move.cell)"
            case .gone where move.isOpen: "open in \(move.cell), being removed here"
            case .gone: "left for \(move.cell), perhaps not open there"
            case .arriving: "arriving from \(move.cell)"
            }
        return move.isUnderWay ? way : "\(way); stands still"
    }

    /// The same in JSON.
    static func document(_ move: MovingTenant) -> JSON {
        [
            "state": .string(move.state.rawValue), "cell": .string(move.cell),
            "isOpen": .bool(move.isOpen), "isUnderWay": .bool(move.isUnderWay),
        ]
    }
}
