import Domain

/// What each change of a match is worth. The first rule that fits speaks.
struct MatchPolicy {
    /// How long silence during play makes the card stale: half a period without a word is odd.
    static let staleAfterSeconds = 1800.0
    /// The result may be admired for a while.
    static let dismissSeconds = 1800.0

    private let change: Change<MatchKind>
    private let before: MatchAttributes.ContentState
    private let after: MatchAttributes.ContentState
    private let attributes: MatchAttributes

    init(_ change: Change<MatchKind>) {
        self.change = change
        before = MatchKind.contentState(of: change.before)
        after = MatchKind.contentState(of: change.after)
        attributes = MatchKind.attributes(of: change.after)
    }

    var assessment: Assessment {
        MatchKind.phase(of: change.after) == .ended ? ending : eventRule ?? otherRule
    }

    private var ending: Assessment {
        let ending = Ending(dismissAfterSeconds: Self.dismissSeconds)
        if after.status == .abandoned {
            let alert = Alert(
                title: "Abandoned: \(scoreline)",
                body: change.after.abandonment?.value ?? "The match will not be finished.")
            return say(.alert(alert), "abandoned", "The match was abandoned.", ending: ending)
        }
        let alert = Alert(title: "Full time: \(scoreline)", body: result)
        return say(.alert(alert), "fullTime", "The result stands.", ending: ending)
    }

    /// Rules for events that speak for themselves; nil when the event is not such a one or was
    /// known already.
    private var eventRule: Assessment? {
        switch change.event {
        case .goalScored(let goal): goalRule(goal)
        case .goalDisallowed(let disallowed): disallowedRule(disallowed)
        case .cardShown(let card): cardRule(card)
        case .shootoutKickTaken(let kick):
            change.before.kicks[kick.number] == nil
                ? say(.timely, "shootoutKick", "A kick of the shoot-out was taken.") : nil
        case .clockAdjusted:
            before.period == after.period
                ? say(.ambient, "clock", "The clock was put right.") : nil
        case .matchScheduled:
            change.before == MatchKind.initial
                ? say(.timely, "scheduled", "The match appears.") : nil
        case .periodStarted, .periodEnded, .playSuspended, .playResumed,
            .playerSubstituted, .shootoutStarted, .fullTimeReached, .matchAbandoned:
            nil
        }
    }

    private func goalRule(_ goal: Match.GoalScored) -> Assessment? {
        guard change.before.goals[goal.goalID] == nil, isScoreChanged else { return nil }
        let team = goal.team == .home ? attributes.homeTeam : attributes.awayTeam
        let body = goal.credit.isEmpty ? "\(team) score." : goal.credit
        return say(
            .alert(Alert(title: "Goal! \(scoreline)", body: body)), "goal", "\(team) scored.")
    }

    private func disallowedRule(_ disallowed: Match.GoalDisallowed) -> Assessment? {
        guard isScoreChanged, let goal = change.before.goals[disallowed.goalID]?.value else {
            return nil
        }
        let credit = goal.credit.isEmpty ? "The last goal" : goal.credit
        let reason = disallowed.reason.map { ": \($0)" } ?? "."
        let alert = Alert(
            title: "No goal: \(scoreline)", body: "\(credit) does not count\(reason)")
        return say(.alert(alert), "goalDisallowed", "A goal was taken back.")
    }

    private func cardRule(_ card: Match.CardShown) -> Assessment? {
        guard before.homeRedCards != after.homeRedCards || before.awayRedCards != after.awayRedCards
        else {
            return change.before.cards[card.cardID] == nil
                ? say(.ambient, "card", "A player was booked.") : nil
        }
        guard card.card.sendsOff else { return nil }
        let team = card.team == .home ? attributes.homeTeam : attributes.awayTeam
        let alert = Alert(title: "Red card for \(team)", body: MatchState.text(of: card))
        return say(.alert(alert), "redCard", "A player was sent off.")
    }

    private var otherRule: Assessment {
        if isScoreChanged {
            return say(.timely, "scoreCorrected", "The score was corrected.")
        }
        if before.period != after.period || before.status != after.status {
            return say(.timely, "period", "Now: \(MatchKind.stageTitle(after)).")
        }
        return say(.ambient, "details", "A detail of the card changed.")
    }

    private var isScoreChanged: Bool {
        before.homeScore != after.homeScore || before.awayScore != after.awayScore
    }

    private var scoreline: String {
        let score = MatchText.score(after.homeScore, after.awayScore)
        return "\(attributes.homeTeam) \(score) \(attributes.awayTeam)"
    }

    private var result: String {
        let home = after.shootoutHome ?? 0
        let away = after.shootoutAway ?? 0
        let score = MatchText.score(max(home, away), min(home, away))
        if home != away {
            let winner = home > away ? attributes.homeTeam : attributes.awayTeam
            return "\(winner) win \(score) on penalties."
        }
        if after.homeScore == after.awayScore { return "It ends level." }
        let winner =
            after.homeScore > after.awayScore ? attributes.homeTeam : attributes.awayTeam
        return "\(winner) win."
    }

    private func say(
        _ significance: Significance, _ rule: String, _ reason: String, ending: Ending? = nil
    ) -> Assessment {
        Assessment(
            significance: significance, rule: rule, reason: reason,
            staleAt: ending == nil ? staleAt : nil, relevanceScore: relevance, ending: ending)
    }

    private var staleAt: Moment {
        let kickoff = change.after.schedule?.value.kickoff ?? change.recordedAt
        let from = after.status == .scheduled ? max(kickoff, change.recordedAt) : change.recordedAt
        return from.adding(seconds: Self.staleAfterSeconds)
    }

    private var relevance: Double {
        switch after.status {
        case .scheduled, .finished, .abandoned: 25
        case .suspended, .interval: 50
        case .playing: (after.period ?? .firstHalf) >= .extraTimeFirstHalf ? 100 : 75
        }
    }
}
