public import Domain

extension MatchKind {
    public static func presentation(
        attributes: MatchAttributes, contentState: MatchAttributes.ContentState
    ) -> Presentation {
        let isCalledOff = contentState.calledOff == true
        let score =
            isCalledOff ? "–" : MatchText.score(contentState.homeScore, contentState.awayScore)
        let homeCode = (attributes.homeCode ?? code(attributes.homeTeam)).isolated
        let awayCode = (attributes.awayCode ?? code(attributes.awayTeam)).isolated
        let stage = stageLine(attributes, contentState)
        let shootout = shootoutText(attributes, contentState)
        let lastEvent = contentState.lastEvent.map { Presentation.Line(line($0)) }
        return Presentation(
            lockScreen: [
                Presentation.Line(
                    "\(attributes.homeTeam.isolated) \(score) \(attributes.awayTeam.isolated)"),
                stage, shootout.map { Presentation.Line($0) }, lastEvent,
            ].compactMap(\.self),
            compactLeading: Presentation.Line(
                isCalledOff ? homeCode : "\(homeCode) \(contentState.homeScore)"),
            compactTrailing: Presentation.Line(
                isCalledOff ? awayCode : "\(contentState.awayScore) \(awayCode)"),
            minimal: Presentation.Line(score),
            expanded: Presentation.Expanded(
                leading: Presentation.Line(team(homeCode, contentState.homeRedCards)),
                trailing: Presentation.Line(team(awayCode, contentState.awayRedCards)),
                center: Presentation.Line(shootout.map { "\(score), \($0)" } ?? score),
                bottom: lastEvent ?? stage))
    }

    /// Where the match stands, in words.
    static func stageTitle(_ state: MatchAttributes.ContentState) -> String {
        switch state.status {
        case .scheduled: "Not started"
        case .playing: state.period?.title ?? "Live"
        case .interval: state.period?.intervalTitle ?? "Interval"
        case .suspended: "Suspended"
        case .finished: "Full time"
        case .abandoned: state.calledOff == true ? "Called off" : "Abandoned"
        }
    }

    private static func stageLine(
        _ attributes: MatchAttributes, _ state: MatchAttributes.ContentState
    ) -> Presentation.Line {
        if state.status == .scheduled, let kickoff = state.kickoff ?? attributes.kickoff {
            return Presentation.Line("Starts in", clock: .countdown(to: Moment(kickoff)))
        }
        return Presentation.Line(
            stageTitle(state), clock: state.clock.map { .countUp(from: Moment($0)) })
    }

    /// As it is in the state: `Goal: Ada 12'`. After the colon come names and reasons.
    private static func line(_ lastEvent: String) -> String {
        guard let colon = lastEvent.firstRange(of: ": ") else { return lastEvent }
        let detail = String(lastEvent[colon.upperBound...])
        return "\(lastEvent[..<colon.upperBound])\(detail.isolated)"
    }

    private static func shootoutText(
        _ attributes: MatchAttributes, _ state: MatchAttributes.ContentState
    ) -> String? {
        guard let home = state.shootoutHome, let away = state.shootoutAway else { return nil }
        let isFootball = MatchState.isNameOfFootball(attributes.sport)
        let manner = isFootball ? "on penalties" : "in the shoot-out"
        return "\(MatchText.score(home, away)) \(manner)"
    }

    private static func team(_ code: String, _ redCards: Int?) -> String {
        switch redCards {
        case .none, .some(0): code
        case .some(1): "\(code), 1 red card"
        case .some(let count): "\(code), \(count) red cards"
        }
    }

    private static func code(_ team: String) -> String {
        String(team.prefix(3)).uppercased()
    }
}
