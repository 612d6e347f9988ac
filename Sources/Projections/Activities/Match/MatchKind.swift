public import Domain

/// Matches between two sides.
public enum MatchKind: ActivityKind {
    /// 5: only football's clock begins at 45 minutes, and only its minutes tell the period; an
    /// overtime may follow another. 6: the state says what was called off, and has no kicks in the
    /// shoot-out of another sport. 7: a correction proves nothing of the clock and opens no
    /// shoot-out, and play may be suspended in a period that nobody has named. 8: the state of a
    /// match that has not begun has its kick-off, the last event is the one that was first reported
    /// last, and play that begins or goes on later undoes an end. 9: quiet hours keep back what is
    /// no end until the card ends, and a lifetime waits for them.
    public static let foldVersion = 9
    public static let initial = MatchState()

    public static let thresholds = MatchPolicy.thresholds
    public static let rules = MatchPolicy.rules
    public static let texts = MatchTexts.all
    /// The score says more than the last event in words.
    public static let cuts: [Cut<MatchAttributes.ContentState>] = [.shortening(\.lastEvent)]

    public static func assess(_ change: Change<MatchKind>) -> Assessment {
        MatchPolicy(change).assessment
    }

    /// What an end in doubt waits for would alert nobody any more when it is no news.
    public static func ending(of change: Change<MatchKind>) -> Ending? {
        guard phase(of: change.after) == .ended else { return nil }
        var ending = change.ending(staying: MatchPolicy.dismiss)
        switch change.after.status {
        case .finished, .abandoned: break
        case .scheduled, .playing, .interval, .suspended:
            ending.graceSeconds = max(ending.graceSeconds, change.policy[.newsAge])
        }
        return ending
    }

    public static func relevanceScore(of state: MatchState, under policy: Policy) -> Double {
        MatchPolicy.relevance(of: contentState(of: state))
    }

    public static func startArguments(
        attributes: MatchAttributes, contentState: MatchAttributes.ContentState
    ) -> Phrase.Arguments {
        ["home": .text(attributes.homeTeam), "away": .text(attributes.awayTeam)]
    }
}
