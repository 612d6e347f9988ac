public import Domain

extension Explanation {
    /// What was decided, and why.
    /// - Parameter isRewording: whether earlier alerts went out in its words.
    static func decision(_ decision: Decision, isRewording: Bool) -> [String] {
        let policy =
            decision.policyVersion == 0
            ? "the built-in policy" : "version \(decision.policyVersion) of the policy"
        return [
            verdict(decision, isRewording),
            "The rule “\(decision.rule)” of \(policy) says why: \(decision.reason)",
        ] + worth(decision) + keptBack(decision) + pace(decision)
    }

    private static func verdict(_ decision: Decision, _ isRewording: Bool) -> String {
        let words = decision.alert.map { ": “\($0.title)” – “\($0.body)”" } ?? ""
        // Its push may say what an earlier decision had to say.
        let silently = isRewording ? "without an alert of its own" : "without an alert"
        return switch decision.verdict {
        case .alert: "It was decided to alert phones\(words)."
        case .timely, .quiet:
            "It was decided to update phones \(silently) (\(decision.verdict.words))."
        case .hold: "It was decided to send nothing."
        case .end:
            "It was decided to end the activity\(words.isEmpty ? " \(silently)" : words)."
        }
    }

    /// What it would have been, when something else came of it.
    private static func worth(_ decision: Decision) -> [String] {
        guard let significance = decision.significance, significance.verdict != decision.verdict
        else { return [] }
        return ["By itself the change was worth \(significance.words)."]
    }

    /// What earlier decisions had wanted to say.
    private static func keptBack(_ decision: Decision) -> [String] {
        guard let alertContext = decision.alertContext else { return [] }
        let carried = alertContext.carried.map { "“\($0.alert.title)” of version \($0.version)" }
        let dropped = alertContext.dropped.filter { $0 != decision.version }.map { "version \($0)" }
        return [
            carried.isEmpty ? nil : "It sends what quiet hours kept back: \(list(carried)).",
            dropped.isEmpty
                ? nil : "It drops what quiet hours kept back of \(list(dropped)).",
        ].compactMap(\.self)
    }

    static func list(_ items: [String]) -> String {
        items.count < 2
            ? items.joined()
            : items.dropLast().joined(separator: ", ") + " and " + items.suffix(1).joined()
    }

    private static func pace(_ decision: Decision) -> [String] {
        guard let order = decision.order else { return [] }
        var sentences: [String] = []
        if let budget = order.budget, decision.verdict != .quiet {
            sentences.append(
                "The budget had \(tokens(budget.before.standard).counted("push", "pushes")) at "
                    + "priority 10 left for phones in general, and "
                    + "\(tokens(budget.before.frequent)) for those with frequent updates.")
        }
        switch order.treatment {
        case .asWanted: break
        case .lowered where order.isImmediateForFrequent:
            sentences.append(
                "Phones in general got it at priority 5, those with frequent updates at 10.")
        case .lowered:
            sentences.append("All phones got it at priority 5, which may arrive later.")
        case .merged, .held:
            if let after = order.sendAfter {
                sentences.append("It was to wait until \(after.rfc3339) unless another push went.")
            }
        }
        return sentences
    }

    private static func tokens(_ level: Double) -> Int {
        Int(min(1e9, max(-1e9, level)).rounded(.down))
    }
}

extension Decision {
    /// Which rule spoke, why, and what the change was worth if something else came of it.
    public var grounds: String {
        let worth = significance.flatMap { $0.verdict == verdict ? nil : ", worth \($0.words)" }
        return " by \(rule)\(worth ?? ""): \(reason)"
    }
}
