public import Domain

/// What a report about a match does to the facts, and what rules ask about it.
public struct MatchReport: Sendable {
    /// What a report is about; rules know `other` ones by the states before and after.
    enum Subject {
        case schedule, clock, fullTime, other
        case goal(Match.Goal)
        case disallowed(Match.GoalDisallowed)
        case card(Match.CardShown)
        case kick(Match.Kick)
    }

    let subject: Subject
    let change: StateChange<MatchState>

    init(
        _ subject: Subject = .other,
        _ change: @escaping @Sendable (inout MatchState, Moment) -> Void
    ) {
        self.subject = subject
        self.change = StateChange(change)
    }
}

/// Everything that a feed reports about a match.
///
/// Goals, cards and kicks are sets under their own ids, named periods only ever advance, and of two
/// readings of a clock the one that happened last stands: so the facts commute. Where they
/// contradict each other: a disallowed goal stays disallowed (one that counts after all gets a new
/// id), full time beats abandonment, and play that begins or goes on later undoes an end.
extension MatchKind {
    /// In the order in which they usually come.
    public static let schemas: [EventSchema<MatchReport>] =
        clockSchemas + playSchemas + shootoutSchemas + endSchemas

    private static let scheduled = "Match.MatchScheduled"

    /// The event that has what the attributes show.
    public static func awaited(by state: MatchState) -> String? {
        state.schedule == nil ? scheduled : nil
    }

    public static func evolve(
        _ state: inout MatchState, with event: MatchReport, occurredAt: Moment
    ) {
        event.change.fold(into: &state, occurredAt: occurredAt)
    }

    private static let clockSchemas: [EventSchema<MatchReport>] = [
        .init(
            scheduled,
            """
            Who plays, and when. Sent again, the newest stands. `sport` is `football` when absent.
            """
        ) { data in
            let schedule = try Match.Schedule(&data)
            return MatchReport(.schedule) { $0.schedule.offer(schedule, at: $1) }
        },
        .init(
            "Match.PeriodStarted",
            """
            A period began at the event's time. `clockSeconds` is what the clock reads then; \
            without it halves of football start at 0, 45, 90 and 105 minutes and all others at 0.
            """
        ) { data in
            let period = try data.period()
            let seconds = try data.optionalInteger(
                "clockSeconds", in: 0...Limits.clockSecondsMax, isOpen: true)
            return MatchReport {
                $0.start(period, at: $1)
                if let seconds { $0.setClock(of: period, to: seconds, at: $1) }
                $0.play(at: $1)
            }
        },
        .init("Match.PeriodEnded", "A period is over; the clock stands still.") { data in
            let period = try data.period()
            return MatchReport { $0.end(period, at: $1) }
        },
        .init(
            "Match.ClockAdjusted",
            """
            What the clock of a period read at the event's time. The reading that happened last \
            stands.
            """
        ) { data in
            let period = try data.period()
            let seconds = try data.clockSeconds()
            return MatchReport(.clock) { $0.setClock(of: period, to: seconds, at: $1) }
        },
        .init("Match.PlaySuspended", "Play stops and nobody knows for how long.") { data in
            let reason = try data.reason()
            return MatchReport {
                $0.interruption.offer(.init(isSuspended: true, reason: reason), at: $1)
            }
        },
        .init("Match.PlayResumed", "Play goes on, with this reading of the clock.") { data in
            let period = try data.period()
            let seconds = try data.clockSeconds()
            return MatchReport {
                $0.start(period, at: $1)
                $0.setClock(of: period, to: seconds, at: $1)
                $0.play(at: $1)
            }
        },
    ]

