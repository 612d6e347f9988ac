import Domain
import JSON
import Replay

struct WhatIfTally {
    private(set) var events = 0
    private var activities = 0
    private var leftOut = 0
    private var affected = 0
    private var changes = WhatIfReport.Changes()
    private var alerts = (before: 0, after: 0)
    private var pushes = (before: 0, after: 0)
    /// Those whose alerts change most, and of a single one whatever was told.
    private var shown: [(weight: Int, document: JSON)] = []

    mutating func add(_ trial: ActivityTrial, of snapshot: Snapshot, events count: Int) {
        events += count
        activities += 1
        if trial.isLeftOut { leftOut += 1 }
        changes.add(trial.changes)
        alerts.before += trial.toldBefore.count
        alerts.after += trial.toldAfter.count
        pushes.before += trial.before.sent
        pushes.after += trial.after.sent
        let weight = trial.changes.total
        if weight > 0 || trial.before.sent != trial.after.sent { affected += 1 }
        guard weight > 0 || activities == 1 else { return }
        shown.append((weight, Self.document(trial, snapshot)))
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

    private static func document(_ trial: ActivityTrial, _ snapshot: Snapshot) -> JSON {
        [
            "activity": .string(snapshot.activityID.rawValue),
            "changes": document(trial.changes),
            "alerts": [
                "before": .array(trial.toldBefore.prefix(Limits.whatIfAlertsMax).map(told)),
                "after": .array(trial.toldAfter.prefix(Limits.whatIfAlertsMax).map(told)),
            ],
            "pushes": [
                "before": .integer(trial.before.sent), "after": .integer(trial.after.sent),
            ],
        ]
    }

    private static func document(_ changes: WhatIfReport.Changes) -> JSON {
        [
            "added": .integer(changes.added), "removed": .integer(changes.removed),
            "moved": .integer(changes.moved), "reworded": .integer(changes.reworded),
        ]
    }

    private static func told(_ told: ActivityTrial.Told) -> JSON {
        [
            "version": .integer(told.version), "at": .string(told.at.rfc3339),
            "title": .string(told.title), "body": .string(told.body),
        ]
    }
}
