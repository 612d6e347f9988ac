public import Domain

/// Everything that a game reports about an adventure.
///
/// Reports say what health was left, not what was taken, and the one that happened last stands: so
/// the facts commute. Where two contradict each other: victory beats a fall.
extension AdventureKind {
    /// In the order in which they usually come.
    public static let schemas: [EventSchema<StateChange<AdventureState>>] = [
        .init(
            begun,
            """
            The hero sets out. Sent again, the newest stands; with the same `healthPercent`, what \
            has happened since stands too.
            """
        ) { data in
            let beginning = try AdventureState.Beginning(&data)
            return StateChange {
                $0.beginning.offer(beginning, at: $1)
                $0.begunWith.offer(beginning.healthPercent, at: $1)
            }
        },
        happening(
            .damaged, "Adventure.HeroDamaged",
            "Something hurt the hero. `healthPercent` is what was left."),
        happening(
            .healed, "Adventure.HeroHealed",
            "Something healed the hero. `healthPercent` is what it was then."),
        .init("Adventure.BossDefeated", "The adventure is won.") { data in
            let bossName = try data.optionalName("bossName")
            let description = try data.happening()
            return StateChange {
                $0.victory.offer(.init(bossName: bossName, description: description), at: $1)
            }
        },
        .init("Adventure.HeroFallen", "The adventure is lost.") { data in
            let description = try data.happening()
            return StateChange { $0.fall.offer(.init(description: description), at: $1) }
        },
    ]

    private static let begun = "Adventure.AdventureBegun"

    /// The event that has what the attributes show.
    public static func awaited(by state: AdventureState) -> String? {
        state.beginning == nil ? begun : nil
    }

    private static func happening(
        _ sort: AdventureState.Happening.Sort, _ type: String, _ about: String
    ) -> EventSchema<StateChange<AdventureState>> {
        EventSchema(type, about) { data in
            let healthPercent = try data.healthPercent()
            let description = try data.happening()
            return StateChange {
                $0.event.offer(
                    .init(sort: sort, healthPercent: healthPercent, description: description),
                    at: $1)
            }
        }
    }
}

extension AdventureState.Beginning {
    fileprivate init(_ data: inout EventData) throws {
        heroName = try data.name("heroName", isPersonal: true)
        healthPercent = try data.healthPercent()
        avatar = try data.optionalText("avatar", bytesMax: Domain.Limits.amountBytesMax)
        heroType = try data.optionalName("heroType")
        level = try data.optionalInteger("level", in: 1...Limits.heroLevelMax, isOpen: true)
        bio = try data.optionalText(
            "bio", bytesMax: Domain.Limits.reasonBytesMax, isPersonal: true)
    }
}

extension EventData {
    /// Whole per cents: a bar shows no more, and integers fold to equal bytes everywhere.
    fileprivate mutating func healthPercent() throws -> Int {
        try integer("healthPercent", in: 0...100, isOpen: true)
    }

    /// What happened, in the source's words.
    fileprivate mutating func happening() throws -> String? {
        try optionalText(
            "description", bytesMax: Domain.Limits.reasonBytesMax, isPersonal: true)
    }
}
