/// Everything that is reported about a ride, from the order to the fare.
extension BikeRide {
    /// One fact about a ride.
    public enum Event: Hashable, Sendable {
        case bikeOrdered(BikeOrdered)
        case bikeUnlocked(BikeUnlocked)
        case rideStarted(RideStarted)
        case ridePaused(RidePaused)
        case rideResumed(RideResumed)
        case fareUpdated(FareUpdated)
        case rideEnded(RideEnded)
    }

    /// In the order in which a ride usually goes.
    public static let schemas: [EventSchema<Event>] = [
        EventSchema(BikeOrdered.self) { .bikeOrdered($0) },
        EventSchema(BikeUnlocked.self) { .bikeUnlocked($0) },
        EventSchema(RideStarted.self) { .rideStarted($0) },
        EventSchema(RidePaused.self) { .ridePaused($0) },
        EventSchema(RideResumed.self) { .rideResumed($0) },
        EventSchema(FareUpdated.self) { .fareUpdated($0) },
        EventSchema(RideEnded.self) { .rideEnded($0) },
    ]
}

extension BikeRide {
    /// What a redacted export leaves as it is; every text is covered.
    public static let safeFields = SafeFields.none
}
