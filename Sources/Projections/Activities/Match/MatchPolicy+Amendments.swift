import Domain

/// What happens to alerts that are not sent yet when their facts are corrected.
extension MatchPolicy {
    /// A sending-off that was none.
    var withdrawnCards: [String] {
        guard case .card(let card) = change.event.subject,
            before.homeRedCards ?? 0 > after.homeRedCards ?? 0
                || before.awayRedCards ?? 0 > after.awayRedCards ?? 0
        else { return [] }
        let subject = Self.subject(ofCard: card.cardID)
        // One of the other team has an alert of its own, which takes the place of this.
        return change.after.cards[card.cardID]?.value.card.sendsOff == true ? [] : [subject]
    }

    /// Other texts for what is still true.
    var amendments: [Assessment.Amendment] {
        let ofEvent: [Assessment.Amendment] =
            switch change.event.subject {
            case .goal(let goal): amendments(after: goal)
            // The other alerts say the score of now.
            case .disallowed(let disallowed):
                isScoreChanged ? amendedScore(but: disallowed.goalID) : []
            case .card(let card): amendments(after: card)
            case .kick(let kick): amendments(after: kick)
            case .schedule, .clock, .fullTime, .other: []
            }
        return ofEvent + amendedEnd
    }

    /// A new goal changes the score that a waiting alert of a break says. One that was reported
    /// before is by another player, or for the other side.
    private func amendments(after goal: Match.Goal) -> [Assessment.Amendment] {
        guard let before = change.before.goals[goal.goalID]?.value else {
            return isScoreChanged && isAtRest ? amendedStage : []
        }
        guard let after = change.after.goals[goal.goalID]?.value, before != after else { return [] }
        if isScoreChanged { return amendedScore() }
        guard before.credit != after.credit else { return [] }
        guard let disallowed = change.after.disallowed[goal.goalID]?.value else {
            return [amendment(of: after)]
        }
        return [amendment(of: disallowed, after)]
    }

    private func amendments(after card: Match.CardShown) -> [Assessment.Amendment] {
        guard let before = change.before.cards[card.cardID]?.value,
            let after = change.after.cards[card.cardID]?.value, before != after,
            before.card.sendsOff, after.card.sendsOff
        else { return [] }
        return [Assessment.Amendment(Self.subject(ofCard: card.cardID), words(of: after))]
    }

    /// A kick that was reported before: the alerts of the newest kicks say the score of now.
    private func amendments(after kick: Match.Kick) -> [Assessment.Amendment] {
        guard let before = change.before.kicks[kick.number]?.value,
            let after = change.after.kicks[kick.number]?.value, before != after
        else { return [] }
        guard isShootoutChanged else { return [amendment(of: after)] }
        let newest = change.after.kicks.values.map(\.value).sorted { $0.number > $1.number }
        return newest.prefix(Limits.amendedKicksMax).map(amendment(of:))
    }

    /// What is said of a match that is over, with another score; or that was abandoned, also for
    /// another reason, or when it is known only then that it had begun.
    private var amendedEnd: [Assessment.Amendment] {
        if before.status == .finished, after.status == .finished {
            return isScoreChanged || isShootoutChanged
                ? [Assessment.Amendment(Self.result, fullTimeWords)] : []
        }
        guard before.status == .abandoned, after.status == .abandoned,
            isScoreChanged || change.before.hasBegun != change.after.hasBegun
                || change.before.abandonment?.value != change.after.abandonment?.value
        else { return [] }
        return [Assessment.Amendment(Self.result, abandonedWords)]
    }

    /// The newest goals, those that do not count, and what was to be said with the score before.
    /// - Parameter goalID: of the goal that has an alert of its own.
    private func amendedScore(but goalID: String? = nil) -> [Assessment.Amendment] {
        var amended: [Assessment.Amendment] = []
        let goals = newest(change.after.goals) { $0.goalID }.filter {
            change.after.disallowed[$0.goalID] == nil
        }
        for goal in goals.prefix(Limits.amendedGoalsMax) { amended.append(amendment(of: goal)) }
        let disallowed = newest(change.after.disallowed) { $0.goalID }.filter {
            !(goalID?.hasBytes(of: $0.goalID) ?? false)
        }
        for disallowed in disallowed.prefix(Limits.amendedGoalsMax) {
            guard let goal = change.after.goals[disallowed.goalID]?.value else { continue }
            amended.append(amendment(of: disallowed, goal))
        }
        let words = Words(Self.scoreCorrected.name, scoreline)
        return amended + [Assessment.Amendment(Self.score, words)] + amendedStage
    }

    private func newest<Fact: Codable & Hashable & Sendable>(
        _ facts: FactSet<ByteKey, Fact>, _ goalID: (Fact) -> String
    ) -> [Fact] {
        facts.values.sorted { left, right in
            left.at == right.at
                ? goalID(left.value).precedes(goalID(right.value)) : left.at > right.at
        }.map(\.value)
    }

    private func amendment(of goal: Match.Goal) -> Assessment.Amendment {
        Assessment.Amendment(Self.subject(ofGoal: goal.goalID), words(of: goal))
    }

    private func amendment(
        of disallowed: Match.GoalDisallowed, _ goal: Match.Goal
    ) -> Assessment.Amendment {
        Assessment.Amendment(
            Self.subject(ofDisallowed: disallowed.goalID), words(of: disallowed, goal))
    }

    private func amendment(of kick: Match.Kick) -> Assessment.Amendment {
        Assessment.Amendment(Self.subject(ofKick: kick.number), words(of: kick))
    }

    /// The break or the extra time, or that an end was none: what waits says the score before.
    private var amendedStage: [Assessment.Amendment] {
        let isOver = after.status == .finished || after.status == .abandoned
        let isUndone =
            !isOver && (change.after.fullTimeAt != nil || change.after.abandonment != nil)
        let rules: [(String, Rule?)] = [
            (Self.stage, lastingRule), (Self.result, isUndone ? Self.resumed : nil),
        ]
        return rules.compactMap { subject, rule in
            rule.map { Assessment.Amendment(subject, words(of: $0)) }
        }
    }

    /// No goal is scored just now.
    private var isAtRest: Bool {
        switch after.status {
        case .interval, .suspended: true
        case .playing: after.period == .shootout
        case .scheduled, .finished, .abandoned: false
        }
    }

    /// Tells the part of the match that it is, whatever led to it.
    private var lastingRule: Rule? {
        switch after.status {
        case .interval, .suspended: periodRule
        case .playing:
            switch after.period {
            case .shootout: Self.shootout
            case .extraTimeFirstHalf, .overtime: Self.extraTime
            case .extraTimeSecondHalf: Self.period
            // The first ones begin with a text that has no score.
            case nil, .firstHalf, .firstQuarter, .firstThird: nil
            default: Self.period
            }
        case .scheduled, .finished, .abandoned: nil
        }
    }
}
