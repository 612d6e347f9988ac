import Domain

/// What becomes of alerts that nobody was told yet when what they tell is corrected.
extension MatchPolicy {
    /// A sending-off that was none.
    var withdrawnCards: [String] {
        guard case .card(let card) = change.event.subject,
            before.homeRedCards ?? 0 > after.homeRedCards ?? 0
                || before.awayRedCards ?? 0 > after.awayRedCards ?? 0
        else { return [] }
        let subject = Self.subject(ofCard: card.cardID)
        // One of the other team is told itself, and takes the place of this.
        return change.after.cards[card.cardID]?.value.card.sendsOff == true ? [] : [subject]
    }

    /// Other words for what is still true.
    var amendments: [Assessment.Amendment] {
        switch change.event.subject {
        case .goal(let goal): amendments(after: goal)
        // The other goals are told with the score of now.
        case .disallowed: isScoreChanged ? amendedScore : []
        case .card(let card): amendments(after: card)
        case .schedule, .clock, .fullTime, .kick, .other: []
        }
    }

    /// A goal that was reported before: by another player, or for the other side.
    private func amendments(after goal: Match.Goal) -> [Assessment.Amendment] {
        guard let before = change.before.goals[goal.goalID]?.value,
            let after = change.after.goals[goal.goalID]?.value, before != after
        else { return [] }
        if isScoreChanged { return amendedScore }
        return change.after.disallowed[goal.goalID] == nil && before.credit != after.credit
            ? [amendment(of: after)] : []
    }

    private func amendments(after card: Match.CardShown) -> [Assessment.Amendment] {
        guard let before = change.before.cards[card.cardID]?.value,
            let after = change.after.cards[card.cardID]?.value, before != after,
            before.card.sendsOff, after.card.sendsOff
        else { return [] }
        return [Assessment.Amendment(Self.subject(ofCard: card.cardID), words(of: after))]
    }

    /// The newest goals, and the break or the extra time that was told with the score before.
    private var amendedScore: [Assessment.Amendment] {
        let goals = change.after.goals.values.filter {
            change.after.disallowed[$0.value.goalID] == nil
        }
        let newest = goals.sorted { left, right in
            left.at == right.at
                ? left.value.goalID.precedes(right.value.goalID) : left.at > right.at
        }
        let stage = lastingRule.map {
            Assessment.Amendment(Self.stage, Words($0.name, scoreline))
        }
        return newest.prefix(Limits.amendedGoalsMax).map { amendment(of: $0.value) }
            + (stage.map { [$0] } ?? [])
    }

    private func amendment(of goal: Match.Goal) -> Assessment.Amendment {
        Assessment.Amendment(Self.subject(ofGoal: goal.goalID), words(of: goal))
    }

    /// Tells the part of the match that it is, whatever led to it.
    private var lastingRule: Rule? {
        switch after.status {
        case .interval, .suspended: periodRule
        case .playing:
            switch after.period {
            case .shootout: Self.shootout
            case .extraTimeFirstHalf, .overtime: Self.extraTime
            default: nil
            }
        case .scheduled, .finished, .abandoned: nil
        }
    }
}
