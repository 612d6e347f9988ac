extension Match {
    /// A stretch of play, in the order in which those of one sport follow each other. A card's app
    /// must know every value, so the ones of other sports are here from the beginning.
    public enum Period: String, Codable, CodingKeyRepresentable, Sendable, CaseIterable {
        case firstHalf, secondHalf
        case firstQuarter, secondQuarter, thirdQuarter, fourthQuarter
        case firstThird, secondThird, finalThird
        case extraTimeFirstHalf, extraTimeSecondHalf
        case overtime
        case shootout

        /// What the clock reads at the start unless the source says otherwise.
        public var clockSecondsAtStart: Int {
            switch self {
            case .secondHalf: 45 * 60
            case .extraTimeFirstHalf: 90 * 60
            case .extraTimeSecondHalf: 105 * 60
            case .firstHalf, .firstQuarter, .secondQuarter, .thirdQuarter, .fourthQuarter,
                .firstThird, .secondThird, .finalThird, .overtime, .shootout:
                0
            }
        }

        /// The period that a minute beyond the first forty-five belongs to, in football's way of
        /// counting: a minute that was added is the last one, with `addedMinutes`.
        public static func begun(byMinute minute: Int) -> Match.Period? {
            switch minute {
            case ...45: nil
            case ...90: .secondHalf
            case ...105: .extraTimeFirstHalf
            default: .extraTimeSecondHalf
            }
        }

        /// Comes only after full time, of a match that was level then.
        public var isExtra: Bool { self >= .extraTimeFirstHalf && self != .shootout }

        /// What a person calls it.
        public var title: String {
            switch self {
            case .firstHalf: "First half"
            case .secondHalf: "Second half"
            case .firstQuarter: "First quarter"
            case .secondQuarter: "Second quarter"
            case .thirdQuarter: "Third quarter"
            case .fourthQuarter: "Fourth quarter"
            case .firstThird: "First period"
            case .secondThird: "Second period"
            case .finalThird: "Third period"
            case .extraTimeFirstHalf: "Extra time, first half"
            case .extraTimeSecondHalf: "Extra time, second half"
            case .overtime: "Overtime"
            case .shootout: "Shoot-out"
            }
        }

        /// What a person calls the break after it.
        public var intervalTitle: String {
            switch self {
            case .firstHalf: "Half-time"
            case .secondHalf: "End of normal time"
            case .extraTimeFirstHalf: "Half-time of extra time"
            case .extraTimeSecondHalf: "End of extra time"
            case .firstQuarter, .secondQuarter, .thirdQuarter, .fourthQuarter, .firstThird,
                .secondThird, .finalThird, .overtime, .shootout:
                "End of \(title.lowercased())"
            }
        }
    }
}

extension Match.Period: Comparable {
    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
