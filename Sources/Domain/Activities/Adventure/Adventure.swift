/// Everything that a game reports about an adventure.
extension Adventure {
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

extension Adventure {
    /// What a redacted export leaves as it is; every text is covered.
    public static let safeFields = SafeFields(
        ["healthPercent", "level"])
}
