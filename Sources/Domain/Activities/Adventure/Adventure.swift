/// A hero's adventure in a game.
public enum Adventure {
    /// How an adventure ended. The later case is the harder fact.
    public enum Outcome: String, Codable, Sendable, CaseIterable {
        case fallen, victorious
    }

    /// One fact about an adventure.
    public enum Event: Hashable, Sendable {
        case adventureBegun(AdventureBegun)
        case heroDamaged(HeroDamaged)
        case heroHealed(HeroHealed)
        case bossDefeated(BossDefeated)
        case heroFallen(HeroFallen)
    }

    /// In the order in which an adventure usually goes.
    public static let schemas: [EventSchema<Event>] = [
        EventSchema(AdventureBegun.self) { .adventureBegun($0) },
        EventSchema(HeroDamaged.self) { .heroDamaged($0) },
        EventSchema(HeroHealed.self) { .heroHealed($0) },
        EventSchema(BossDefeated.self) { .bossDefeated($0) },
        EventSchema(HeroFallen.self) { .heroFallen($0) },
    ]
}

extension Adventure.Outcome: Comparable {
    public static func < (left: Self, right: Self) -> Bool {
        left == .fallen && right == .victorious
    }
}

extension Adventure {
    /// What a redacted export leaves as it is; every text is covered.
    public static let safeFields = SafeFields(
        ["healthPercent", "level"])
}
