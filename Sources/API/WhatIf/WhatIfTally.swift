import Domain
import EventStore
import JSON

struct WhatIfTally {
    private(set) var events = 0
    private var activities = 0
    private var leftOut = 0
    private var affected = 0
    private var changes = ["added": 0, "removed": 0, "moved": 0, "reworded": 0]
    private var alerts = (before: 0, after: 0)
    private var pushes = (before: 0, after: 0)
    /// Those whose alerts change most, and of a single one whatever was told.
    private var shown: [(weight: Int, document: JSON)] = []

    mutating func add(_ finding: WhatIfSetup.Finding, of snapshot: Snapshot, events count: Int) {
        events += count
        activities += 1
        if finding.isLeftOut { leftOut += 1 }
        changes.merge(finding.changes) { $0 + $1 }
        alerts.before += finding.before.alerts.count
        alerts.after += finding.after.alerts.count
        pushes.before += finding.before.pushes
        pushes.after += finding.after.pushes
        let weight = finding.changes.values.reduce(0, +)
        if weight > 0 || finding.before.pushes != finding.after.pushes { affected += 1 }
        guard weight > 0 || activities == 1 else { return }
        shown.append((weight, Self.document(finding, snapshot)))
        shown.sort { $0.weight > $1.weight }
        shown = Array(shown.prefix(Limits.whatIfShownMax))
    }

    func json(next: String?) -> JSON {
        [
            "activities": .integer(activities), "events": .integer(events),
            "activitiesLeftOut": .integer(leftOut), "activitiesAffected": .integer(affected),
            "changes": Self.document(changes),
            "alerts": ["before": .integer(alerts.before), "after": .integer(alerts.after)],
            "pushes": ["before": .integer(pushes.before), "after": .integer(pushes.after)],
            "shown": .array(shown.map(\.document)), "next": .optional(next),
        ]
    }

    private static func document(_ finding: WhatIfSetup.Finding, _ snapshot: Snapshot) -> JSON {
        [
            "activity": .string(snapshot.activityID.rawValue),
            "changes": document(finding.changes),
            "alerts": [
                "before": .array(finding.before.alerts.prefix(Limits.whatIfAlertsMax).map(told)),
                "after": .array(finding.after.alerts.prefix(Limits.whatIfAlertsMax).map(told)),
            ],
            "pushes": [
                "before": .integer(finding.before.pushes), "after": .integer(finding.after.pushes),
            ],
        ]
    }

    private static func document(_ changes: [String: Int]) -> JSON {
        .object(
            ["added", "removed", "moved", "reworded"].map {
                .init(name: $0, value: .integer(changes[$0] ?? 0))
            })
    }

    private static func told(_ told: WhatIfSetup.Told) -> JSON {
        [
            "version": .integer(told.version), "at": .string(told.at.rfc3339),
            "title": .string(told.title), "body": .string(told.body),
        ]
    }
}
