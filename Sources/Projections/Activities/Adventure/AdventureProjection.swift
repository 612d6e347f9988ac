public import Domain

/// What follows from the facts of an adventure.
extension AdventureKind {
    public static func phase(of state: AdventureState) -> Phase {
        if state.outcome != nil { return .ended }
        return state.beginning == nil && state.event == nil ? .scheduled : .live
    }

    public static func attributes(of state: AdventureState) -> AdventureAttributes {
        let beginning = state.beginning?.value
        return AdventureAttributes(
            hero: AdventureAttributes.Hero(
                name: inEnglish(hero(of: state)), avatar: beginning?.avatar ?? "🦸",
                healthLevel: Double(beginning?.healthPercent ?? 100) / 100,
                heroType: beginning?.heroType ?? "Hero", level: beginning?.level ?? 1,
                bio: beginning?.bio ?? ""))
    }

    public static func contentState(of state: AdventureState) -> AdventureAttributes.ContentState {
        AdventureAttributes.ContentState(
            currentHealthLevel: Double(state.healthPercent) / 100,
            eventDescription: inEnglish(happening(of: state)), outcome: state.outcome)
    }

    /// What stands for a name that nobody has reported.
    public static let placeholders = [inEnglish(.phrase(Phrase("yourHero")))]

    /// What happened, in the source's words if it has any.
    static func happening(of state: AdventureState) -> Phrase.Argument {
        let (own, key): (String?, String) =
            switch state.outcome {
            case .victorious: (state.victory?.value.description, "hasWon")
            case .fallen: (state.fall?.value.description, "hasFallen")
            case nil:
                (state.happening?.value.description, textKey(of: state.happening?.value.sort))
            }
        if let own { return .text(own) }
        return .phrase(
            Phrase(
                key,
                [
                    "hero": hero(of: state),
                    "boss": named(state.victory?.value.bossName, else: "theBoss"),
                ]))
    }

    private static func textKey(of sort: AdventureState.Happening.Sort?) -> String {
        switch sort {
        case .damaged: "wasHit"
        case .healed: "feelsBetter"
        case .begun, nil: "hasBegun"
        }
    }

    static func hero(of state: AdventureState) -> Phrase.Argument {
        named(state.beginning?.value.heroName, else: "yourHero")
    }

    private static func named(_ name: String?, else key: String) -> Phrase.Argument {
        if let name { .text(name) } else { .phrase(Phrase(key)) }
    }

    /// Cards have one language; alerts have all that there are texts in.
    private static func inEnglish(_ argument: Phrase.Argument) -> String {
        phrasebook.text(argument, in: .standard)
    }

    private static let phrasebook = Phrasebook(texts)

    public static func facts(of state: AdventureState) -> ActivityFacts {
        ActivityFacts(words: SearchWords(state.beginning?.value.heroName))
    }
}
