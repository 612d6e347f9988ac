public import Domain

/// The activity is over: how long its card stays.
public struct Ending: Hashable, Sendable {
    /// Seconds from the end until the card leaves the Lock Screen; ActivityKit caps it at 4 h.
    public var dismissAfterSeconds: Double
    /// Seconds without a change after which the card ends; 0 for at once.
    public var graceSeconds: Double = 0
}

/// What a kind's policy says about one change.
public struct Assessment: Hashable, Sendable {
    /// Another text for alerts that were made before and not sent yet.
    public struct Amendment: Hashable, Sendable {
        /// What the alert is about.
        public var subject: String
        /// True now.
        public var words: Words
        /// For what may grow and fall back, where a rule alerts about it.
        public var telling: Telling?
        /// It never went far enough for an alert under the policy of now, so no unsent alert needs
        /// the text, except one that quiet hours kept back under another policy.
        public var isBelowAlerting = false

        public init(_ subject: String, _ words: Words) {
            self.subject = subject
            self.words = words
        }
    }

    /// How a change itself says something that was to be said before, if people have heard less.
    public struct Telling: Hashable, Sendable {
        /// Name of the rule that would have spoken.
        public var rule: String
        /// Weight of that rule: see `AlertContext.weight`.
        public var weight: Int
        /// How far it has gone.
        public var extent: AlertContext.Extent
    }

    /// How much the change matters.
    public var significance: Significance
    /// Name of the rule that spoke, for example `goal`.
    public var rule: String
    /// One sentence for a person.
    public var reason: String
    /// May take what a budget keeps in reserve.
    public var isCritical = false
    /// What an alert would be about.
    public var alertContext = AlertContext()
    /// What an alert says; nil for what is none.
    public var words: Words?
    /// What alerts that are not sent yet are to say from now on.
    public var amendments: [Amendment] = []
    /// The clock says so: what quiet hours kept back may be sent.
    public var endsQuietHours = false
    /// The clock says so: fresh cards are to take the place of the old ones.
    public var restarts = false
    /// When the state goes stale if nothing newer comes.
    public var staleAt: Moment?
    /// Orders the app's cards; nil leaves it as it was.
    public var relevanceScore: Double?
    /// Set exactly when the change ends the activity. A kind sets it whenever its facts say that
    /// all is over.
    public var ending: Ending?
    /// The facts say that all is over, and the card ends when its grace has passed.
    public var pendingEnding: Ending?
    /// The change makes the activity over, or its rule is about the end (`Rule.isAboutEnd`).
    public var isAboutEnd = false
}

extension Assessment {
    /// The facts say that all is over, whether the card ends with the change or a little later.
    public var isOver: Bool { ending != nil || pendingEnding != nil }

    /// It tells people the end: the change ends the activity, or is about the end while its grace
    /// lasts. What else changes in that time does not.
    public var tellsEnd: Bool { ending != nil || (pendingEnding != nil && isAboutEnd) }

    /// Why what it wants to be said is not said now; nil when it is, or when it has nothing to say.
    ///
    /// An end speaks for as long as its card would have stayed had it been reported in time: what
    /// it tells is still true, and nothing comes after it.
    /// - Parameter occurredAt: as it is believed.
    func silence(occurredAt: Moment, recordedAt: Moment, under policy: Policy) -> Silence? {
        guard significance == .alert else { return nil }
        let stays = tellsEnd ? (ending ?? pendingEnding)?.dismissAfterSeconds ?? 0 : 0
        let age = recordedAt.seconds(since: occurredAt)
        if age > max(policy[.newsAge], stays) { return .late }
        return !tellsEnd && policy.isInQuietHours(rule, at: recordedAt) ? .quietHours : nil
    }
}
