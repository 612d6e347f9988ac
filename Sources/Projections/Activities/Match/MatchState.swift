public import Domain

/// What the fold remembers about a match: the facts that count, each under its own id.
public struct MatchState: Codable, Hashable, Sendable {
    /// One period of play.
    public struct PeriodRecord: Codable, Hashable, Sendable {
        /// When its clock would have read 0:00, by a reading of it.
        public var clockZero: Latest<Moment>?
        /// The latest start that was reported, with a reading or without.
        public var startedAt: Moment?
        /// For as long as nobody has reported the clock. Says something only where minutes are
        /// counted as football counts them.
        public var proof: Proof?
        /// The latest end that was reported.
        public var endedAt: Moment?

        /// Somebody has named the period, and not only a minute.
        public var isReported: Bool { clockZero != nil || startedAt != nil || endedAt != nil }
    }

    /// A minute in which something happened, and when that was reported first. The higher minute
    /// tells more; what is sent again for a correction, long after its minute, tells nothing.
    public struct Proof: Codable, Comparable, Hashable, Sendable {
        public var minute: Int
        public var at: Moment

        /// When the clock would have read 0:00, if that was in the middle of the minute.
        var zero: Moment { at.adding(seconds: Double(30 - minute * 60)) }

        public static func < (left: Proof, right: Proof) -> Bool {
            left.minute == right.minute ? left.at > right.at : left.minute < right.minute
        }
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
    /// What was reported of who took a kick, and with which result.
    public var results = FirstReports<ByteKey>()
    public var fullTimeAt: Moment?
    public var abandonment: Latest<String?>?

    /// The newest period that has begun.
    public var period: Match.Period? {
        if isFootball { return periods.keys.max() }
        return periods.filter { $0.value.isReported || $0.key == .shootout }.keys.max()
    }

    /// Whether its clock goes on from half to half and its minutes tell the half. No other sport
    /// says so of itself, and one that is played in quarters or thirds is another, whatever it is
    /// called.
    var isFootball: Bool {
        if let sport = schedule?.value.sport, !Self.isNameOfFootball(sport) { return false }
        return !periods.contains { period, record in
            record.isReported && period >= .firstQuarter && period <= .finalThird
        }
    }

    private static let namesOfFootball = ["football", "association football", "soccer"]

    static func isNameOfFootball(_ sport: String) -> Bool {
        namesOfFootball.containsBytes(of: sport.lowercased())
    }

    /// When the clock of a period would have read 0:00, as far as anybody knows.
    public func zero(of period: Match.Period) -> Moment? {
        guard let record = periods[period] else { return nil }
        let reading = record.clockZero
        if let startedAt = record.startedAt, reading.map({ startedAt > $0.at }) ?? true {
            // A start without a reading, and none since.
            return startedAt.adding(
                seconds: isFootball ? Double(-period.clockSecondsAtStart) : 0)
        }
        return reading?.value ?? (isFootball ? record.proof?.zero : nil)
    }

    /// Something of play was reported.
    public var hasBegun: Bool { period != nil || !goals.isEmpty || !cards.isEmpty }

    /// Abandoned, and nothing of play was reported.
    var isCalledOff: Bool { status == .abandoned && !hasBegun }

    public var status: Match.Status {
        if isOver, !isShootoutOpen { return .finished }
        if abandonment != nil { return .abandoned }
        guard hasBegun else { return .scheduled }
        if let period, hasEnded(period) { return .interval }
        return interruption?.value.isSuspended == true ? .suspended : .playing
    }

    private func hasEnded(_ period: Match.Period) -> Bool {
        guard let record = periods[period], let endedAt = record.endedAt else { return false }
        // One overtime follows another until somebody wins; no other period comes back.
        guard period == .overtime, let startedAt = record.startedAt else { return true }
        return startedAt <= endedAt
    }

    /// Full time was reported, and no extra time has begun after it.
    public var isOver: Bool {
        guard let fullTimeAt else { return false }
        return !periods.contains { period, record in
            guard period.isExtra else { return false }
            if let startedAt = record.startedAt { return startedAt > fullTimeAt }
            guard let zero = zero(of: period) else { return false }
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
