public import Domain

/// A tenant's operation in figures.
public struct Overview: Hashable, Sendable {
    /// Of one kind of activity. Those that have ended are counted if they changed since the
    /// overview's beginning.
    public struct Kind: Hashable, Sendable {
        public var name: String
        public var scheduled = 0
        public var live = 0
        public var ended = 0
        /// Neither ended nor in time, at this moment.
        public var late = 0
        /// Of those that ended: how many were promised for a time and done.
        public var measured = 0
        /// Of those: how many by that time.
        public var onTime = 0
        /// Seconds from the promised to the actual time; negative when early. Nil when there is
        /// nothing to measure.
        public var delaySecondsP50: Double?
        public var delaySecondsP90: Double?

        public init(name: String) {
            self.name = name
        }
    }

    /// Sorted by name.
    public var kinds: [Kind] = []
    public var blocked = 0
    /// Activities whose newest decision is held because no push has room for their state.
    public var tooLarge = 0
    /// Activities that changed since the beginning.
    public var changed = 0
    /// True when there is more of something than was looked at: the figures of what changed are of
    /// the latest ones.
    public var isPartial = false
    /// Alerts decided on since the beginning.
    public var alerts = 0
    /// Events recorded since the beginning, and in the last minute.
    public var events: Int64 = 0
    public var eventsInLastMinute: Int64 = 0
    /// Phones that wait because nothing is sent for their app.
    public var deferred: [DeferredPhones] = []
    /// Apps for which sending was stopped.
    public var alarms: [AppAlarm] = []
    public var freshness: Freshness

    public init(freshness: Freshness) { self.freshness = freshness }
}
