import Domain

extension CardTally {
    /// Why phones were not sent something, or that nobody looked further; empty when none was left
    /// out.
    var sentences: [String] {
        var left = Closing.allCases.compactMap { closing in
            closed[closing].map { $0.counted("card") + Self.why(closing, $0) }
        }
        if dead > 0 {
            left.append("\(dead.counted("push token")) no longer worked, as APNs had said")
        }
        if unfit > 0 {
            let registers = unfit == 1 ? "its phone registers" : "their phones register"
            left.append(
                "\(unfit.counted("push token")) did not belong to the app and environment "
                    + "named with \(unfit == 1 ? "it" : "them"), as APNs had said, and nothing "
                    + "goes there until \(registers) again")
        }
        if isCutShort, left.isEmpty {
            return [
                "Each card of the first \(Domain.Limits.countedMax) push tokens that stopped being "
                    + "served has another one that is served; later ones were not looked at."
            ]
        }
        guard !left.isEmpty else { return [] }
        let list = left.joined(separator: "; ")
        if isCutShort {
            return [
                "Nothing went to many others.",
                "Of the first \(Domain.Limits.countedMax) push tokens: \(list).",
            ]
        }
        return isPartial
            ? [
                "Nothing went to others, of whom there are \(Domain.Limits.countedMax.orMore).",
                "Of the first \(Domain.Limits.countedMax), \(list).",
            ] : ["Nothing went to others: \(list)."]
    }

    private static func why(_ closing: Closing, _ count: Int) -> String {
        switch closing {
        case .dismissed: " had been swiped away, and stays so"
        case .ended: " had ended on the phone"
        case .replaced:
            " had been replaced, and no newer push token of "
                + (count == 1 ? "its phone" : "their phones") + " was registered"
        case .removed: " had been taken back by the app"
        case .broadcast:
            " had asked for the broadcast channel instead of pushes of "
                + (count == 1 ? "its own" : "their own")
        }
    }
}
