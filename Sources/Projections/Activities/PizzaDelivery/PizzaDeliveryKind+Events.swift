public import Domain

/// Everything that merchants and drivers report about one order, in the order in which one usually
/// goes.
///
/// Every fact in the state is a maximum, a minimum or the report that happened last, so the facts
/// commute. The one place where they contradict each other is the ending: delivered beats failed
/// beats cancelled, because a handed-over pizza is the harder fact.
extension PizzaDeliveryKind {
    /// In the order in which they usually come.
    public static let schemas: [EventSchema<StateChange<PizzaDeliveryState>>] = [
        .init(
            placed,
            """
            The customer ordered. The card's countdown runs from this event's time to \
            `promisedAt`. `totalAmount` is shown as it is, with its currency. Sent again, the \
            newest stands, and a promise that it repeats is as old as before.
            """
        ) { data in
            let order = try PizzaDelivery.Order(&data)
            return StateChange { $0.place(order, at: $1) }
        },
        stage(.accepted, "PizzaDelivery.OrderAccepted", "The merchant took the order on."),
        stage(.preparing, "PizzaDelivery.PreparationStarted", "The kitchen began."),
        stage(.ready, "PizzaDelivery.OrderReady", "The order waits for its driver."),
        driver(
            "PizzaDelivery.DriverAssigned",
            """
            A driver takes the order. The assignment that happened last stands, so this corrects \
            as well.
            """),
        driver("PizzaDelivery.DriverReassigned", "Another driver takes over."),
        stage(.onTheWay, "PizzaDelivery.OrderPickedUp", "The driver left with the order."),
        .init(
            "PizzaDelivery.DriverLocated",
            """
            How far the driver has to go. The phone shows it to the nearest 100 m, on the way and \
            arriving.
            """
        ) { data in
            let distance = try data.integer(
                "distanceMeters", in: 0...Limits.distanceMetersMax, isOpen: true)
            let estimatedAt = try data.estimatedAt()
            return StateChange {
                $0.distanceMeters.offer(distance, at: $1)
                $0.expect(estimatedAt, at: $1)
            }
        },
        .init(
            "PizzaDelivery.EstimateRevised",
            "The expected arrival changed. The estimate that happened last stands, with its reason."
        ) { data in
            let estimatedAt = try data.moment("estimatedAt")
            let reason = try data.reason(isPersonal: true)
            return StateChange { $0.expect(estimatedAt, reason: reason, at: $1) }
        },
        stage(.arriving, "PizzaDelivery.DriverArriving", "The driver is about to ring."),
        .init("PizzaDelivery.OrderDelivered", "The customer has the order.") { _ in
            StateChange { $0.end(.delivered, reason: nil, at: $1) }
        },
        ending(
            .cancelled, "PizzaDelivery.OrderCancelled", "Customer or merchant called it off."),
        ending(.failed, "PizzaDelivery.DeliveryFailed", "The driver could not hand it over."),
    ]

    private static let placed = "PizzaDelivery.OrderPlaced"

    /// The event that has what the attributes show.
    public static func awaited(by state: PizzaDeliveryState) -> String? {
        state.order == nil ? placed : nil
    }

    /// Any report makes it known that there is something.
    public static func evolve(
        _ state: inout PizzaDeliveryState, with event: StateChange<PizzaDeliveryState>,
        occurredAt: Moment
    ) {
        state.firstReportAt.offer(occurredAt)
        event.fold(into: &state, occurredAt: occurredAt)
    }

    private static func stage(
        _ stage: PizzaDelivery.Stage, _ type: String, _ about: String
    ) -> EventSchema<StateChange<PizzaDeliveryState>> {
        EventSchema(type, about) { data in
            let estimatedAt = try data.estimatedAt()
            return StateChange {
                $0.stage = max($0.stage, stage)
                $0.expect(estimatedAt, at: $1)
            }
        }
    }

    private static func driver(
        _ type: String, _ about: String
    ) -> EventSchema<StateChange<PizzaDeliveryState>> {
        EventSchema(type, about) { data in
            let driverName = try data.name("driverName", isPersonal: true)
            let estimatedAt = try data.estimatedAt()
            return StateChange {
                $0.driverName.offer(driverName, at: $1)
                $0.expect(estimatedAt, at: $1)
            }
        }
    }

    private static func ending(
        _ ending: PizzaDelivery.Stage, _ type: String, _ about: String
    ) -> EventSchema<StateChange<PizzaDeliveryState>> {
        EventSchema(type, about) { data in
            let reason = try data.reason(isPersonal: true)
            return StateChange { $0.end(ending, reason: reason, at: $1) }
        }
    }
}

extension PizzaDeliveryState {
    /// Placed again to correct its pizzas or its amount, an order promises nothing new.
    fileprivate mutating func place(_ order: PizzaDelivery.Order, at moment: Moment) {
        let promisedAt = self.order?.value.promisedAt
        self.order.offer(order, at: moment)
        promised.offer(order.promisedAt, at: moment)
        if self.order?.value.promisedAt == promisedAt { show() } else { beginAgain() }
    }

    fileprivate mutating func expect(
        _ deliveryAt: Moment?, reason: String? = nil, at moment: Moment
    ) {
        guard let deliveryAt else { return }
        revision.offer(Estimate(deliveryAt: deliveryAt, reason: reason), at: moment)
        show()
    }

    /// The newest estimate. One that a later report had overtaken before it came was never shown:
    /// nobody knows of it.
    private mutating func show() {
        guard let deliveryAt = estimate?.value.deliveryAt else { return }
        if isDelayOver(by: deliveryAt) { return beginAgain() }
        shown = Shown(worstEstimate: max(shown?.worstEstimate ?? deliveryAt, deliveryAt))
    }

    /// What people heard of delays before is no longer true, so the next one is news again.
    private mutating func beginAgain() {
        shown = estimate.map { Shown(worstEstimate: $0.value.deliveryAt) }
    }

    /// The delay that was shown is taken back and was a mistake: no card lives so long. One that
    /// only swings back is said once.
    private func isDelayOver(by deliveryAt: Moment) -> Bool {
        guard let promisedAt = order?.value.promisedAt else { return false }
        return worstDelaySeconds > Limits.liveSecondsMax
            && deliveryAt.seconds(since: promisedAt) <= Limits.liveSecondsMax
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
