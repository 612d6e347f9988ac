/// A hero's adventure in a game: what its card says of it.
public enum Adventure {
    /// How an adventure ended. The later case is the harder fact.
    public enum Outcome: String, Codable, Sendable, CaseIterable {
        case fallen, victorious
    }
}

extension Adventure.Outcome: Comparable {
    public static func < (left: Self, right: Self) -> Bool {
        left == .fallen && right == .victorious
    }
}
