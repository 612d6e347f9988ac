import Domain
public import Projections

/// What each change of a wash is worth, in rules and words of its own.
extension LaundryKind {
    static let done = Rule("done", .alert, "The wash is over.")
    static let moved = Rule("moved", .timely, "The end of the wash is known, or has moved.")
    static let stays = Threshold.dismissal(
        "dismissSeconds", 900, "How long the card of a finished wash stays.")

    public static let rules = [done, moved]
    public static let thresholds = [Threshold.staleAfter, stays]
    public static let texts: Phrasebook.Texts = [
        .standard: [
            "start.title": "{machine} is running", "start.body": "Follow the wash here.",
            "done.title": "Laundry done", "done.body": "{machine} has finished.",
        ],
        Language("de"): [
            "start.title": "{machine} läuft", "start.body": "Hier sehen Sie, wie lange noch.",
            "done.title": "Wäsche fertig", "done.body": "{machine} ist fertig.",
        ],
    ]

    public static func startArguments(
        attributes: LaundryAttributes, contentState: LaundryAttributes.ContentState
    ) -> Phrase.Arguments {
        ["machine": .text(attributes.machine)]
    }

    public static func assess(_ change: Change<LaundryKind>) -> Assessment {
        guard change.after.finishedAt != nil else {
            return change.assessment(moved, "The wash goes on.", relevanceScore: 50)
        }
        let machine = attributes(of: change.after).machine
        return change.assessment(
            done, "The wash is over.", words: Words("done", ["machine": .text(machine)]),
            relevanceScore: 100, ending: change.ending(staying: stays))
    }
}
