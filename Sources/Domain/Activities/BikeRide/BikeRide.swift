/// A ride on a hired bicycle, from the order to the fare.
public enum BikeRide {
    /// Whether the rider has set out.
    ///
    /// The two words that the articles' app names. It must decode every state, which is why a pause
    /// and an ending are no cases here.
    public enum Status: String, Codable, Sendable, CaseIterable {
        case unstarted, cycling
    }

    /// Where the ride stands, once there is more to say than that it has not begun.
    public enum Stage: String, Codable, Sendable, CaseIterable {
        case unlocked, riding, paused, ended
    }

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
