public import Domain

/// What follows from the facts of an order.
extension PizzaDeliveryKind {
    public static func phase(of state: PizzaDeliveryState) -> Phase {
        if state.stage.isEnding { return .ended }
        return state.firstReportAt == nil ? .scheduled : .live
    }

    public static func staleAt(
        of state: PizzaDeliveryState, at recordedAt: Moment, under policy: Policy
    ) -> Moment? {
        let expected = state.estimate.map { max($0.value.deliveryAt, recordedAt) }
        return (expected ?? recordedAt).adding(seconds: policy[PizzaDeliveryPolicy.grace])
    }

    public static func promise(
        of state: PizzaDeliveryState, under policy: Policy
    ) -> Lifetime.Promise? {
        guard let order = state.order?.value, !state.stage.isEnding else { return nil }
        return Lifetime.Promise(
            at: order.promisedAt, stepSeconds: policy[PizzaDeliveryPolicy.overdueStep])
    }

    public static func attributes(of state: PizzaDeliveryState) -> PizzaDeliveryAttributes {
        PizzaDeliveryAttributes(
            numberOfPizzas: state.order?.value.numberOfPizzas ?? 0,
            totalAmount: state.order?.value.totalAmount ?? "",
            orderNumber: state.order?.value.orderNumber ?? "")
    }

    public static func contentState(
        of state: PizzaDeliveryState
    ) -> PizzaDeliveryAttributes.ContentState {
        let start = state.promised?.earliest ?? state.firstReportAt ?? Moment(unixSeconds: 0)
        let end = max(start, state.ending?.at ?? state.estimate?.value.deliveryAt ?? start)
        let isOnTheWay = state.stage == .onTheWay || state.stage == .arriving
        let driverName =
            if let name = state.driverName { name.value } else {
                PizzaDeliveryAttributes.ContentState.unknownDriver
            }
        return PizzaDeliveryAttributes.ContentState(
            driverName: driverName,
            deliveryTimer: start.dateToTheSecond...end.dateToTheSecond,
            stage: state.stage,
            note: state.ending == nil ? state.estimate?.value.reason : state.ending?.value.reason,
            distanceMeters: isOnTheWay ? state.distanceMeters.map { hundreds($0.value) } : nil)
    }

    /// A driver's every metre is not worth a push.
    private static func hundreds(_ meters: Int) -> Int {
        (min(meters, Limits.distanceMetersMax) + 50) / 100 * 100
    }

    public static func facts(of state: PizzaDeliveryState) -> ActivityFacts {
        ActivityFacts(
            promisedAt: state.order?.value.promisedAt,
            expectedAt: state.stage.isEnding ? nil : state.estimate?.value.deliveryAt,
            actualAt: state.stage == .delivered ? state.ending?.at : nil,
            words: SearchWords(state.order?.value.orderNumber))
    }
}
