public import Domain

/// What follows from the facts of a coffee order.
extension CoffeeDeliveryKind {
    public static func phase(of state: CoffeeDeliveryState) -> Phase {
        if state.ending != nil { return .ended }
        return state.isKnown ? .live : .scheduled
    }

    public static func staleAt(
        of state: CoffeeDeliveryState, at recordedAt: Moment, under policy: Policy
    ) -> Moment? {
        let expected = state.estimate.map { max($0.value.deliveryAt, recordedAt) }
        return (expected ?? recordedAt).adding(seconds: policy[CoffeeDeliveryPolicy.grace])
    }

    /// What is expected is what people were promised.
    public static func promise(
        of state: CoffeeDeliveryState, under policy: Policy
    ) -> Lifetime.Promise? {
        guard let estimate = state.estimate?.value, state.ending == nil else { return nil }
        return Lifetime.Promise(
            at: estimate.deliveryAt, stepSeconds: policy[CoffeeDeliveryPolicy.overdueStep])
    }

    public static func attributes(of state: CoffeeDeliveryState) -> CoffeeDeliveryAttributes {
        CoffeeDeliveryAttributes(coffeeName: state.coffeeName?.value ?? "Your coffee")
    }

    public static func contentState(
        of state: CoffeeDeliveryState
    ) -> CoffeeDeliveryAttributes.ContentState {
        guard let ending = state.ending else {
            return CoffeeDeliveryAttributes.ContentState(
                currentStatus: state.status,
                estimatedAt: state.estimate?.value.deliveryAt.dateToTheSecond,
                note: state.estimate?.value.reason)
        }
        return CoffeeDeliveryAttributes.ContentState(
            currentStatus: state.status, outcome: ending.outcome, note: ending.reason.value)
    }

    public static func facts(of state: CoffeeDeliveryState) -> ActivityFacts {
        ActivityFacts(
            promisedAt: state.promisedAt,
            expectedAt: state.ending == nil ? state.estimate?.value.deliveryAt : nil,
            actualAt: state.ending?.outcome == .delivered ? state.ending?.reason.at : nil,
            words: SearchWords(state.coffeeName?.value))
    }
}
