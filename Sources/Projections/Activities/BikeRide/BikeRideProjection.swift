public import Domain

/// What follows from the facts of a ride.
extension BikeRideKind {
    public static func phase(of state: BikeRideState) -> Phase {
        if state.ending != nil { return .ended }
        return state.isKnown ? .live : .scheduled
    }

    public static func attributes(of state: BikeRideState) -> OrderAttributes {
        OrderAttributes(
            orderNumber: state.order?.value.orderNumber ?? 0,
            bikeName: state.order?.value.bikeName)
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

    public static func facts(of state: BikeRideState) -> ActivityFacts {
        ActivityFacts(words: SearchWords(state.order.map { String($0.value.orderNumber) }))
    }
}
