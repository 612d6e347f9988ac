import Domain
import Projections

/// What each change of a wash is worth.
struct LaundryPolicy {
    static let done = Rule("done", .alert, "The wash is over.")
    static let first = Rule("first", .timely, "The end of the wash is known.")
    static let progress = Rule("progress", .ambient, "The wash goes on.")

    static let grace = Threshold.staleness(
        "graceSeconds", 600, "A machine that says nothing for so long after its end is odd.")
    static let dismiss = Threshold.dismissal(
        "dismissSeconds", 900, "How long the card of a finished wash stays.")

    private let change: Change<LaundryKind>

    init(_ change: Change<LaundryKind>) {
        self.change = change
    }

    var assessment: Assessment {
        guard change.after.finishedAt != nil else {
            return change.assessment(
                change.before.end == nil ? Self.first : Self.progress, "The wash goes on.",
                relevanceScore: 50)
        }
        let machine = LaundryKind.attributes(of: change.after).machine
        return change.assessment(
            Self.done, "The wash is over.",
            words: Words("done", ["machine": .text(machine)]), relevanceScore: 100,
            ending: Ending(dismissAfterSeconds: change.policy[Self.dismiss]))
    }
}
