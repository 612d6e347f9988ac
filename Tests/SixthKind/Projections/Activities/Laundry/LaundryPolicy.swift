import Domain
import Projections

/// What each change of a wash is worth.
struct LaundryPolicy {
    /// How long after its end a machine that says nothing makes the card stale.
    static let graceSeconds = 600.0
    static let dismissSeconds = 900.0

    private let change: Change<LaundryKind>

    init(_ change: Change<LaundryKind>) {
        self.change = change
    }

    var assessment: Assessment {
        if change.after.finishedAt != nil {
            let machine = LaundryKind.attributes(of: change.after).machine
            return Assessment(
                significance: .alert(
                    Alert(title: "Laundry done", body: "\(machine) has finished.")),
                rule: "done", reason: "The wash is over.", relevanceScore: 100,
                ending: Ending(dismissAfterSeconds: Self.dismissSeconds))
        }
        let end = max(change.after.end?.value.at ?? change.recordedAt, change.recordedAt)
        return Assessment(
            significance: change.before.end == nil ? .timely : .ambient, rule: "progress",
            reason: "The wash goes on.", staleAt: end.adding(seconds: Self.graceSeconds),
            relevanceScore: 50)
    }
}
