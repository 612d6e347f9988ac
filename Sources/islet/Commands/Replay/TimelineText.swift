import Domain
import EventStore
import Foundation
import Projections
import Replay

/// A timeline for a person at a terminal.
enum TimelineText {
    static func lines(_ timeline: Timeline) -> [String] {
        timeline.entries.flatMap(lines) + ["", summary(timeline)]
    }

    private static func lines(_ entry: Timeline.Entry) -> [String] {
        let event = entry.event
        var lines = [
            "",
            "v\(event.version)  \(event.event.occurredAt.rfc3339)  \(event.event.type)"
                + "  (position \(event.position), \(lateness(entry.latenessSeconds)))",
        ]
        for change in entry.changes {
            lines.append(
                "    \(change.member): \(change.before ?? "–") → \(change.after ?? "–")")
        }
        let screen = entry.presentation.lockScreen
            .map { $0.reading(at: entry.event.recordedAt) }.filter { !$0.isEmpty }
        lines.append("    shows    \(screen.joined(separator: " · "))")
        lines.append("    \(decision(entry.decision))")
        lines.append("    \(outcome(entry))")
        return lines
    }

    private static func lateness(_ seconds: Double) -> String {
        switch seconds {
        case ..<0: "recorded before it happened"
        case ..<1: "in time"
        case ..<120: "\(Int(seconds)) s late"
        case ..<7200: "\(Int(seconds / 60)) min late"
        default: "\(Int(seconds / 3600)) h late"
        }
    }

    private static func decision(_ decision: Decision) -> String {
        let verdict = decision.verdict.rawValue.uppercased()
        let padding = String(repeating: " ", count: max(1, 9 - verdict.count))
        let alert = decision.alert.map { " “\($0.title): \($0.body)”" } ?? ""
        let worth = decision.significance.map { " (\($0.rawValue))" } ?? ""
        return "\(verdict)\(padding)\(decision.rule)\(worth): \(decision.reason)\(alert)"
    }

    private static func outcome(_ entry: Timeline.Entry) -> String {
        guard let ledger = entry.ledger else { return "outcome  not in the ledger yet" }
        guard let outcome = ledger.outcome else {
            return ledger.decision.verdict.pushes ? "outcome  waits for the sender" : "outcome  –"
        }
        guard let timestamp = outcome.timestamp else { return "outcome  nobody was registered" }
        let carried =
            outcome.carriedBy == entry.event.version ? "" : ", carried by v\(outcome.carriedBy)"
        let channels = outcome.channels
        let broadcasts =
            channels.count == 0 ? "" : " and \(channels.accepted) of \(channels.count) broadcasts"
        return "outcome  APNs accepted it for \(outcome.accepted) of "
            + "\(outcome.phones) phones\(broadcasts), timestamp \(timestamp)"
            + carried
    }

    private static func summary(_ timeline: Timeline) -> String {
        let counts = Verdict.allCases.compactMap { verdict in
            let count = timeline.entries.count { $0.decision.verdict == verdict }
            return count == 0 ? nil : "\(count) \(verdict.rawValue)"
        }
        let events = timeline.entries.count
        return "\(timeline.activityID): \(events) event\(events == 1 ? "" : "s"); "
            + counts.joined(separator: ", ")
    }
}

/// A verification for a person at a terminal.
enum VerificationText {
    static func lines(_ report: VerificationReport) -> [String] {
        var lines = report.defects.map { defect in
            let place = [
                defect.activityID.map { "activity \($0)" },
                defect.position.map { "position \($0)" },
            ].compactMap { $0 }.joined(separator: ", ")
            return "\(defect.kind.rawValue)\(place.isEmpty ? "" : " (\(place))"): \(defect.detail)"
        }
        if report.defectsUnnamed > 0 { lines.append("… and \(report.defectsUnnamed) more") }
        let found = report.defects.count + report.defectsUnnamed
        lines.append(
            "\(report.tenant): \(report.events) events of \(report.activities) activities, "
                + "\(report.decisions) decisions checked"
                + (report.decisionsOfOtherRules == 0
                    ? "" : " (\(report.decisionsOfOtherRules) by other rules, not recomputed)")
                + "; "
                + (report.isSound ? "everything follows from the log" : "\(found) defects"))
        return lines
    }
}
