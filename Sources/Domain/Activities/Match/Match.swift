/// Everything that a feed reports about a match.
extension Match {
    public enum Side: String, Codable, Sendable, CaseIterable {
        case home, away
    }

    public enum GoalKind: String, Codable, Sendable, CaseIterable {
        case openPlay, penalty, ownGoal
    }

    public enum Card: String, Codable, Sendable, CaseIterable {
        case yellow, secondYellow, red

        /// True when the player has to leave.
        public var sendsOff: Bool {
            switch self {
            case .yellow: false
            case .secondYellow, .red: true
            }
        }
    }

    /// One fact about a match.
    public enum Event: Hashable, Sendable {
        case matchScheduled(MatchScheduled)
        case periodStarted(PeriodStarted)
        case periodEnded(PeriodEnded)
        case clockAdjusted(ClockAdjusted)
        case playSuspended(PlaySuspended)
        case playResumed(PlayResumed)
        case goalScored(GoalScored)
        case goalDisallowed(GoalDisallowed)
        case cardShown(CardShown)
        case playerSubstituted(PlayerSubstituted)
        case shootoutStarted(ShootoutStarted)
        case shootoutKickTaken(ShootoutKickTaken)
        case fullTimeReached(FullTimeReached)
        case matchAbandoned(MatchAbandoned)
    }

    public static let schemas: [EventSchema<Event>] = [
        EventSchema(MatchScheduled.self) { .matchScheduled($0) },
        EventSchema(PeriodStarted.self) { .periodStarted($0) },
        EventSchema(PeriodEnded.self) { .periodEnded($0) },
        EventSchema(ClockAdjusted.self) { .clockAdjusted($0) },
        EventSchema(PlaySuspended.self) { .playSuspended($0) },
        EventSchema(PlayResumed.self) { .playResumed($0) },
        EventSchema(GoalScored.self) { .goalScored($0) },
        EventSchema(GoalDisallowed.self) { .goalDisallowed($0) },
        EventSchema(CardShown.self) { .cardShown($0) },
        EventSchema(PlayerSubstituted.self) { .playerSubstituted($0) },
        EventSchema(ShootoutStarted.self) { .shootoutStarted($0) },
        EventSchema(ShootoutKickTaken.self) { .shootoutKickTaken($0) },
        EventSchema(FullTimeReached.self) { .fullTimeReached($0) },
        EventSchema(MatchAbandoned.self) { .matchAbandoned($0) },
    ]
}

extension Match {
    /// What a redacted export leaves as it is; every text is covered.
    public static let safeFields = SafeFields(
        [
            "addedMinutes", "card", "clockSeconds", "kickoff", "kind", "minute",
            "number", "period", "points", "result", "scored", "team",
        ], references: ["cardID", "goalID"])
}
