public import Domain

/// The fold of a match.
///
/// Goals, cards and kicks are sets under their own ids, periods only ever advance, and of two
/// readings of a clock the one that happened last stands: so the facts commute. Where they
/// contradict each other: a disallowed goal stays disallowed (one that counts after all gets a new
/// id), full time beats abandonment, and extra time that begins after full time beats that.
extension MatchKind {
    public static func evolve(
        _ state: inout MatchState, with event: Match.Event, occurredAt: Moment
    ) {
        switch event {
        case .matchScheduled(let data):
            state.schedule.offer(data, at: occurredAt)
        case .periodStarted(let data):
            state.setClock(
                of: data.period, to: data.clockSeconds ?? data.period.clockSecondsAtStart,
                at: occurredAt)
            state.play(at: occurredAt)
        case .periodEnded(let data):
            state.periods[data.period, default: .init()].hasEnded = true
        case .clockAdjusted(let data):
            state.setClock(of: data.period, to: data.clockSeconds, at: occurredAt)
        case .playSuspended(let data):
            state.interruption.offer(
                .init(isSuspended: true, reason: data.reason), at: occurredAt)
        case .playResumed(let data):
            state.setClock(of: data.period, to: data.clockSeconds, at: occurredAt)
            state.play(at: occurredAt)
        case .goalScored(let data):
            state.goals.offer(data, as: data.goalID, at: occurredAt)
            state.prove(data.minute, data.addedMinutes, at: occurredAt)
        case .goalDisallowed(let data):
            state.disallowed.offer(data, as: data.goalID, at: occurredAt)
        case .cardShown(let data):
            state.cards.offer(data, as: data.cardID, at: occurredAt)
            state.prove(data.minute, data.addedMinutes, at: occurredAt)
        case .playerSubstituted(let data):
            state.prove(data.minute, data.addedMinutes, at: occurredAt)
        case .shootoutStarted:
            state.beginShootout()
            state.play(at: occurredAt)
        case .shootoutKickTaken(let data):
            state.beginShootout()
            state.kicks.offer(data, as: data.number, at: occurredAt)
        case .fullTimeReached:
            state.fullTimeAt = max(state.fullTimeAt ?? occurredAt, occurredAt)
        case .matchAbandoned(let data):
            state.abandonment.offer(data.reason, at: occurredAt)
        }
    }

    public static func phase(of state: MatchState) -> Phase {
        if state.isOver { return .ended }
        return switch state.status {
        case .scheduled: .scheduled
        case .playing, .interval, .suspended: .live
        case .finished, .abandoned: .ended
        }
    }

    public static func plannedStart(of state: MatchState) -> Moment? {
        state.schedule?.value.kickoff
    }

    public static func staleAt(
        of state: MatchState, at recordedAt: Moment, under policy: Policy
    ) -> Moment? {
        let kickoff = state.schedule?.value.kickoff ?? recordedAt
        let from = state.status == .scheduled ? max(kickoff, recordedAt) : recordedAt
        return from.adding(seconds: policy[MatchPolicy.staleAfter])
    }

    public static func attributes(of state: MatchState) -> MatchAttributes {
        guard let schedule = state.schedule?.value else {
            return MatchAttributes(
                sport: "football", competition: "", homeTeam: "Home", awayTeam: "Away")
        }
        return MatchAttributes(
            sport: schedule.sport ?? "football", competition: schedule.competition,
            homeTeam: schedule.homeTeam, awayTeam: schedule.awayTeam,
            homeCode: schedule.homeCode, awayCode: schedule.awayCode,
            kickoff: schedule.kickoff.dateToTheSecond)
    }

    public static func contentState(of state: MatchState) -> MatchAttributes.ContentState {
        let status = state.status
        let clockZero = state.period.flatMap { state.periods[$0]?.zero }
        func redCards(_ side: Match.Side) -> Int? {
            let count = state.sendingsOff(of: side)
            return count == 0 ? nil : count
        }
        return MatchAttributes.ContentState(
            homeScore: state.score(of: .home), awayScore: state.score(of: .away),
            status: status, period: state.period,
            clock: status == .playing ? clockZero?.dateToTheSecond : nil,
            shootoutHome: state.hasShootout ? state.shootoutScore(of: .home) : nil,
            shootoutAway: state.hasShootout ? state.shootoutScore(of: .away) : nil,
            homeRedCards: redCards(.home), awayRedCards: redCards(.away),
            lastEvent: state.lastEvent)
    }
}

extension MatchState {
    /// The reading makes the period known, also when its start has not been reported yet.
    fileprivate mutating func setClock(of period: Match.Period, to seconds: Int, at moment: Moment)
    {
        let zero = moment.adding(seconds: Double(-seconds))
        periods[period, default: .init()].clockZero.offer(zero, at: moment)
    }

    /// What happens in a minute beyond the end of a period happens in a later one, whose start is
    /// known by that. In the middle of the minute, until a reading of the clock says better.
    fileprivate mutating func prove(_ minute: Int?, _ addedMinutes: Int?, at moment: Moment) {
        guard addedMinutes == nil, let minute, let period = Match.Period.begun(byMinute: minute)
        else { return }
        let zero = moment.adding(seconds: Double(30 - minute * 60))
        periods[period, default: .init()].provenZero.offer(zero, at: moment)
    }

    /// The first kick makes the shoot-out known, also when its start has not been reported yet.
    fileprivate mutating func beginShootout() {
        periods[.shootout] = periods[.shootout] ?? .init()
    }

    fileprivate mutating func play(at moment: Moment) {
        interruption.offer(.init(isSuspended: false, reason: nil), at: moment)
    }
}
