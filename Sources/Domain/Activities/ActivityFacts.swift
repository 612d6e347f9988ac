/// What questions about many activities need to know of one, whatever its kind; folded with it and
/// stored in columns of its own, so that Postgres finds it by an index.
public struct ActivityFacts: Hashable, Sendable {
    /// When it was to be done, by the promise that the customer got at the beginning.
    public var promisedAt: Moment?
    /// When it is expected to be done; nil once it is over.
    public var expectedAt: Moment?
    /// When it was done. Nil also for what was called off or failed.
    public var actualAt: Moment?
    /// When it begins by the calendar, such as a kick-off.
    public var startsAt: Moment?
    /// What it is a part of, such as a league.
    @ByBytes public var competition: String?
    /// What it is searched by.
    public var words: SearchWords

    public init(
        promisedAt: Moment? = nil, expectedAt: Moment? = nil, actualAt: Moment? = nil,
        startsAt: Moment? = nil, competition: String? = nil, words: SearchWords = SearchWords()
    ) {
        self.promisedAt = promisedAt
        self.expectedAt = expectedAt
        self.actualAt = actualAt
        self.startsAt = startsAt
        self.competition = competition
        self.words = words
    }

    /// Done later than promised; before the end: promised for a time that is over, or expected
    /// later than that. What is called off is not late. SQL has the same as `is_late`.
    public func isLate(_ phase: Phase, at now: Moment) -> Bool {
        guard let promisedAt else { return false }
        switch phase {
        case .ended: return actualAt.map { $0 > promisedAt } ?? false
        case .scheduled, .live: return max(expectedAt ?? now, now) > promisedAt
        }
    }
}
