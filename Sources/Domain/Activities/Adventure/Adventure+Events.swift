extension Adventure {
    /// The hero sets out. Sent again, the newest stands.
    public struct AdventureBegun: EventPayload {
        public static let type = "Adventure.AdventureBegun"
        public static let fields: [EventField] = [
            .required("heroName", .text(bytesMax: Limits.nameBytesMax)),
            .required("healthPercent", .healthPercent),
            .optional("avatar", .text(bytesMax: Limits.amountBytesMax)),
            .optional("heroType", .text(bytesMax: Limits.nameBytesMax)),
            .optional("level", .integer(1...Limits.heroLevelMax)),
            .optional("bio", .text(bytesMax: Limits.reasonBytesMax)),
        ]

        public let heroName: String
        public let healthPercent: Int
        /// An emoji or two.
        public let avatar: String?
        /// Such as `Forest Dweller`.
        public let heroType: String?
        public let level: Int?
        public let bio: String?

        public init(_ fields: CheckedFields) throws {
            heroName = try fields.text("heroName")
            healthPercent = try fields.integer("healthPercent")
            avatar = try fields.optionalText("avatar")
            heroType = try fields.optionalText("heroType")
            level = try fields.optionalInteger("level")
            bio = try fields.optionalText("bio")
        }
    }

    /// Something hurt the hero.
    public struct HeroDamaged: EventPayload {
        public static let type = "Adventure.HeroDamaged"
        public static let fields: [EventField] = [
            .required("healthPercent", .healthPercent), .happening,
        ]

        /// What was left after it.
        public let healthPercent: Int
        public let description: String?

        public init(_ fields: CheckedFields) throws {
            healthPercent = try fields.integer("healthPercent")
            description = try fields.optionalText("description")
        }
    }

    /// Something healed the hero.
    public struct HeroHealed: EventPayload {
        public static let type = "Adventure.HeroHealed"
        public static let fields: [EventField] = [
            .required("healthPercent", .healthPercent), .happening,
        ]

        /// What it was after it.
        public let healthPercent: Int
        public let description: String?

        public init(_ fields: CheckedFields) throws {
            healthPercent = try fields.integer("healthPercent")
            description = try fields.optionalText("description")
        }
    }

    /// The adventure is won.
    public struct BossDefeated: EventPayload {
        public static let type = "Adventure.BossDefeated"
        public static let fields: [EventField] = [
            .optional("bossName", .text(bytesMax: Limits.nameBytesMax)), .happening,
        ]

        public let bossName: String?
        public let description: String?

        public init(_ fields: CheckedFields) throws {
            bossName = try fields.optionalText("bossName")
            description = try fields.optionalText("description")
        }
    }

    /// The adventure is lost.
    public struct HeroFallen: EventPayload {
        public static let type = "Adventure.HeroFallen"
        public static let fields = [EventField.happening]

        public let description: String?

        public init(_ fields: CheckedFields) throws {
            description = try fields.optionalText("description")
        }
    }
}

extension EventField {
    fileprivate static let happening = EventField.optional(
        "description", .text(bytesMax: Limits.reasonBytesMax))
}

extension EventField.Shape {
    /// Whole per cents: a bar shows no more, and integers fold to equal bytes everywhere.
    fileprivate static let healthPercent = EventField.Shape.integer(0...100)
}
