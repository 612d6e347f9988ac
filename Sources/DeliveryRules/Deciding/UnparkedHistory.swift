public import Domain

/// What is decided about changes that are folded at one stroke, long after they were recorded,
/// because the events had been parked.
///
/// The dispatch machine goes through them as through any others, so that its state is the one that
/// the log gives. But nobody is sent history: only the newest change may be pushed, and it stands
/// for all of them.
public enum UnparkedHistory {
    /// Rule of the older changes.
    public static let historyRule = "history"
    /// Rule of the newest one when it says nothing by itself but phones have missed those before.
    public static let newestRule = "catchUp"

    /// - Parameter decisions: as usual, one per change, oldest first.
    /// - Returns: the decisions to record.
    public static func decide(_ decisions: [Decision]) -> [Decision] {
        guard let newest = decisions.last else { return [] }
        let older = decisions.dropLast()
        return older.map(held) + [current(newest, for: older.filter(\.verdict.pushes))]
    }

    /// Whether a stored decision is what `decide` made of the one that the log gives.
    public static func explains(_ stored: Decision, insteadOf usual: Decision) -> Bool {
        guard stored.contentState == usual.contentState, stored.alert == nil,
            stored.significance ?? usual.significance == usual.significance
        else { return false }
        switch stored.rule {
        case historyRule: return stored.verdict == .hold
        case newestRule:
            return usual.verdict == .hold && (stored.verdict == .quiet || stored.verdict == .end)
        default: return false
        }
    }

    private static func held(_ decision: Decision) -> Decision {
        var held = decision.withoutAlert()
        held.verdict = .hold
        held.rule = historyRule
        held.reason = "The event was parked, and when it could be folded it was history."
        held.order = nil
        held.dismissAt = nil
        return held
    }

    private static func current(_ newest: Decision, for missed: [Decision]) -> Decision {
        guard !newest.verdict.pushes, let last = missed.last,
            newest.contentState.count <= Limits.contentStateBytesMax
        else { return newest }
        var current = newest
        let end = missed.last { $0.verdict == .end }
        current.verdict = end == nil ? .quiet : .end
        current.rule = newestRule
        current.reason = "Phones have not been shown what had been parked before this change."
        current.staleAt = end == nil ? newest.staleAt ?? last.staleAt : nil
        current.dismissAt = end?.dismissAt
        current.order = PushOrder(
            isImmediate: end != nil, isImmediateForFrequent: end != nil)
        return current
    }
}
