public import Domain

/// The fold of an adventure.
///
/// Reports say what health was left, not what was taken, and the one that happened last stands: so
/// the facts commute. Where two contradict each other: victory beats a fall.
extension AdventureKind {
    public static func evolve(
        _ state: inout AdventureState, with event: Adventure.Event, occurredAt: Moment
    ) {
        switch event {
        case .adventureBegun(let data):
            state.beginning.offer(data, at: occurredAt)
            state.happening.offer(
                .init(sort: .begun, healthPercent: data.healthPercent), at: occurredAt)
        case .heroDamaged(let data):
            state.happening.offer(
                .init(
                    sort: .damaged, healthPercent: data.healthPercent,
                    description: data.description), at: occurredAt)
        case .heroHealed(let data):
            state.happening.offer(
                .init(
                    sort: .healed, healthPercent: data.healthPercent,
                    description: data.description), at: occurredAt)
        case .bossDefeated(let data):
            state.victory.offer(
                .init(bossName: data.bossName, description: data.description), at: occurredAt)
        case .heroFallen(let data):
            state.fall.offer(.init(description: data.description), at: occurredAt)
        }
    }

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

    public static func awaited(by state: AdventureState) -> String? {
        state.beginning == nil ? Adventure.AdventureBegun.type : nil
    }

    public static func contentState(of state: AdventureState) -> AdventureAttributes.ContentState {
        AdventureAttributes.ContentState(
            currentHealthLevel: Double(state.healthPercent) / 100,
            eventDescription: description(of: state), outcome: state.outcome)
    }

    static func heroName(of state: AdventureState) -> String {
        state.beginning?.value.heroName ?? "Your hero"
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
}
