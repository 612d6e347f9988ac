public import Domain

/// Adventures of a game's heroes.
public enum AdventureKind: ActivityKind {
    /// 6: marks of direction in names stay out of the text around them. 7: a beginning that is sent
    /// again heals nobody once its health was put back.
    public static let foldVersion = 7
    public static let initial = AdventureState()

    public static let thresholds = AdventurePolicy.thresholds
    public static let rules = AdventurePolicy.rules
    public static let texts = AdventureTexts.all
    /// The text of what happened is shortened; every app needs a word of it.
    public static let cuts: [Cut<AdventureAttributes.ContentState>] = [
        .shortening(\.eventDescription)
    ]

    public static func assess(_ change: Change<AdventureKind>) -> Assessment {
        AdventurePolicy(change).assessment
    }

    public static func relevanceScore(
        of state: AdventureState, under policy: Policy
    ) -> Double {
        if state.outcome != nil { return 25 }
        return AdventurePolicy.isCritical(state, under: policy) ? 100 : 50
    }

    public static func startArguments(
        attributes: AdventureAttributes, contentState: AdventureAttributes.ContentState
    ) -> Phrase.Arguments {
        ["hero": .text(attributes.hero.name)]
    }
}
