public import Domain

/// Which activities are wanted. What is nil or empty does not matter.
public struct ActivityFilter: Hashable, Sendable {
    public var kinds: Set<String>
    public var phases: Set<Phase>
    public var isBlocked: Bool?
    /// See `ActivityFacts.isLate`.
    public var isLate: Bool?
    /// An event recorded then or later was folded into them, or they were parked or released
    /// then or later.
    public var updatedSince: Moment?
    /// They have all of these.
    public var words: SearchWords
    /// Only those with phones that wait because nothing is sent for their app. For lists in order
    /// of ids alone: no change of an activity tells of it.
    public var hasDeferredPhones = false
    /// The order of a list, unless `updatedSince` says otherwise.
    public var order: Order

    public enum Order: String, Sendable {
        case id
        case idDescending = "-id"
        case newestChange = "-change"
    }

    public init(
        kinds: Set<String> = [], phases: Set<Phase> = [], isBlocked: Bool? = nil,
        isLate: Bool? = nil, updatedSince: Moment? = nil, words: SearchWords = SearchWords(),
        order: Order = .id
    ) {
        self.kinds = kinds
        self.phases = phases
        self.isBlocked = isBlocked
        self.isLate = isLate
        self.updatedSince = updatedSince
        self.words = words
        self.order = order
    }

    /// What an activity is to a reader of changes.
    public enum Fit: Hashable, Sendable {
        case fits
        /// By what changes seldom or never it fits, by its phase and the like it does not: the
        /// reader may have it from before.
        case fitsNoMore
        case unrelated
    }

    /// - Parameter noticedAt: when it was parked or released last, if that is to count.
    public func fit(_ snapshot: Snapshot, noticedAt: Moment? = nil, at now: Moment) -> Fit {
        guard kinds.isEmpty || kinds.contains(snapshot.kind),
            snapshot.facts.words.contains(all: words)
        else { return .unrelated }
        let fits =
            (phases.isEmpty || phases.contains(snapshot.phase))
            && (isBlocked.map { $0 == (snapshot.blockage != nil) } ?? true)
            && (isLate.map { $0 == snapshot.facts.isLate(snapshot.phase, at: now) } ?? true)
            && (updatedSince.map { max(snapshot.updatedAt, noticedAt ?? snapshot.updatedAt) >= $0 }
                ?? true)
        return fits ? .fits : .fitsNoMore
    }
}
