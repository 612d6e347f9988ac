#if canImport(ActivityKit) && !os(macOS)
    public import ActivityKit

    extension PizzaDeliveryAttributes: ActivityAttributes {}
    extension MatchAttributes: ActivityAttributes {}
    extension CoffeeDeliveryAttributes: ActivityAttributes {}
    extension OrderAttributes: ActivityAttributes {}
    extension AdventureAttributes: ActivityAttributes {}
#endif
