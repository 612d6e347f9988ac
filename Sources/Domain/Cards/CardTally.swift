/// How many of an activity's cards were not served any more at some time, and why: of the first
/// `Limits.countedMax` push tokens, if there are more. A card counts once, whatever tokens its
/// phone had for it, and not at all while one of them is served.
public struct CardTally: Hashable, Sendable {
    /// Closed, by what closed them. Of `replaced` ones no newer token was registered.
    public var closed: [Closing: Int]
    /// Their push token is dead, as APNs says.
    public var dead: Int
    /// APNs does not know their push token in the environment they named, or not as their app's.
    public var unfit: Int

    /// There were more push tokens, and so many of those that were looked at belong to the same
    /// cards that `count` does not say so.
    public var isCutShort: Bool

    /// How many were not served, whatever the reason.
    public var count: Int { closed.values.reduce(dead + unfit, +) }

    /// Only so many were counted.
    public var isPartial: Bool { isCutShort || count >= Limits.countedMax }

    public init(
        closed: [Closing: Int] = [:], dead: Int = 0, unfit: Int = 0, isCutShort: Bool = false
    ) {
        self.closed = closed
        self.dead = dead
        self.unfit = unfit
        self.isCutShort = isCutShort
    }
}

/// Phones of an activity that missed changes when pushes failed, and got them by a later push: of
/// each phone the last ones, and of the first `Limits.countedMax` phones, if there are more.
public struct PhonesBehind: Hashable, Sendable {
    /// What a phone missed: the changes after a version, up to another one.
    public struct Span: Hashable, Sendable {
        /// Version that the phone had.
        public var after: Int64
        /// Version that it was sent then.
        public var through: Int64
        /// It registered after the first of those changes was decided, so that nobody knows which
        /// of their alerts it was sent: of what was before it registered, none.
        public var registeredSince: Bool

        public init(after: Int64, through: Int64, registeredSince: Bool = false) {
            self.after = after
            self.through = through
            self.registeredSince = registeredSince
        }
    }

    /// A phone to which nothing is sent since a push was refused for good, or its token was; or one
    /// that waits for another try.
    public struct Refusal: Hashable, Sendable {
        /// APNs' word for it, or what kept APNs from saying one; of several tries, of the last.
        public var reason: String
        /// Version that the phone had.
        public var after: Int64
        /// When the card was last registered.
        public var registeredAt: Moment
        /// When APNs said it; nil of a phone that waits, of which nobody writes that down.
        public var refusedAt: Moment?
        /// When the card was closed, if it was.
        public var closedAt: Moment?

        public init(
            reason: String, after: Int64, registeredAt: Moment, refusedAt: Moment?,
            closedAt: Moment? = nil
        ) {
            self.reason = reason
            self.after = after
            self.registeredAt = registeredAt
            self.refusedAt = refusedAt
            self.closedAt = closedAt
        }

        /// It had been refused for good by then, and its card was not closed yet.
        public func stood(at moment: Moment) -> Bool {
            guard let refusedAt else { return false }
            return refusedAt <= moment && closedAt.map { $0 > moment } ?? true
        }

        /// It may have been refused since then.
        public func isNotBefore(_ moment: Moment) -> Bool {
            refusedAt.map { $0 >= moment } ?? true
        }
    }

    /// By what they missed.
    public var counts: [Span: Int]
    /// Phones that have got nothing since: some, if there are many.
    public var refusals: [Refusal] = []
    /// `aps.timestamp` of the activity's newest push, in Unix seconds; nil when there is none, or
    /// nobody has caught up.
    public var lastTimestamp: Int64?

    public init(_ counts: [Span: Int] = [:], lastTimestamp: Int64? = nil) {
        self.counts = counts
        self.lastTimestamp = lastTimestamp
    }

    /// How many got a version by a later push.
    /// - Returns: nil when there are too many to know.
    public func count(brought version: Int64) -> Int? {
        guard counts.values.reduce(0, +) < Limits.countedMax else { return nil }
        return counts.reduce(0) { count, entry in
            let missed = entry.key
            return missed.after < version && version <= missed.through
                ? count + entry.value : count
        }
    }
}
