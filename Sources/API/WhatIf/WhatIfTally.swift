import Domain
import JSON
import Replay

/// One activity under both policies.
struct TriedActivity: Sendable {
    let result: BothPolicies.Result
    let events: Int
    /// It has more events than one request looks at.
    let isPartial: Bool
}

struct WhatIfTally {
    /// A report about a tenant that the answer does not name.
    private(set) var report: WhatIfReport
    private var partial = 0
    /// The activities whose alerts change most. A single activity is shown even if nothing changes.
    private var shown: [(weight: Int, document: JSON)] = []

    /// - Parameter triedInPart: what of the policy the clock goes by, by its kind.
    init(triedInPart: [String: [String]]) {
        report = WhatIfReport(tenant: "", triedInPart: triedInPart)
    }

    mutating func add(_ tried: TriedActivity, of snapshot: Snapshot) {
        report.events += tried.events
        if tried.result.isLeftOut { report.activitiesLeftOut += 1 }
        if tried.isPartial { partial += 1 }
        report.add(tried.result, of: snapshot.activityID, snapshot.kind)
        let weight = tried.result.changes.total
        guard weight > 0 || report.activities == 1 else { return }
        shown.append((weight, Self.document(tried, snapshot)))
        shown.sort { $0.weight > $1.weight }
        shown = Array(shown.prefix(Limits.whatIfShownMax))
    }

    var json: JSON {
        [
            "activities": .integer(report.activities), "events": .integer(report.events),
            "activitiesLeftOut": .integer(report.activitiesLeftOut),
            "activitiesPartial": .integer(partial),
            "activitiesAffected": .integer(report.activitiesAffected),
            "changes": Self.document(report.changes),
            "triedInPart": .array(report.triedInPart.values.joined().map(JSON.string)),
            "alerts": Self.document(report.before.alerts, report.after.alerts),
            "pushes": Self.document(report.before.pushes, report.after.pushes),
            "shown": .array(shown.map(\.document)),
        ]
    }

    private static func document(_ tried: TriedActivity, _ snapshot: Snapshot) -> JSON {
        let trial = tried.result
        return [
            "activity": .string(snapshot.activityID.rawValue),
            "isPartial": .bool(tried.isPartial), "changes": document(trial.changes),
            "alerts": [
                "before": .array(trial.alertsBefore.map(alert)),
                "after": .array(trial.alertsAfter.map(alert)),
            ],
            "pushes": document(trial.before.pushes, trial.after.pushes),
        ]
    }

    private static func document(_ before: Int, _ after: Int) -> JSON {
        ["before": .integer(before), "after": .integer(after)]
    }

    private static func document(_ changes: WhatIfReport.Changes) -> JSON {
        [
            "added": .integer(changes.added), "removed": .integer(changes.removed),
            "moved": .integer(changes.moved), "reworded": .integer(changes.reworded),
            "keptBack": .integer(changes.keptBack),
        ]
    }

    private static func alert(_ sent: BothPolicies.SentAlert) -> JSON {
        var document: JSON = [
            "version": .integer(sent.version), "at": .string(sent.at.rfc3339),
            "title": .string(sent.alert.title), "body": .string(sent.alert.body),
        ]
        let translations = sent.alert.translations.sorted { $0.key.rawValue < $1.key.rawValue }
        if !translations.isEmpty {
            document["translations"] = .object(
                translations.map { language, text in
                    JSON.Member(
                        name: language.rawValue,
                        value: ["title": .string(text.title), "body": .string(text.body)])
                })
        }
        if let keys = sent.alert.keys { document["keys"] = .encoded(WireCoder.encode(keys)) }
        return document
    }
}
