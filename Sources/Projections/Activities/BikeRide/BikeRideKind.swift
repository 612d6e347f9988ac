public import Domain

/// Rides on hired bicycles. The articles' app calls its attributes those of an order.
public enum BikeRideKind: ActivityKind {
    public static let name = OrderAttributes.kind
    public static let attributesType = "OrderAttributes"
    public static let schemas = BikeRide.schemas
    public static let safeFields = BikeRide.safeFields
    /// 3: the state says `unstarted` or `cycling`, and the rest in `stage`. 4: as the third of
    /// all kinds.
    public static let foldVersion = 4
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

    public static func startWords(
        attributes: OrderAttributes, contentState: OrderAttributes.ContentState
    ) -> Words {
        Words("start")
    }
}
