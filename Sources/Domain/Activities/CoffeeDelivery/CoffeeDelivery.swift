/// Everything that a café reports about one order.
extension CoffeeDelivery {
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

extension CoffeeDelivery {
    /// What a redacted export leaves as it is; every text is covered.
    public static let safeFields = SafeFields(
        ["estimatedAt"])
}
