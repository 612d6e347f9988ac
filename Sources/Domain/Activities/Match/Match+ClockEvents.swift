extension Match {
    /// Who plays, and when. Sent again, the newest one stands.
    public struct MatchScheduled: EventPayload {
        public static let type = "Match.MatchScheduled"
        public static let fields: [EventField] = [
            .required("competition", .text(bytesMax: Limits.nameBytesMax)),
            .required("homeTeam", .text(bytesMax: Limits.nameBytesMax)),
            .required("awayTeam", .text(bytesMax: Limits.nameBytesMax)),
            .required("kickoff", .moment),
            .optional("sport", .text(bytesMax: Limits.nameBytesMax)),
            .optional("homeCode", .text(bytesMax: Limits.codeBytesMax)),
            .optional("awayCode", .text(bytesMax: Limits.codeBytesMax)),
        ]

        public let competition: String
        public let homeTeam: String
        public let awayTeam: String
        public let kickoff: Moment
        /// `football` when absent.
        public let sport: String?
        public let homeCode: String?
        public let awayCode: String?

        public init(_ fields: CheckedFields) throws {
            competition = try fields.text("competition")
            homeTeam = try fields.text("homeTeam")
            awayTeam = try fields.text("awayTeam")
            kickoff = try fields.moment("kickoff")
            sport = try fields.optionalText("sport")
            homeCode = try fields.optionalText("homeCode")
            awayCode = try fields.optionalText("awayCode")
        }
    }

    /// A period began at the event's time.
    public struct PeriodStarted: EventPayload {
        public static let type = "Match.PeriodStarted"
        public static let fields: [EventField] = [
            .timedPeriod, .optional("clockSeconds", .integer(0...Limits.clockSecondsMax)),
        ]

        public let period: Period
        /// What the clock reads at the start; the period's usual reading when absent.
        public let clockSeconds: Int?

        public init(_ fields: CheckedFields) throws {
            period = try fields.choice("period")
            clockSeconds = try fields.optionalInteger("clockSeconds")
        }
    }

    public struct PeriodEnded: EventPayload {
        public static let type = "Match.PeriodEnded"
        public static let fields = [EventField.timedPeriod]

        public let period: Period

        public init(_ fields: CheckedFields) throws {
            period = try fields.choice("period")
        }
    }

    /// What the clock of a period read at the event's time.
    public struct ClockAdjusted: EventPayload {
        public static let type = "Match.ClockAdjusted"
        public static let fields: [EventField] = [.timedPeriod, .clockSeconds]

        public let period: Period
        public let clockSeconds: Int

        public init(_ fields: CheckedFields) throws {
            period = try fields.choice("period")
            clockSeconds = try fields.integer("clockSeconds")
        }
    }

    /// Play stops and nobody knows for how long.
    public struct PlaySuspended: EventPayload {
        public static let type = "Match.PlaySuspended"
        public static let fields = [EventField.reason]

        public let reason: String?

        public init(_ fields: CheckedFields) throws {
            reason = try fields.optionalText("reason")
        }
    }

    /// Play goes on with this reading of the clock.
    public struct PlayResumed: EventPayload {
        public static let type = "Match.PlayResumed"
        public static let fields: [EventField] = [.timedPeriod, .clockSeconds]

        public let period: Period
        public let clockSeconds: Int

        public init(_ fields: CheckedFields) throws {
            period = try fields.choice("period")
            clockSeconds = try fields.integer("clockSeconds")
        }
    }

    /// The result stands. Shoot-out included, when there was one.
    public struct FullTimeReached: EventPayload {
        public static let type = "Match.FullTimeReached"
        public static let fields: [EventField] = []
    }

    /// The match ends without a result.
    public struct MatchAbandoned: EventPayload {
        public static let type = "Match.MatchAbandoned"
        public static let fields = [EventField.reason]

        public let reason: String?

        public init(_ fields: CheckedFields) throws {
            reason = try fields.optionalText("reason")
        }
    }
}

extension Match.Period {
    /// Those that run by the clock: all but the shoot-out, which has events of its own.
    fileprivate static let timed = allCases.filter { $0 != .shootout }
}

extension EventField {
    fileprivate static let timedPeriod = EventField.required(
        "period", .choice(Match.Period.timed.map(\.rawValue)))
    fileprivate static let clockSeconds = EventField.required(
        "clockSeconds", .integer(0...Limits.clockSecondsMax))
}
