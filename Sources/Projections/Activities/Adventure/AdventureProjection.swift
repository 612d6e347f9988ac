public import Domain

/// What follows from the facts of an adventure.
extension AdventureKind {
    public static func phase(of state: AdventureState) -> Phase {
        if state.outcome != nil { return .ended }
        return state.happening == nil ? .scheduled : .live
    }

    public static func staleAt(
        of state: AdventureState, at recordedAt: Moment, under policy: Policy
    ) -> Moment? {
        recordedAt.adding(seconds: policy[AdventurePolicy.staleAfter])
    }

    public static func attributes(of state: AdventureState) -> AdventureAttributes {
        let beginning = state.beginning?.value
        return AdventureAttributes(
            hero: AdventureAttributes.Hero(
                name: heroName(of: state), avatar: beginning?.avatar ?? "🦸",
                healthLevel: Double(beginning?.healthPercent ?? 100) / 100,
                heroType: beginning?.heroType ?? "Hero", level: beginning?.level ?? 1,
                bio: beginning?.bio ?? ""))
    }

    public static func contentState(of state: AdventureState) -> AdventureAttributes.ContentState {
        AdventureAttributes.ContentState(
            currentHealthLevel: Double(state.healthPercent) / 100,
            eventDescription: description(of: state), outcome: state.outcome)
    }

    /// What stands for a name that nobody has reported.
    public static let placeholders = [unknownHero]
    private static let unknownHero = "Your hero"

    static func heroName(of state: AdventureState) -> String {
        state.beginning?.value.heroName ?? unknownHero
    }

    private static func description(of state: AdventureState) -> String {
        let hero = heroName(of: state)
        switch state.outcome {
        case .victorious:
            let boss = state.victory?.value.bossName ?? "the boss"
            return state.victory?.value.description ?? "\(hero) has defeated \(boss)!"
        case .fallen:
            return state.fall?.value.description ?? "\(hero) has fallen."
        case nil: break
        }
        if let description = state.happening?.value.description { return description }
        return switch state.happening?.value.sort {
        case .damaged: "\(hero) was hit."
        case .healed: "\(hero) feels better."
        case .begun, nil: "The adventure has begun!"
        }
    }

    public static func facts(of state: AdventureState) -> ActivityFacts {
        ActivityFacts(words: SearchWords(state.beginning?.value.heroName))
    }
}
