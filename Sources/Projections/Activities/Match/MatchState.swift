public import Domain

/// What the fold remembers about a match: the facts that count, each under its own id.
public struct MatchState: Codable, Hashable, Sendable {
    /// One period of play.
    public struct PeriodRecord: Codable, Hashable, Sendable {
        /// When its clock would have read 0:00, by a reading of it.
        public var clockZero: Latest<Moment>?
        /// When it last began or went on, with a reading or without.
        public var startedAt: Moment?
        /// The latest end that was reported.
        public var endedAt: Moment?
    }

    /// Play stopped for an unknown time, or went on.
    public struct Interruption: Codable, Hashable, Sendable {
        public var isSuspended: Bool
        public var reason: String?
    }

    public var schedule: Latest<Match.Schedule>?
    /// Periods that somebody has named, not only a minute of them.
    public var periods: [Match.Period: PeriodRecord] = [:]
    public var interruption: Latest<Interruption>?
    public var goals = FactSet<ByteKey, Match.Goal>()
    /// By `goalID`; one may be here before its goal is.
    public var disallowed = FactSet<ByteKey, Match.GoalDisallowed>()
    public var cards = FactSet<ByteKey, Match.CardShown>()
    /// Each goal and card with each minute that it was reported with.
    public var minutes = FirstReports<ByteKey>()
    /// The highest minute of a substitution. Those have no ids to correct them by.
    public var substitution: Proof?
    /// The highest minute that stands, for as long as nobody has reported the clock. Says something
    /// only where minutes are counted as football counts them.
    public var proof: Proof?
    public var kicks = FactSet<Int, Match.Kick>()
    /// What was reported of who took a kick, and whether it was scored.
    public var results = FirstReports<ByteKey>()
    public var fullTimeAt: Moment?
    public var abandonment: Latest<String?>?

    /// The newest period that has begun.
    public var period: Match.Period? {
        let named = periods.keys.max()
        guard isFootball, let proven = proof?.period else { return named }
        return max(named ?? proven, proven)
    }

    /// Whether its clock goes on from half to half and its minutes tell the half. No other sport
    /// says so of itself, and one that is played in quarters or thirds is another, whatever it is
    /// called.
    var isFootball: Bool {
        if let sport = schedule?.value.sport, !Self.isNameOfFootball(sport) { return false }
        return !periods.keys.contains { $0 >= .firstQuarter && $0 <= .finalThird }
    }

    /// In small letters.
    static let namesOfFootball = ["football", "association football", "soccer"]

    static func isNameOfFootball(_ sport: String) -> Bool {
        namesOfFootball.containsBytes(of: sport.lowercased())
    }

    /// When the clock of a period would have read 0:00, as far as anybody knows.
    public func zero(of period: Match.Period) -> Moment? {
        let reading = periods[period]?.clockZero
        if let startedAt = periods[period]?.startedAt, reading.map({ startedAt > $0.at }) ?? true {
            // A start without a reading, and none since.
            return startedAt.adding(
                seconds: isFootball ? Double(-period.clockSecondsAtStart) : 0)
        }
        if let reading { return reading.value }
        return isFootball && proof?.period == period ? proof?.zero : nil
    }

    /// Something of play was reported.
    public var hasBegun: Bool { period != nil || !goals.isEmpty || !cards.isEmpty }

    /// Abandoned, and nothing of play was reported.
    var isCalledOff: Bool { status == .abandoned && !hasBegun }

    public var status: Match.Status {
        if isOver, !isShootoutOpen { return .finished }
        if isAbandoned { return .abandoned }
        guard hasBegun else { return .scheduled }
        if let period, hasEnded(period) { return .interval }
        return interruption?.value.isSuspended == true ? .suspended : .playing
    }

    /// One that begins or goes on later was not over: one overtime follows another until somebody
    /// wins, and play is called back.
    private func hasEnded(_ period: Match.Period) -> Bool {
        guard let record = periods[period], let endedAt = record.endedAt else { return false }
        return record.startedAt.map { $0 <= endedAt } ?? true
    }

    /// Abandonment was reported, and play has not begun or gone on after it.
    private var isAbandoned: Bool {
        guard let abandonment else { return false }
        return !periods.values.contains { $0.startedAt.map { $0 > abandonment.at } ?? false }
    }

    /// Full time was reported, and play has not begun or gone on after it. Of extra time a clock or
    /// a minute tells that too; those of other periods may be put right long after full time.
    public var isOver: Bool {
        guard let fullTimeAt else { return false }
        return !Match.Period.allCases.contains { period in
            if let startedAt = periods[period]?.startedAt { return startedAt > fullTimeAt }
            guard period.isExtra, let zero = zero(of: period) else { return false }
            let begun = isFootball ? Double(period.clockSecondsAtStart) : 0
            return zero.adding(seconds: begun) > fullTimeAt
        }
    }

    public func score(of side: Match.Side) -> Int {
        goals.values.reduce(0) { sum, goal in
            let counts = goal.value.team == side && disallowed[goal.value.goalID] == nil
            return counts ? sum &+ (goal.value.points ?? 1) : sum
        }
    }

    var hasShootout: Bool { periods[.shootout] != nil }

    func shootoutScore(of side: Match.Side) -> Int {
        kicks.values.count { $0.value.team == side && $0.value.result == .scored }
    }

    /// Whether the kicks known so far leave it open who wins: then more are to come, or some have
    /// not been reported yet. Full time after them all is believed unless they are level: some
    /// sports have fewer rounds, and some sources tell of nothing but kicks that were scored. A
    /// kick that is sent again as it was, for the name of a player, is none after full time.
    var isShootoutOpen: Bool {
        guard hasShootout else { return false }
        let (home, away) = (shootoutScore(of: .home), shootoutScore(of: .away))
        guard home != away, kicks.count == kicks.values.map(\.value.number).max() else {
            return true
        }
        if let fullTimeAt,
            kicks.values.allSatisfy({ (results[$0.value.outcome] ?? $0.at) <= fullTimeAt })
        {
            return false
        }
        let takenHome = kicks.values.count { $0.value.team == .home }
        let takenAway = kicks.count - takenHome
        // Five each, then one by one.
        let rounds = max(5, takenHome, takenAway)
        return home <= away + rounds - takenAway && away <= home + rounds - takenHome
    }

    /// A player is sent off once, however many cards say so.
    func sendingsOff(of side: Match.Side) -> Int {
        let cards = cards.values.map(\.value).filter { $0.team == side && $0.card.sendsOff }
        let named = Set(cards.compactMap { $0.player.map(ByteKey.init) })
        return named.count + cards.count { $0.player == nil }
    }
}
