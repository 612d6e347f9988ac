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

    /// Nil for every type that is not the clock's.
    public static func schema(of type: String) -> EventSchema<Event>? {
        guard type.utf8.starts(with: prefix) else { return nil }
        return schemas.first { $0.type == type }
    }

    /// Looked at first, because it is asked of every event there is.
    private static let prefix = Array("ActivityClock.".utf8)
}
