public import Domain

/// The fold of a coffee order.
///
/// Every member is a maximum or the report that happened last, so the facts commute. Where two
/// contradict each other: delivered beats cancelled, because a drunk coffee is the harder fact.
extension CoffeeDeliveryKind {
    public static func evolve(
        _ state: inout CoffeeDeliveryState, with event: CoffeeDelivery.Event, occurredAt: Moment
    ) {
        state.isKnown = true
        switch event {
        case .orderReceived(let data):
            state.coffeeName.offer(data.coffeeName, at: occurredAt)
            state.expect(data.estimatedAt, at: occurredAt)
        case .brewingStarted(let data):
            state.status = max(state.status, .preparing)
            state.expect(data.estimatedAt, at: occurredAt)
        case .courierLeft(let data):
            state.status = max(state.status, .outForDelivery)
            state.expect(data.estimatedAt, at: occurredAt)
        case .estimateRevised(let data):
            state.expect(data.estimatedAt, reason: data.reason, at: occurredAt)
        case .coffeeDelivered:
            state.end(.delivered, reason: nil, at: occurredAt)
        case .orderCancelled(let data):
            state.end(.cancelled, reason: data.reason, at: occurredAt)
        }
    }

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
    ) -> ActivityPromise? {
        guard let estimate = state.estimate?.value, state.ending == nil else { return nil }
        return ActivityPromise(
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
}

extension CoffeeDeliveryState {
    fileprivate mutating func expect(
        _ deliveryAt: Moment?, reason: String? = nil, at moment: Moment
    ) {
        guard let deliveryAt else { return }
        estimate.offer(Estimate(deliveryAt: deliveryAt, reason: reason), at: moment)
    }

    fileprivate mutating func end(
        _ outcome: CoffeeDelivery.Outcome, reason: String?, at moment: Moment
    ) {
        guard let ending, ending.outcome >= outcome else {
            ending = Ending(outcome: outcome, reason: Latest(reason, at: moment))
            return
        }
        if ending.outcome == outcome { self.ending?.reason.offer(reason, at: moment) }
    }
}
