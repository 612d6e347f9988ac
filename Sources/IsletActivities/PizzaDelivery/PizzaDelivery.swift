/// A pizza on its way: what its card says of one order.
public enum PizzaDelivery {
    /// How far an order has come. Later cases are further; the last three are endings.
    public enum Stage: String, Codable, Sendable, CaseIterable {
        case placed, accepted, preparing, ready, onTheWay, arriving, cancelled, failed, delivered

        public var isEnding: Bool {
            switch self {
            case .placed, .accepted, .preparing, .ready, .onTheWay, .arriving: false
            case .cancelled, .failed, .delivered: true
            }
        }
    }
}

extension PizzaDelivery.Stage: Comparable {
    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .placed: 0
        case .accepted: 1
        case .preparing: 2
        case .ready: 3
        case .onTheWay: 4
        case .arriving: 5
        case .cancelled: 6
        case .failed: 7
        case .delivered: 8
        }
    }
}
