/// What time alone brings about, for every kind of activity.
///
/// These are facts like any other and stand in the log, so that a replay needs no clock. Only Islet
/// reports them: a merchant's event with such a type is refused as unknown.
public enum ActivityClock {
    /// The `source` of the events.
    public static let source = "/islet/clock"

    /// No report came for so long that what the card shows is no longer to be trusted. Stale is not
    /// ended: the next report makes it fresh again.
    public struct WentStale: EventPayload {
        public static let type = "ActivityClock.WentStale"
        public static let fields: [EventField] = []
    }

    /// The activity has been live for eight hours, and no Live Activity may be for longer.
    public struct TimeLimitReached: EventPayload {
        public static let type = "ActivityClock.TimeLimitReached"
        public static let fields: [EventField] = []
    }

    /// The ended activity's card has left every Lock Screen.
    public struct Dismissed: EventPayload {
        public static let type = "ActivityClock.Dismissed"
        public static let fields: [EventField] = []
    }

    /// Quiet hours are over that kept an alert back, and nothing was reported since.
    public struct QuietHoursEnded: EventPayload {
        public static let type = "ActivityClock.QuietHoursEnded"
        public static let fields: [EventField] = []
    }

    /// The activity's eight hours are over soon, and its policy wants fresh cards before.
    public struct RestartDue: EventPayload {
        public static let type = "ActivityClock.RestartDue"
        public static let fields: [EventField] = []
    }

    /// An end was reported, and nothing has contradicted it within the policy's grace.
    public struct EndGracePassed: EventPayload {
        public static let type = "ActivityClock.EndGracePassed"
        public static let fields: [EventField] = []
    }

    /// What was promised has not come, by one of the policy's steps, and nobody reports anything.
    public struct PromiseBroken: EventPayload {
        public static let type = "ActivityClock.PromiseBroken"
        public static let fields: [EventField] = []
    }

    public enum Event: Hashable, Sendable {
        case wentStale(WentStale)
        case promiseBroken(PromiseBroken)
        case endGracePassed(EndGracePassed)
        case quietHoursEnded(QuietHoursEnded)
        case restartDue(RestartDue)
        case timeLimitReached(TimeLimitReached)
        case dismissed(Dismissed)
    }

    public static let schemas: [EventSchema<Event>] = [
        EventSchema(WentStale.self) { .wentStale($0) },
        EventSchema(PromiseBroken.self) { .promiseBroken($0) },
        EventSchema(EndGracePassed.self) { .endGracePassed($0) },
        EventSchema(QuietHoursEnded.self) { .quietHoursEnded($0) },
        EventSchema(RestartDue.self) { .restartDue($0) },
        EventSchema(TimeLimitReached.self) { .timeLimitReached($0) },
        EventSchema(Dismissed.self) { .dismissed($0) },
    ]

    /// Nil for every type that is not the clock's.
    public static func schema(of type: String) -> EventSchema<Event>? {
        guard type.utf8.starts(with: prefix) else { return nil }
        return schemas.first { $0.type == type }
    }

    /// Looked at first, because it is asked of every event there is.
    private static let prefix = Array("ActivityClock.".utf8)
}
