public import Foundation

/// What never changes about a match on a phone.
public struct MatchAttributes: CardAttributes {
    public static let kind = "Match"

    /// What the card shows.
    public struct ContentState: Codable, Hashable, Sendable {
        public var homeScore: Int
        public var awayScore: Int
        public var status: Match.Status
        /// The newest period that has begun; nil before the first.
        public var period: Match.Period?
        /// When the running clock would have read 0:00, so that the phone counts by itself; nil
        /// while the clock stands still.
        public var clock: Date?
        /// When a match that has not begun is to begin; nil of any other. The attributes' kick-off
        /// is that of when the card was started, and this one moves.
        public var kickoff: Date?
        /// Kicks scored in the shoot-out; nil without one.
        public var shootoutHome: Int?
        public var shootoutAway: Int?
        /// Players sent off; nil for none.
        public var homeRedCards: Int?
        public var awayRedCards: Int?
        /// True of a match that was abandoned before it began; nil of any other.
        public var calledOff: Bool?
        /// The last notable thing, ready to show, in English.
        @ByBytes public var lastEvent: String?

        public init(
            homeScore: Int, awayScore: Int, status: Match.Status, period: Match.Period? = nil,
            clock: Date? = nil, kickoff: Date? = nil, shootoutHome: Int? = nil,
            shootoutAway: Int? = nil, homeRedCards: Int? = nil, awayRedCards: Int? = nil,
            calledOff: Bool? = nil, lastEvent: String? = nil
        ) {
            self.homeScore = homeScore
            self.awayScore = awayScore
            self.status = status
            self.period = period
            self.clock = clock
            self.kickoff = kickoff
            self.shootoutHome = shootoutHome
            self.shootoutAway = shootoutAway
            self.homeRedCards = homeRedCards
            self.awayRedCards = awayRedCards
            self.calledOff = calledOff
            self.lastEvent = lastEvent
        }
    }

    @ByBytes public var sport: String
    @ByBytes public var competition: String
    @ByBytes public var homeTeam: String
    @ByBytes public var awayTeam: String
    /// Short forms for the Dynamic Island, such as `ARG`.
    @ByBytes public var homeCode: String?
    @ByBytes public var awayCode: String?
    /// Planned start as it was when the card was started; nil while only events of the match itself
    /// are known. The state's counts, if it has one.
    public var kickoff: Date?
    @ByBytes public var activityID: String?

    public init(
        sport: String, competition: String, homeTeam: String, awayTeam: String,
        homeCode: String? = nil, awayCode: String? = nil, kickoff: Date? = nil
    ) {
        self.sport = sport
        self.competition = competition
        self.homeTeam = homeTeam
        self.awayTeam = awayTeam
        self.homeCode = homeCode
        self.awayCode = awayCode
        self.kickoff = kickoff
    }
}
