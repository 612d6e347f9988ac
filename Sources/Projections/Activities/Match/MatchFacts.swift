public import Domain

extension MatchKind {
    public static func facts(of state: MatchState) -> ActivityFacts {
        let schedule = state.schedule?.value
        return ActivityFacts(
            startsAt: schedule?.kickoff, competition: schedule?.competition,
            words: SearchWords(
                schedule?.homeTeam, schedule?.awayTeam, schedule?.homeCode, schedule?.awayCode))
    }
}
