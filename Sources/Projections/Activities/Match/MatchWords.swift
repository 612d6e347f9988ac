import Domain

/// What a feed tells of goals, cards and kicks, in words that are translated; names and minutes
/// stay as they are.
enum MatchWords {
    /// A body of its own. An app that has its own texts is given it as it is in the standard
    /// language: it has no text of its own for each of its parts.
    static func body(_ argument: Phrase.Argument) -> Phrase {
        Phrase(Phrase.verbatimKey, ["text": argument])
    }

    /// Who, when and how: `Lionel Messi 23' (penalty)`; nil when nothing of it is known.
    static func credit(of goal: Match.Goal, isFootball: Bool) -> Phrase.Argument? {
        // Where it is a body of its own, nothing keeps the name's direction from the minute.
        let who = MatchText.credit(goal.player?.balanced, goal.minute, goal.addedMinutes)
        let manner: Phrase? =
            switch goal.kind {
            case .penalty: Phrase(isFootball ? "penalty" : "penaltyShot")
            case .ownGoal: Phrase("ownGoal")
            case .openPlay, .none: nil
            }
        guard let manner else { return who.isEmpty ? nil : .text(who) }
        guard !who.isEmpty else { return .phrase(manner) }
        return .phrase(Phrase("credited", ["who": .text(who), "manner": .phrase(manner)]))
    }

    static func line(of card: Match.CardShown) -> Phrase.Argument {
        let what =
            switch card.card {
            case .yellow: Phrase("yellowCard")
            case .secondYellow: Phrase("secondYellowCard")
            case .red: Phrase("redCard")
            }
        return line(what, MatchText.credit(card.player, card.minute, card.addedMinutes))
    }

    /// Only football has kicks.
    static func line(of kick: Match.Kick, isFootball: Bool) -> Phrase.Argument {
        let what =
            switch kick.result {
            case .scored: isFootball ? "kickScored" : "shotScored"
            case .saved: isFootball ? "kickSaved" : "shotSaved"
            case .missed, .notScored: isFootball ? "kickMissed" : "shotMissed"
            }
        return line(Phrase(what), kick.player ?? "")
    }

    /// `what: who`, or what alone.
    private static func line(_ what: Phrase, _ who: String) -> Phrase.Argument {
        .phrase(who.isEmpty ? what : Phrase("line", ["what": .phrase(what), "who": .text(who)]))
    }
}
