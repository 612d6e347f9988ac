public import Domain

/// Nobody is promised a time for a coffee, so none is late.
extension CoffeeDeliveryKind {
    public static func facts(of state: CoffeeDeliveryState) -> ActivityFacts {
        ActivityFacts(
            expectedAt: state.ending == nil ? state.estimate?.value.deliveryAt : nil,
            words: SearchWords(state.coffeeName?.value))
    }
}
