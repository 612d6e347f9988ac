public import Domain

/// The activity is over: how long its card stays.
public struct Ending: Hashable, Sendable {
    /// Seconds from the decision until the card leaves the Lock Screen; ActivityKit caps it at 4 h.
    public var dismissAfterSeconds: Double

    public init(dismissAfterSeconds: Double) {
        self.dismissAfterSeconds = dismissAfterSeconds
    }
}

/// What a kind's policy says about one change.
public struct Assessment: Hashable, Sendable {
    /// How much the change matters.
    public var significance: Significance
    /// Name of the rule that spoke, for example `goal`.
    public var rule: String
    /// One sentence for a person.
    public var reason: String
    /// May take what a budget keeps in reserve.
    public var isCritical = false
    /// What an alert would be about.
    public var news = NewsItem()
    /// What an alert says; nil for what is none.
    public var words: Words?
    /// When what it tells had happened at the latest, as far as the facts say, whatever time its
    /// event bears.
    public var happenedBy: Moment?
    /// The clock says so: what quiet hours kept back may be told.
    public var endsQuietHours = false
    /// The clock says so: fresh cards are to take the place of the old ones.
    public var restarts = false
    /// When the state goes stale if nothing newer comes.
    public var staleAt: Moment?
    /// Orders the app's cards; nil leaves it as it was.
    public var relevanceScore: Double?
    /// Set exactly when the change ends the activity.
    public var ending: Ending?

    public init(
        significance: Significance, rule: String, reason: String, isCritical: Bool = false,
        news: NewsItem = NewsItem(), words: Words? = nil, staleAt: Moment? = nil,
        relevanceScore: Double? = nil, ending: Ending? = nil
    ) {
        self.significance = significance
        self.rule = rule
        self.reason = reason
        self.isCritical = isCritical
        self.news = news
        self.words = words
        self.staleAt = staleAt
        self.relevanceScore = relevanceScore
        self.ending = ending
    }
}

extension Assessment {
    /// Why what it wants to be said is not said now; nil when it is, or when it has nothing to say.
    ///
    /// An end speaks for as long as its card would have stayed had it been reported in time: what
    /// it tells still holds, and nothing comes after it.
    func silence(occurredAt: Moment, recordedAt: Moment, under policy: Policy) -> Silence? {
        guard significance == .alert else { return nil }
        let newsAge = max(policy[.newsAge], ending?.dismissAfterSeconds ?? 0)
        let age = recordedAt.seconds(since: happened(occurredAt))
        if age > newsAge { return .late }
        return ending == nil && policy.isQuiet(rule, at: recordedAt) ? .quietHours : nil
    }

    /// When it happened: as its event says, unless the facts say that it was earlier.
    func happened(_ occurredAt: Moment) -> Moment { min(occurredAt, happenedBy ?? occurredAt) }
}
