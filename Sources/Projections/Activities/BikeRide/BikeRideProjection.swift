public import Domain

/// The fold of a ride.
///
/// Starts and pauses are a set under their own times, the rest is the report that happened last, so
/// the facts commute. Of two motions at one moment the one that reads later in the alphabet stands.
extension BikeRideKind {
    public static func evolve(
        _ state: inout BikeRideState, with event: BikeRide.Event, occurredAt: Moment
    ) {
        state.isKnown = true
        switch event {
        case .bikeOrdered(let data): state.order.offer(data, at: occurredAt)
        case .bikeUnlocked: state.isUnlocked = true
        case .rideStarted, .rideResumed: state.move(.riding, at: occurredAt)
        case .ridePaused: state.move(.paused, at: occurredAt)
        case .fareUpdated(let data): state.fare.offer(data.fare, at: occurredAt)
        case .rideEnded(let data):
            state.ending.offer(.init(reason: data.reason), at: occurredAt)
            if let fare = data.fare { state.fare.offer(fare, at: occurredAt) }
        }
    }

    public static func phase(of state: BikeRideState) -> Phase {
        if state.ending != nil { return .ended }
        return state.isKnown ? .live : .scheduled
    }

    public static func staleAt(
        of state: BikeRideState, at recordedAt: Moment, under policy: Policy
    ) -> Moment? {
        recordedAt.adding(seconds: policy[BikeRidePolicy.staleAfter])
    }

    public static func attributes(of state: BikeRideState) -> OrderAttributes {
        OrderAttributes(
            orderNumber: state.order?.value.orderNumber ?? 0,
            bikeName: state.order?.value.bikeName)
    }

    public static func awaited(by state: BikeRideState) -> String? {
        state.order == nil ? BikeRide.BikeOrdered.type : nil
    }

    public static func contentState(of state: BikeRideState) -> OrderAttributes.ContentState {
        var shown = OrderAttributes.ContentState(
            status: state.status, stage: state.stage, fare: state.fare?.value,
            note: state.ending?.value.reason)
        switch state.ridden {
        case .since(let moment): shown.rideClock = moment.dateToTheSecond
        case .seconds(let seconds): shown.riddenSeconds = seconds
        case nil: break
        }
        return shown
    }
}

extension BikeRideState {
    fileprivate mutating func move(_ motion: Motion, at moment: Moment) {
        motions.offer(motion, as: Int(moment.microseconds), at: moment)
    }
}
