public import Domain

/// What the fold remembers about a coffee order.
public struct CoffeeDeliveryState: Codable, Hashable, Sendable {
    /// An expected arrival, with the café's reason when it moved.
    public struct Estimate: Codable, Hashable, Sendable {
        public var deliveryAt: Moment
        public var reason: String?
    }

    /// How the order ended, and why.
    public struct Ending: Codable, Hashable, Sendable {
        public var outcome: CoffeeDelivery.Outcome
        public var reason: Latest<String?>
    }

    public var coffeeName: Latest<String>?
    /// The furthest one reported.
    public var status: CoffeeDelivery.Status = .received
    public var estimate: Latest<Estimate>?
    /// The hardest one reported.
    public var ending: Ending?
    /// True once anything is known.
    public var isKnown = false
}
