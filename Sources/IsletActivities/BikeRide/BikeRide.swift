/// A ride on a hired bicycle: what its card says of it.
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
}
