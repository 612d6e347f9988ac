public import Domain

/// Everything that is reported about a ride, from the order to the fare.
///
/// Starts and pauses are a set under their own times, the rest is the report that happened last, so
/// the facts commute. Of two motions at one moment the one that reads later in the alphabet stands.
extension BikeRideKind {
    /// In the order in which they usually come.
    public static let schemas: [EventSchema<StateChange<BikeRideState>>] = [
        .init(ordered, "The rider chose a bicycle. Sent again, the newest stands.") { data in
            let order = try BikeRideState.Order(&data)
            return StateChange { $0.order.offer(order, at: $1) }
        },
        .init("BikeRide.BikeUnlocked", "The lock is open.") { _ in
            StateChange { state, _ in state.isUnlocked = true }
        },
        motion(.riding, "BikeRide.RideStarted", "The wheels turn for the first time."),
        motion(
            .paused, "BikeRide.RidePaused", "The bicycle is locked for a while and stays hired."),
        motion(.riding, "BikeRide.RideResumed", "The ride goes on."),
        .init(
            "BikeRide.FareUpdated",
            "What the ride costs so far, or after a correction in the end; shown as it is."
        ) { data in
            let fare = try data.amount("fare")
            return StateChange { $0.fare.offer(fare, at: $1) }
        },
        .init(
            "BikeRide.RideEnded",
            "The bicycle was given back, or the ride never took place and `reason` says why."
        ) { data in
            let fare = try data.optionalAmount("fare")
            let reason = try data.reason(isPersonal: true)
            return StateChange {
                $0.ending.offer(.init(reason: reason), at: $1)
                if let fare { $0.fare.offer(fare, at: $1) }
            }
        },
    ]

    private static let ordered = "BikeRide.BikeOrdered"

    /// The event that has what the attributes show.
    public static func awaited(by state: BikeRideState) -> String? {
        state.order == nil ? ordered : nil
    }

    /// Any report makes it known that there is something.
    public static func evolve(
        _ state: inout BikeRideState, with event: StateChange<BikeRideState>, occurredAt: Moment
    ) {
        state.isKnown = true
        event.fold(into: &state, occurredAt: occurredAt)
    }

    private static func motion(
        _ motion: BikeRideState.Motion, _ type: String, _ about: String
    ) -> EventSchema<StateChange<BikeRideState>> {
        EventSchema(type, about) { _ in
            StateChange { $0.motions.offer(motion, as: Int($1.microseconds), at: $1) }
        }
    }
}
