import Domain
import ServerClient

/// What somebody who watched the demo would ask about afterwards: one question of each sort.
struct DemoQuestions {
    struct Question {
        var about: String
        var activity: String
        var version: Int64
    }

    private(set) var asked: [Question] = []
    /// Activities of which the next decision that pushes is of interest, and what about it.
    private var awaited: [String: (about: String, after: Int64)] = [:]

    /// - Parameter version: of the report at which it happened.
    mutating func happened(
        _ incident: DemoCast.Incident, to activity: String, after version: Int64
    ) {
        let about =
            switch incident {
            case .rotates: "the first push after a card was given another token"
            case .dismisses: "the first push after a card was swiped away"
            }
        awaited[activity] = (about, version)
    }

    mutating func decided(_ row: RemoteServer.Row, _ activity: String) {
        if activity == DemoFans.activity {
            if row.rule == "scheduled" { ask("cards that appeared by push", activity, row) }
            if row.rule == "goal" { ask("a broadcast", activity, row) }
        }
        if row.rule == "goalDisallowed" { ask("a goal that did not count", activity, row) }
        if row.order?.step == "lowered" { ask("a budget that had run low", activity, row) }
        if let next = awaited[activity], row.version > next.after, row.verdict != "hold" {
            ask(next.about, activity, row)
            awaited[activity] = nil
        }
    }

    private mutating func ask(_ about: String, _ activity: String, _ row: RemoteServer.Row) {
        guard !asked.contains(where: { $0.about == about }) else { return }
        asked.append(Question(about: about, activity: activity, version: row.version))
    }
}
