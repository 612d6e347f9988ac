/// What never changes about an adventure on a phone.
public struct AdventureAttributes: CardAttributes {
    public static let kind = "Adventure"

    /// What the card shows. The first two members are always present, so an app built with them
    /// alone decodes every state; everything else is optional and additive.
    public struct ContentState: Codable, Hashable, Sendable {
        /// From 0 to 1, in hundredths.
        public var currentHealthLevel: Double
        /// What happened last, ready to show; never empty.
        @ByBytes public var eventDescription: String
        /// Nil while the adventure goes on.
        public var outcome: Adventure.Outcome?

        public init(
            currentHealthLevel: Double, eventDescription: String,
            outcome: Adventure.Outcome? = nil
        ) {
            self.currentHealthLevel = currentHealthLevel
            self.eventDescription = eventDescription
            self.outcome = outcome
        }
    }

    /// Who goes on the adventure. Has every member that the sample game's hero has, so that a card
    /// of that game can be started with it.
    public struct Hero: Codable, Hashable, Sendable {
        @ByBytes public var name: String
        /// An emoji or two.
        @ByBytes public var avatar: String
        /// At the beginning; from 0 to 1.
        public var healthLevel: Double
        @ByBytes public var heroType: String
        /// What a game's own clock adds; 0, since reports say what health is.
        public var healthRecoveryRatePerHour: Double
        /// Where the app shows the hero, and a battle; always a URL.
        @ByBytes public var url: String
        @ByBytes public var battleCode: String
        public var level: Int
        public var exp: Int
        @ByBytes public var bio: String

        public init(
            name: String, avatar: String, healthLevel: Double, heroType: String, level: Int,
            bio: String
        ) {
            self.name = name
            self.avatar = avatar
            self.healthLevel = healthLevel
            self.heroType = heroType
            self.level = level
            self.bio = bio
            healthRecoveryRatePerHour = 0
            url = "game:///hero"
            battleCode = "game:///hero/battle"
            exp = 0
        }
    }

    public var hero: Hero
    @ByBytes public var activityID: String?

    public init(hero: Hero) {
        self.hero = hero
    }
}
