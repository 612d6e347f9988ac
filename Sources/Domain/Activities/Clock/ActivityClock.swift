/// What time alone brings about, for every kind of activity.
///
/// These are facts like any other and stand in the log, so that a replay needs no clock. Only Islet
/// reports them: a merchant's event with such a type is refused as unknown.
public enum ActivityClock {
    /// The `source` of the events.
    public static let source = "/islet/clock"

    /// None has any data.
    public enum Event: String, CaseIterable, Sendable {
        case wentStale = "ActivityClock.WentStale"
        case promiseBroken = "ActivityClock.PromiseBroken"
        case endGracePassed = "ActivityClock.EndGracePassed"
        case quietHoursEnded = "ActivityClock.QuietHoursEnded"
        case restartDue = "ActivityClock.RestartDue"
        case timeLimitReached = "ActivityClock.TimeLimitReached"
        case dismissed = "ActivityClock.Dismissed"

        /// As events have it.
        public var type: String { rawValue }
    }

    /// The types with what they report.
    public static let schemas = Event.allCases.map { event in
        EventSchema(event.type, event.about) { _ in event }
    }
}
