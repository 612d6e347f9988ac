import DeliveryRules
import Domain

/// A decision as the log gives it beside the one that the ledger has.
enum DecisionComparison {
    case equal
    /// Made by other rules; no more is asked of it than the state.
    case ofOtherRules
    case differs(String)

    init(_ made: Decision, _ stored: Decision, isRecomputable: Bool) {
        if stored == made || UnparkedHistory.explains(stored, insteadOf: made) {
            self = .equal
            return
        }
        guard isRecomputable || stored.contentState != made.contentState else {
            self = .ofOtherRules
            return
        }
        let differing = stored.differences(from: made)
        guard !differing.isEmpty else {
            self = .equal
            return
        }
        self = .differs(
            "\(differing.joined(separator: ", ")) differ: the ledger says "
                + "\(stored.verdict.rawValue) by \(stored.rule), the log gives "
                + "\(made.verdict.rawValue) by \(made.rule): the fold has changed since, or the "
                + "ledger was altered")
    }
}

/// A snapshot as it is stored beside the log folded afresh, byte by byte.
enum SnapshotComparison {
    static func differing(
        _ stored: Snapshot, _ folded: Snapshot, withDispatch: Bool
    ) -> [String] {
        let members: [(name: String, isEqual: Bool)] = [
            ("version", stored.version == folded.version),
            ("phase", stored.phase == folded.phase),
            ("state", stored.state == folded.state),
            ("attributes", stored.attributes == folded.attributes),
            ("content state", stored.contentState == folded.contentState),
            ("dispatch", !withDispatch || stored.dispatch == folded.dispatch),
            ("facts", stored.facts == folded.facts),
            ("awaited event", stored.awaits == folded.awaits),
            ("due time", stored.dueAt == folded.dueAt),
            ("time of update", stored.updatedAt == folded.updatedAt),
        ]
        return members.filter { !$0.isEqual }.map(\.name)
    }
}
