import Domain

/// What became of the cards that pushes were to start.
enum StartSentences {
    static func of(_ counts: [StartState: Int]) -> [String] {
        let others = told.compactMap { state, what in
            counts[state].flatMap { $0 > 0 ? "\($0.orMore) \(what)" : nil }
        }
        guard let started = counts[.started] ?? (others.isEmpty ? nil : 0) else { return [] }
        let phones = started == 1 ? "1 phone" : "\(started.orMore) phones"
        let rest = others.isEmpty ? "" : "; " + others.joined(separator: ", ")
        return ["Until now pushes have made the card appear on \(phones)\(rest)."]
    }

    private static let told: [(StartState, String)] = [
        (.waiting, "are still to be sent one"), (.trying, "are being sent one"),
        (.held, "wait because their phone's budget of starts is spent"),
        (.refused, "were refused by APNs"), (.unknown, "were sent one that nobody answered for"),
        (.needless, "needed none, since they had a card"),
    ]
}
