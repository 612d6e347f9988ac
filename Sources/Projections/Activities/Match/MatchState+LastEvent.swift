import Domain

/// The last notable thing in words, derived from the facts, so that it does not depend on the order
/// in which they arrived. What is reported again, or put right, keeps its place among them.
extension MatchState {
    /// Nil while nothing notable is known.
    var lastEvent: String? {
        let notables = notables
        guard let last = notables.max(by: { $0.place < $1.place })?.place else { return nil }
        // Of hundreds only the last are put into words, which takes longer than all the rest.
        return notables.filter { $0.place == last }.map { $0.text() }.max()
    }

    /// One candidate; `order` settles the order of things that happened at one moment.
    private struct Notable {
        var at: Moment
        var order: Int
        var text: () -> String

        var place: (Moment, Int) { (at, order) }
    }

    private var notables: [Notable] {
        var notables = goals.values.map(notable)
        notables += cards.values.map { card in
            Notable(at: card.firstAt, order: 0) { Self.text(of: card.value) }
        }
        notables += kicks.values.map { kick in
            Notable(at: kick.firstAt, order: kick.value.number) { text(of: kick.value) }
        }
        if let interruption, status == .suspended {
            let text = MatchText.line("Play suspended", interruption.value.reason ?? "")
            notables.append(Notable(at: interruption.at, order: 2) { text })
        }
        if let abandonment, status == .abandoned {
            let text = MatchText.line(
                hasBegun ? "Abandoned" : "Called off", abandonment.value ?? "")
            notables.append(Notable(at: abandonment.at, order: 3) { text })
        }
        return notables
    }

    /// A disallowed goal whose goal is not known yet says nothing: nobody has heard of it.
    private func notable(_ goal: ReportedFact<Match.Goal>) -> Notable {
        if let disallowed = disallowed[goal.value.goalID] {
            return Notable(at: max(goal.firstAt, disallowed.firstAt), order: 1) {
                goal.value.line("Goal disallowed")
            }
        }
        return Notable(at: goal.firstAt, order: 1) { goal.value.line("Goal") }
    }

    static func text(of card: Match.CardShown) -> String {
        let name =
            switch card.card {
            case .yellow: "Yellow card"
            case .secondYellow: "Second yellow card"
            case .red: "Red card"
            }
        return MatchText.line(
            name, MatchText.credit(card.player, card.minute, card.addedMinutes))
    }

    private func text(of kick: Match.Kick) -> String {
        let result =
            switch kick.result {
            case .scored: "scored"
            case .saved: "saved"
            case .missed, .notScored: "missed"
            }
        return MatchText.line(
            "\(isFootball ? "Kick" : "Shot") \(result)", kick.player ?? "")
    }
}

extension Match.Goal {
    /// Who, when and how: `Lionel Messi 23' (penalty)`; empty when nothing of it is known.
    var credit: String { withManner(MatchText.credit(player, minute, addedMinutes)) }

    /// `Goal: Lionel Messi 23' (penalty)`, or `Goal (penalty)` where nothing else is known.
    func line(_ title: String) -> String {
        withManner(MatchText.line(title, MatchText.credit(player, minute, addedMinutes)))
    }

    private func withManner(_ text: String) -> String {
        let manner =
            switch kind {
            case .penalty: "(penalty)"
            case .ownGoal: "(own goal)"
            case .openPlay, .none: ""
            }
        return [text, manner].filter { !$0.isEmpty }.joined(separator: " ")
    }
}
