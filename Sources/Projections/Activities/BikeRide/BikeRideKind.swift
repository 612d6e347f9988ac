public import Domain

/// Rides on hired bicycles. The articles' app calls its attributes those of an order.
public enum BikeRideKind: ActivityKind {
    public static let attributesType = "OrderAttributes"
    /// 3: the state says `unstarted` or `cycling`, and the rest in `stage`. 4 and 5: as the third
    /// and fourth of all kinds.
    public static let foldVersion = 5
    public static let initial = BikeRideState()

    public static let thresholds = BikeRidePolicy.thresholds
    public static let rules = BikeRidePolicy.rules
    public static let texts = BikeRideTexts.all
    /// The reason goes first, then the fare.
    public static let cuts: [Cut<OrderAttributes.ContentState>] = [
        .shortening(\.note), .leavingOut(\.fare),
    ]

    public static func assess(_ change: Change<BikeRideKind>) -> Assessment {
        BikeRidePolicy(change).assessment
    }

    public static func relevanceScore(of state: BikeRideState, under policy: Policy) -> Double {
        switch state.stage {
        case nil, .ended: 25
        case .unlocked, .paused: 50
        case .riding: 75
        }
    }
}
