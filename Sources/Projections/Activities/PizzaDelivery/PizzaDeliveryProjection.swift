public import Domain

/// The fold of an order.
///
/// Every member is a maximum, a minimum or the report that happened last, so the facts commute.
/// The one place where they contradict each other is the ending: delivered beats failed beats
/// cancelled, because a handed-over pizza is the harder fact.
extension PizzaDeliveryKind {
    public static func evolve(
        _ state: inout PizzaDeliveryState, with event: PizzaDelivery.Event, occurredAt: Moment
    ) {
        state.firstReportAt = min(state.firstReportAt ?? occurredAt, occurredAt)
        switch event {
        case .orderPlaced(let data):
            state.order.offer(data, at: occurredAt)
            state.expect(data.promisedAt, at: occurredAt)
        case .orderAccepted(let data):
            state.reach(.accepted)
            state.expect(data.estimatedAt, at: occurredAt)
        case .preparationStarted(let data):
            state.reach(.preparing)
            state.expect(data.estimatedAt, at: occurredAt)
        case .orderReady(let data):
            state.reach(.ready)
            state.expect(data.estimatedAt, at: occurredAt)
        case .driverAssigned(let data):
            state.driverName.offer(data.driverName, at: occurredAt)
            state.expect(data.estimatedAt, at: occurredAt)
        case .driverReassigned(let data):
            state.driverName.offer(data.driverName, at: occurredAt)
            state.expect(data.estimatedAt, at: occurredAt)
        case .orderPickedUp(let data):
            state.reach(.onTheWay)
            state.expect(data.estimatedAt, at: occurredAt)
        case .driverLocated(let data):
            state.distanceMeters.offer(data.distanceMeters, at: occurredAt)
            state.expect(data.estimatedAt, at: occurredAt)
        case .estimateRevised(let data):
            state.expect(data.estimatedAt, reason: data.reason, at: occurredAt)
        case .driverArriving(let data):
            state.reach(.arriving)
            state.expect(data.estimatedAt, at: occurredAt)
        case .orderDelivered:
            state.end(.delivered, reason: nil, at: occurredAt)
        case .orderCancelled(let data):
            state.end(.cancelled, reason: data.reason, at: occurredAt)
        case .deliveryFailed(let data):
            state.end(.failed, reason: data.reason, at: occurredAt)
        }
    }

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
    ) -> ActivityPromise? {
        guard let order = state.order?.value, !state.stage.isEnding else { return nil }
        return ActivityPromise(
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
        let start = state.order?.at ?? state.firstReportAt ?? Moment(unixSeconds: 0)
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
    private static func hundreds(_ meters: Int) -> Int { (meters + 50) / 100 * 100 }
}

extension PizzaDeliveryState {
    fileprivate mutating func reach(_ stage: PizzaDelivery.Stage) {
        self.stage = max(self.stage, stage)
    }

    fileprivate mutating func expect(
        _ deliveryAt: Moment?, reason: String? = nil, at moment: Moment
    ) {
        guard let deliveryAt else { return }
        estimate.offer(Estimate(deliveryAt: deliveryAt, reason: reason), at: moment)
        worstEstimate = max(worstEstimate ?? deliveryAt, deliveryAt)
    }

    fileprivate mutating func end(
        _ ending: PizzaDelivery.Stage, reason: String?, at moment: Moment
    ) {
        guard ending >= stage else { return }
        if ending > stage { self.ending = nil }
        stage = ending
        self.ending.offer(Ending(reason: reason), at: moment)
    }
}
