public import Domain

/// Everything that a café reports about one order, in the order in which one usually goes.
///
/// Every member of the state is a maximum or the report that happened last, so the facts commute.
/// Where two contradict each other: delivered beats cancelled, because a drunk coffee is the harder
/// fact.
extension CoffeeDeliveryKind {
    /// In the order in which they usually come.
    public static let schemas: [EventSchema<StateChange<CoffeeDeliveryState>>] = [
        .init(
            received,
            """
            The customer ordered. Sent again, the newest stands: with another `estimatedAt`, that \
            is the arrival that a delay is counted from. With the same one, it says nothing new of \
            the arrival.
            """
        ) { data in
            let coffeeName = try data.name("coffeeName")
            let estimatedAt = try data.estimatedAt()
            return StateChange {
                $0.coffeeName.offer(coffeeName, at: $1)
                $0.order(for: estimatedAt, at: $1)
            }
        },
        status(.preparing, "CoffeeDelivery.BrewingStarted", "The barista began."),
        status(
            .outForDelivery, "CoffeeDelivery.CourierLeft", "The coffee is out for delivery."),
        .init(
            "CoffeeDelivery.EstimateRevised",
            "The expected arrival changed. The estimate that happened last stands, with its reason."
        ) { data in
            let estimatedAt = try data.moment("estimatedAt")
            let reason = try data.reason(isPersonal: true)
            return StateChange { $0.expect(estimatedAt, reason: reason, at: $1) }
        },
        .init("CoffeeDelivery.CoffeeDelivered", "The customer has the coffee.") { _ in
            StateChange { $0.end(.delivered, reason: nil, at: $1) }
        },
        .init("CoffeeDelivery.OrderCancelled", "Customer or café called it off.") { data in
            let reason = try data.reason(isPersonal: true)
            return StateChange { $0.end(.cancelled, reason: reason, at: $1) }
        },
    ]

    private static let received = "CoffeeDelivery.OrderReceived"

    /// The event that has what the attributes show.
    public static func awaited(by state: CoffeeDeliveryState) -> String? {
        state.coffeeName == nil ? received : nil
    }

    /// Any report makes it known that there is something.
    public static func evolve(
        _ state: inout CoffeeDeliveryState, with event: StateChange<CoffeeDeliveryState>,
        occurredAt: Moment
    ) {
        state.isKnown = true
        event.fold(into: &state, occurredAt: occurredAt)
    }

    private static func status(
        _ status: CoffeeDelivery.Status, _ type: String, _ about: String
    ) -> EventSchema<StateChange<CoffeeDeliveryState>> {
        EventSchema(type, about) { data in
            let estimatedAt = try data.estimatedAt()
            return StateChange {
                $0.status = max($0.status, status)
                $0.expect(estimatedAt, at: $1)
            }
        }
    }
}

extension CoffeeDeliveryState {
    /// A customer who orders once more for another time counts on that one: a coffee that was
    /// ordered for later is not late.
    fileprivate mutating func order(for deliveryAt: Moment?, at moment: Moment) {
        guard let deliveryAt else { return }
        let (former, expected) = (orderedFor?.value, estimate)
        orderedFor.offer(deliveryAt, at: moment)
        ordered.offer(deliveryAt, at: moment)
        if let estimate, estimate.value != expected?.value {
            show(estimate.value.deliveryAt, at: estimate.at)
        }
        guard let arrival = orderedFor?.value, let former, arrival != former else { return }
        shown = Shown(countedOn: arrival, worstEstimate: arrival)
    }

    fileprivate mutating func expect(
        _ deliveryAt: Moment?, reason: String? = nil, at moment: Moment
    ) {
        guard let deliveryAt else { return }
        revision.offer(Estimate(deliveryAt: deliveryAt, reason: reason), at: moment)
        firstRevision.offer(deliveryAt, at: moment)
        // One that a later report had overtaken before it came was never shown: nobody knows of it.
        guard estimate?.at == moment, estimate?.value.deliveryAt == deliveryAt else { return }
        show(deliveryAt, at: moment)
    }

    private mutating func show(_ deliveryAt: Moment, at moment: Moment) {
        shown =
            shown?.followed(by: deliveryAt, at: moment)
            ?? Shown(countedOn: deliveryAt, worstEstimate: deliveryAt)
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
