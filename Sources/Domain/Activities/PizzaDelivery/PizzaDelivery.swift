/// Everything that merchants and drivers report about one order.
extension PizzaDelivery {
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

extension PizzaDelivery {
    /// What a redacted export leaves as it is; every text is covered.
    public static let safeFields = SafeFields(
        ["distanceMeters", "estimatedAt", "numberOfPizzas", "promisedAt"])
}
