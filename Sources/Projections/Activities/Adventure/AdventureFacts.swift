public import Domain

extension AdventureKind {
    public static func facts(of state: AdventureState) -> ActivityFacts {
        ActivityFacts(words: SearchWords(state.beginning?.value.heroName))
    }
}
