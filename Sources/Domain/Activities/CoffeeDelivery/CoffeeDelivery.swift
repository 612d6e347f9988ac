/// A coffee on its way: everything that a café reports about one order.
public enum CoffeeDelivery {
    /// How far an order has come; later cases are further.
    ///
    /// An enum without raw values, so its wire form is `{"preparing":{}}`. An app that was built
    /// with these three cases must decode every state, which is why an ending is no case here.
    public enum Status: Codable, Hashable, Sendable, CaseIterable {
        case received, preparing, outForDelivery

        /// The first one is spelled on the wire as the articles' app spells it.
        enum CodingKeys: String, CodingKey {
            case received = "recieved"
            case preparing, outForDelivery
        }
    }

    /// How an order ended. The later case is the harder fact.
    public enum Outcome: String, Codable, Sendable, CaseIterable {
        case cancelled, delivered
    }

    /// One fact about an order.
    public enum Event: Hashable, Sendable {
        case orderReceived(OrderReceived)
        case brewingStarted(BrewingStarted)
        case courierLeft(CourierLeft)
        case estimateRevised(EstimateRevised)
        case coffeeDelivered(CoffeeDelivered)
        case orderCancelled(OrderCancelled)
    }

    /// In the order in which an order usually goes.
    public static let schemas: [EventSchema<Event>] = [
        EventSchema(OrderReceived.self) { .orderReceived($0) },
        EventSchema(BrewingStarted.self) { .brewingStarted($0) },
        EventSchema(CourierLeft.self) { .courierLeft($0) },
        EventSchema(EstimateRevised.self) { .estimateRevised($0) },
        EventSchema(CoffeeDelivered.self) { .coffeeDelivered($0) },
        EventSchema(OrderCancelled.self) { .orderCancelled($0) },
    ]
}

extension CoffeeDelivery.Status: Comparable {
    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .received: 0
        case .preparing: 1
        case .outForDelivery: 2
        }
    }
}

extension CoffeeDelivery.Outcome: Comparable {
    public static func < (left: Self, right: Self) -> Bool {
        left == .cancelled && right == .delivered
    }
}

extension CoffeeDelivery {
    /// What a redacted export leaves as it is; every text is covered.
    public static let safeFields = SafeFields(
        ["estimatedAt"])
}
