import EventStore

/// A tenant on its way between two cells, as lists show it.
enum MovingTenantText {
    static func words(_ move: MovingTenant) -> String {
        let way =
            switch move.state {
            case .leaving: "leaving for \(move.cell)"
            case .gone where move.isOpen: "open in \(move.cell), being removed here"
            case .gone: "left for \(move.cell), not open there"
            case .arriving: "arriving from \(move.cell)"
            }
        return move.isUnderWay ? way : "\(way); stands still"
    }
}

/// The same in JSON.
struct MovingTenantDocument: Encodable {
    var state: String
    var cell: String
    /// Whether the tenant works in the cell that it has gone to.
    var isOpen: Bool
    var isUnderWay: Bool

    init(_ move: MovingTenant) {
        state = move.state.rawValue
        cell = move.cell
        isOpen = move.isOpen
        isUnderWay = move.isUnderWay
    }
}
