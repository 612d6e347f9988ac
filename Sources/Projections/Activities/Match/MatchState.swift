public import Domain

/// What the fold remembers about a match: the facts that count, each under its own id.
public struct MatchState: Codable, Hashable, Sendable {
    /// One period of play.
    public struct PeriodRecord: Codable, Hashable, Sendable {
        /// When its clock would have read 0:00.
        public var clockZero: Latest<Moment>?
        /// The same by the minute of something that happened in it, which is less exact: for as
        /// long as nobody has reported the clock.
        public var provenZero: Latest<Moment>?
        public var hasEnded = false

        /// As far as anybody knows.
        public var zero: Moment? { clockZero?.value ?? provenZero?.value }
    }

    /// Play stopped for an unknown time, or went on.
    public struct Interruption: Codable, Hashable, Sendable {
        public var isSuspended: Bool
        public var reason: String?
    }

    public var schedule: Latest<Match.Schedule>?
    public var periods: [Match.Period: PeriodRecord] = [:]
    public var interruption: Latest<Interruption>?
    public var goals = FactSet<ByteKey, Match.Goal>()
    /// By `goalID`; one may be here before its goal is.
    public var disallowed = FactSet<ByteKey, Match.GoalDisallowed>()
    public var cards = FactSet<ByteKey, Match.CardShown>()
    public var kicks = FactSet<Int, Match.Kick>()
    public var fullTimeAt: Moment?
    public var abandonment: Latest<String?>?

    /// The newest period that has begun.
    public var period: Match.Period? { periods.keys.max() }

    public var status: Match.Status {
        if isOver, !isShootoutOpen { return .finished }
        if abandonment != nil { return .abandoned }
        guard let period else {
            return goals.isEmpty && cards.isEmpty ? .scheduled : .playing
        }
        if periods[period]?.hasEnded == true { return .interval }
        return interruption?.value.isSuspended == true ? .suspended : .playing
    }

    /// Full time was reported, and no extra time has begun after it.
    public var isOver: Bool {
        guard let fullTimeAt else { return false }
        return !periods.contains { period, record in
            guard period.isExtra, let zero = record.zero else { return false }
            return zero.adding(seconds: Double(period.clockSecondsAtStart)) > fullTimeAt
        }
    }

    public func score(of side: Match.Side) -> Int {
        goals.values.reduce(0) { sum, goal in
            let counts = goal.value.team == side && disallowed[goal.value.goalID] == nil
            return counts ? sum &+ (goal.value.points ?? 1) : sum
        }
    }

    public var hasShootout: Bool { periods[.shootout] != nil }

    public func shootoutScore(of side: Match.Side) -> Int {
        kicks.values.count { $0.value.team == side && $0.value.result == .scored }
    }

    /// Whether the kicks known so far leave it open who wins: then more are to come, or some have
    /// not been reported yet. Full time after them all is believed unless they are level, for there
    /// are sources that tell of nothing but kicks that were scored.
    public var isShootoutOpen: Bool {
        guard hasShootout else { return false }
        let (home, away) = (shootoutScore(of: .home), shootoutScore(of: .away))
        guard home != away, kicks.count == kicks.values.map(\.value.number).max() else {
            return true
        }
        if let fullTimeAt, kicks.values.allSatisfy({ $0.at <= fullTimeAt }) { return false }
        let takenHome = kicks.values.count { $0.value.team == .home }
        let takenAway = kicks.count - takenHome
        // Five each, then one by one.
        let rounds = max(5, takenHome, takenAway)
        return home <= away + rounds - takenAway && away <= home + rounds - takenHome
    }

    /// A player is sent off once, however many cards say so.
    public func sendingsOff(of side: Match.Side) -> Int {
        let cards = cards.values.map(\.value).filter { $0.team == side && $0.card.sendsOff }
        let named = Set(cards.compactMap { $0.player.map(ByteKey.init) })
        return named.count + cards.count { $0.player == nil }
    }
}
