/// A pizza on its way: everything that merchants and drivers report about one order.
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

    /// One fact about an order.
    public enum Event: Hashable, Sendable {
        case orderPlaced(OrderPlaced)
        case orderAccepted(OrderAccepted)
        case preparationStarted(PreparationStarted)
        case orderReady(OrderReady)
        case driverAssigned(DriverAssigned)
        case driverReassigned(DriverReassigned)
        case orderPickedUp(OrderPickedUp)
        case driverLocated(DriverLocated)
        case estimateRevised(EstimateRevised)
        case driverArriving(DriverArriving)
        case orderDelivered(OrderDelivered)
        case orderCancelled(OrderCancelled)
        case deliveryFailed(DeliveryFailed)
    }

    /// In the order in which an order usually goes.
    public static let schemas: [EventSchema<Event>] = [
        EventSchema(OrderPlaced.self) { .orderPlaced($0) },
        EventSchema(OrderAccepted.self) { .orderAccepted($0) },
        EventSchema(PreparationStarted.self) { .preparationStarted($0) },
        EventSchema(OrderReady.self) { .orderReady($0) },
        EventSchema(DriverAssigned.self) { .driverAssigned($0) },
        EventSchema(DriverReassigned.self) { .driverReassigned($0) },
        EventSchema(OrderPickedUp.self) { .orderPickedUp($0) },
        EventSchema(DriverLocated.self) { .driverLocated($0) },
        EventSchema(EstimateRevised.self) { .estimateRevised($0) },
        EventSchema(DriverArriving.self) { .driverArriving($0) },
        EventSchema(OrderDelivered.self) { .orderDelivered($0) },
        EventSchema(OrderCancelled.self) { .orderCancelled($0) },
        EventSchema(DeliveryFailed.self) { .deliveryFailed($0) },
    ]
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

extension PizzaDelivery {
    /// What a redacted export leaves as it is; every text is covered.
    public static let safeFields = SafeFields(
        ["distanceMeters", "estimatedAt", "numberOfPizzas", "promisedAt"])
}
