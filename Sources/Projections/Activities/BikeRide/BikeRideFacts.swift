public import Domain

extension BikeRideKind {
    public static func facts(of state: BikeRideState) -> ActivityFacts {
        ActivityFacts(words: SearchWords(state.order.map { String($0.value.orderNumber) }))
    }
}
