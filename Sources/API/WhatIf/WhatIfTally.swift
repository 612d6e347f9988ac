import Domain
import JSON
import Replay

/// One activity under both policies.
struct TriedActivity: Sendable {
    let result: ActivityTrial.Result
    let events: Int
    /// It has more events than one request looks at.
    let isPartial: Bool
}

struct WhatIfTally {
    /// What of the policy the clock goes by, whose reports are those that were recorded.
    let triedInPart: [String]
    private(set) var events = 0
    private var activities = 0
    private var leftOut = 0
    private var partial = 0
    private var affected = 0
    private var changes = WhatIfReport.Changes()
    private var alerts = (before: 0, after: 0)
    private var pushes = (before: 0, after: 0)
    /// The activities whose alerts change most. A single activity is shown even if nothing changes.
    private var shown: [(weight: Int, document: JSON)] = []

    init(triedInPart: [String] = []) { self.triedInPart = triedInPart }

    mutating func add(_ tried: TriedActivity, of snapshot: Snapshot) {
        let trial = tried.result
        events += tried.events
        activities += 1
        if trial.isLeftOut { leftOut += 1 }
        if tried.isPartial { partial += 1 }
        changes.add(trial.changes)
        alerts.before += trial.before.alerts
        alerts.after += trial.after.alerts
        pushes.before += trial.before.pushes
        pushes.after += trial.after.pushes
        let weight = trial.changes.total
        if weight > 0 || trial.before != trial.after { affected += 1 }
        guard weight > 0 || activities == 1 else { return }
        shown.append((weight, Self.document(tried, snapshot)))
        shown.sort { $0.weight > $1.weight }
        shown = Array(shown.prefix(Limits.whatIfShownMax))
    }

    func json(next: String?) -> JSON {
        [
            "activities": .integer(activities), "events": .integer(events),
            "activitiesLeftOut": .integer(leftOut), "activitiesPartial": .integer(partial),
            "activitiesAffected": .integer(affected), "changes": Self.document(changes),
            "triedInPart": .array(triedInPart.map(JSON.string)),
            "alerts": ["before": .integer(alerts.before), "after": .integer(alerts.after)],
            "pushes": ["before": .integer(pushes.before), "after": .integer(pushes.after)],
            "shown": .array(shown.map(\.document)), "next": .optional(next),
        ]
    }

    private static func document(_ tried: TriedActivity, _ snapshot: Snapshot) -> JSON {
        let trial = tried.result
        return [
            "activity": .string(snapshot.activityID.rawValue),
            "isPartial": .bool(tried.isPartial), "changes": document(trial.changes),
            "alerts": [
                "before": .array(trial.toldBefore.map(told)),
                "after": .array(trial.toldAfter.map(told)),
            ],
            "pushes": [
                "before": .integer(trial.before.pushes), "after": .integer(trial.after.pushes),
            ],
        ]
    }

    private static func document(_ changes: WhatIfReport.Changes) -> JSON {
        [
            "added": .integer(changes.added), "removed": .integer(changes.removed),
            "moved": .integer(changes.moved), "reworded": .integer(changes.reworded),
            "keptBack": .integer(changes.keptBack),
        ]
    }

    private static func told(_ told: ActivityTrial.Told) -> JSON {
        var document: JSON = [
            "version": .integer(told.version), "at": .string(told.at.rfc3339),
            "title": .string(told.alert.title), "body": .string(told.alert.body),
        ]
        let translations = told.alert.translations.sorted { $0.key.rawValue < $1.key.rawValue }
        if !translations.isEmpty {
            document["translations"] = .object(
                translations.map { language, words in
                    JSON.Member(
                        name: language.rawValue,
                        value: ["title": .string(words.title), "body": .string(words.body)])
                })
        }
        if let keys = told.alert.keys { document["keys"] = .encoded(WireCoder.encode(keys)) }
        return document
    }
}