    private static let playSchemas: [EventSchema<MatchReport>] = [
        .init(
            "Match.GoalScored",
            """
            A score. `team` is the side that it counts for, also for an own goal. `kind` is \
            `openPlay` and `points` 1 when absent. Sent again with the same `goalID`, the newest \
            report stands.
            """
        ) { data in
            let goal = try Match.Goal(&data)
            return MatchReport(.goal(goal)) {
                $0.goals.offer(goal, as: goal.goalID, at: $1)
                $0.prove(goal.timing, at: $1)
            }
        },
        .init(
            "Match.GoalDisallowed",
            """
            The goal does not count, whether it is reported before or after this, and for good: \
            one that counts after all is a new goal with a new id.
            """
        ) { data in
            let disallowed = try Match.GoalDisallowed(&data)
            return MatchReport(.disallowed(disallowed)) {
                $0.disallowed.offer(disallowed, as: disallowed.goalID, at: $1)
            }
        },
        .init(
            "Match.CardShown", "A card. `secondYellow` and `red` send the player off."
        ) { data in
            let card = try Match.CardShown(&data)
            return MatchReport(.card(card)) {
                $0.cards.offer(card, as: card.cardID, at: $1)
                $0.prove(card.timing, at: $1)
            }
        },
        .init(
            "Match.PlayerSubstituted", "Kept in the log; the phone does not show it."
        ) { data in
            _ = try data.team()
            _ = try data.name("playerOn")
            _ = try data.name("playerOff")
            let (minute, addedMinutes) = try data.minute()
            return MatchReport { $0.proveBySubstitution(minute, addedMinutes, at: $1) }
        },
    ]

    private static let shootoutSchemas: [EventSchema<MatchReport>] = [
        .init("Match.ShootoutStarted", "Penalty kicks decide.") { _ in
            MatchReport {
                $0.beginShootout()
                $0.play(at: $1)
            }
        },
        .init(
            "Match.ShootoutKickTaken",
            """
            One kick. `number` counts 1, 2, 3 … over both sides; sent again, the newest report of \
            a number stands. Of `result`, `notScored` is for sources that do not know why.
            """, olderVersions: [Match.Kick.firstVersion]
        ) { data in
            let kick = try Match.Kick(&data)
            return MatchReport(.kick(kick)) {
                $0.beginShootout()
                $0.kicks.offer(kick, as: kick.number, at: $1)
                $0.results.offer(kick.outcome, at: $1)
            }
        },
    ]

    private static let endSchemas: [EventSchema<MatchReport>] = [
        .init(
            "Match.FullTimeReached",
            """
            The result stands, shoot-out included. Reported once more (under another `id`) it \
            confirms the end, and the card ends without waiting.
            """
        ) { _ in
            MatchReport(.fullTime) { $0.fullTimeAt = max($0.fullTimeAt ?? $1, $1) }
        },
        .init("Match.MatchAbandoned", "The match ends without a result.") { data in
            let reason = try data.reason()
            return MatchReport { $0.abandonment.offer(reason, at: $1) }
        },
    ]
}

extension EventData {
    /// One that runs by the clock, as all do but the shoot-out, which has events of its own.
    fileprivate mutating func period() throws -> Match.Period {
        try choice("period", among: Match.Period.allCases.filter { $0 != .shootout })
    }

    fileprivate mutating func clockSeconds() throws -> Int {
        try integer("clockSeconds", in: 0...Limits.clockSecondsMax, isOpen: true)
    }
}

extension MatchState {
    /// It begins or goes on.
    fileprivate mutating func start(_ period: Match.Period, at moment: Moment) {
        let known = periods[period]?.startedAt ?? moment
        periods[period, default: .init()].startedAt = max(known, moment)
    }

    fileprivate mutating func end(_ period: Match.Period, at moment: Moment) {
        let known = periods[period]?.endedAt ?? moment
        periods[period, default: .init()].endedAt = max(known, moment)
    }

    /// The reading makes the period known, also when its start has not been reported yet.
    fileprivate mutating func setClock(of period: Match.Period, to seconds: Int, at moment: Moment)
    {
        let zero = moment.adding(seconds: Double(-seconds))
        periods[period, default: .init()].clockZero.offer(zero, at: moment)
    }

    /// The first kick makes the shoot-out known, also when its start has not been reported yet.
    fileprivate mutating func beginShootout() {
        periods[.shootout] = periods[.shootout] ?? .init()
    }

    fileprivate mutating func play(at moment: Moment) {
        interruption.offer(.init(isSuspended: false, reason: nil), at: moment)
    }
}
