public import Domain

/// What the fold remembers about an adventure.
public struct AdventureState: Codable, Hashable, Sendable {
    /// The hero who sets out.
    public struct Beginning: Codable, Hashable, Sendable {
        let heroName: String
        let healthPercent: Int
        /// An emoji or two.
        let avatar: String?
        /// Such as `Forest Dweller`.
        let heroType: String?
        let level: Int?
        let bio: String?
    }

    /// What happened to the hero, and how much health was left after it.
    public struct Happening: Codable, Hashable, Sendable {
        public enum Sort: String, Codable, Sendable {
            case begun, damaged, healed
        }

        public var sort: Sort
        public var healthPercent: Int
        public var description: String?
    }

    /// How the adventure ended.
    public struct Ending: Codable, Hashable, Sendable {
        public var bossName: String?
        public var description: String?
    }

    public var beginning: Latest<Beginning>?
    /// Since when its health stands.
    public var begunWith: LastingValue<Int>?
    /// The last one after the beginning.
    public var event: Latest<Happening>?
    public var victory: Latest<Ending>?
    public var fall: Latest<Ending>?

    /// The last one of all: the adventure began when the beginning that stands was reported first,
    /// or put back.
    public var happening: Latest<Happening>? {
        guard let beginning else { return event }
        var last = event
        last.offer(
            Happening(sort: .begun, healthPercent: beginning.value.healthPercent),
            at: begunWith?.since ?? beginning.at)
        return last
    }

    /// Victory beats a fall, whenever they happened.
    public var outcome: Adventure.Outcome? {
        if victory != nil { return .victorious }
        return fall == nil ? nil : .fallen
    }

    /// The health of 100; nothing is left of a hero who has fallen.
    public var healthPercent: Int {
        outcome == .fallen ? 0 : happening?.value.healthPercent ?? 100
    }
}
