import Domain
import PushDispatch

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
        members.filter { member in
            !member.isEqual(stored, folded) && (withDispatch || member.name != "dispatch")
        }.map(\.name)
    }

    private static let members: [(name: String, isEqual: @Sendable (Snapshot, Snapshot) -> Bool)] =
        [
            ("version", { $0.version == $1.version }),
            ("phase", { $0.phase == $1.phase }),
            ("state", { $0.state == $1.state }),
            ("attributes", { $0.attributes == $1.attributes }),
            ("content state", { $0.contentState == $1.contentState }),
            ("dispatch", { $0.dispatch == $1.dispatch }),
            ("facts", { $0.facts == $1.facts }),
            ("awaited event", { $0.awaits == $1.awaits }),
            ("due time", { $0.dueAt == $1.dueAt }),
            ("time of update", { $0.updatedAt == $1.updatedAt }),
        ]
}
