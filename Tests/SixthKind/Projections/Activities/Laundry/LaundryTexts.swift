import Domain
import Projections

/// The words of a wash, in every language that there are some in.
enum LaundryTexts {
    static let all: Phrasebook.Texts = [
        .standard: ["done.title": "Laundry done", "done.body": "{machine} has finished."],
        Language("de"): ["done.title": "Wäsche fertig", "done.body": "{machine} ist fertig."],
    ]
}
