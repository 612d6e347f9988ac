public import Domain

/// What follows from the facts of a match.
extension MatchKind {
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
        let clockZero = state.period.flatMap { state.zero(of: $0) }
        func redCards(_ side: Match.Side) -> Int? {
            let count = state.sendingsOff(of: side)
            return count == 0 ? nil : count
        }
        return MatchAttributes.ContentState(
            homeScore: state.score(of: .home), awayScore: state.score(of: .away),
            status: status, period: state.period,
            clock: status == .playing ? clockZero?.dateToTheSecond : nil,
            kickoff: status == .scheduled ? state.schedule?.value.kickoff.dateToTheSecond : nil,
            shootoutHome: state.hasShootout ? state.shootoutScore(of: .home) : nil,
            shootoutAway: state.hasShootout ? state.shootoutScore(of: .away) : nil,
            homeRedCards: redCards(.home), awayRedCards: redCards(.away),
            calledOff: state.isCalledOff ? true : nil, lastEvent: state.lastEvent)
    }

    public static func facts(of state: MatchState) -> ActivityFacts {
        let schedule = state.schedule?.value
        return ActivityFacts(
            startsAt: schedule?.kickoff, competition: schedule?.competition,
            words: SearchWords(
                schedule?.homeTeam, schedule?.awayTeam, schedule?.homeCode, schedule?.awayCode))
    }
}
