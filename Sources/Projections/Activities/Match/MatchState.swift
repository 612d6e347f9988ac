public import Domain

/// What the fold remembers about a match: the facts that count, each under its own id.
public struct MatchState: Codable, Hashable, Sendable {
    /// One period of play.
    public struct PeriodRecord: Codable, Hashable, Sendable {
        /// When its clock would have read 0:00.
        public var clockZero: Latest<Moment>?
        public var hasEnded = false
    }

    /// Play stopped for an unknown time, or went on.
    public struct Interruption: Codable, Hashable, Sendable {
        public var isSuspended: Bool
        public var reason: String?
    }

    public var schedule: Latest<Match.MatchScheduled>?
    public var periods: [Match.Period: PeriodRecord] = [:]
    public var interruption: Latest<Interruption>?
    public var goals = FactSet<ByteKey, Match.GoalScored>()
    /// By `goalID`; one may be here before its goal is.
    public var disallowed = FactSet<ByteKey, Match.GoalDisallowed>()
    public var cards = FactSet<ByteKey, Match.CardShown>()
    public var kicks = FactSet<Int, Match.ShootoutKickTaken>()
    public var fullTimeAt: Moment?
    public var abandonment: Latest<String?>?

    public init() {}

    /// The newest period that has begun.
    public var period: Match.Period? { periods.keys.max() }

    public var status: Match.Status {
        if fullTimeAt != nil { return .finished }
        if abandonment != nil { return .abandoned }
        guard let period else {
            return goals.isEmpty && cards.isEmpty ? .scheduled : .playing
        }
        if periods[period]?.hasEnded == true { return .interval }
        return interruption?.value.isSuspended == true ? .suspended : .playing
    }

    public func score(of side: Match.Side) -> Int {
        goals.values.reduce(0) { sum, goal in
            let counts = goal.value.team == side && disallowed[goal.value.goalID] == nil
            return counts ? sum + (goal.value.points ?? 1) : sum
        }
    }

    public var hasShootout: Bool { periods[.shootout] != nil }

    public func shootoutScore(of side: Match.Side) -> Int {
        kicks.values.count { $0.value.team == side && $0.value.result == .scored }
    }

    public func sendingsOff(of side: Match.Side) -> Int {
        cards.values.count { $0.value.team == side && $0.value.card.sendsOff }
    }
}
