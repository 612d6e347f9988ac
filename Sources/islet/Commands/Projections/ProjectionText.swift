import Domain
import EventStore
import JSON
import Pipeline
import Terminal

/// A tenant's projections for a person at a terminal, and for programs.
enum ProjectionText {
    static func document(_ status: ProjectionStatus) -> JSON {
        let rebuild = status.rebuild.map { rebuild -> JSON in
            [
                "generation": .integer(rebuild.generation), "position": .integer(rebuild.position),
                "isPaused": .bool(rebuild.isPaused), "reason": .string(rebuild.reason),
                "startedAt": .string(rebuild.startedAt.rfc3339),
            ]
        }
        let document: JSON = [
            "tenant": .string(status.tenant.name), "checkpoint": .integer(status.checkpoint),
            "head": .integer(status.head), "lagEvents": .integer(status.head - status.checkpoint),
            "lagSeconds": .number("\(status.lagSeconds)"),
            "generation": .integer(status.generation), "parked": .integer(status.parked),
            "skipped": .integer(status.skipped), "faulted": .integer(status.blocked),
            "rebuild": rebuild ?? .null,
        ]
        return document.printed()
    }

    static func table(_ statuses: [ProjectionStatus]) -> String {
        Table.text(
            [
                "TENANT", "CHECKPOINT", "HEAD", "LAG", "WAITED", "GENERATION", "PARKED", "FAULTED",
                "REBUILD",
            ],
            statuses.map { status in
                [
                    status.tenant.name, "\(status.checkpoint)", "\(status.head)",
                    "\(status.head - status.checkpoint)", "\(Int(status.lagSeconds))s",
                    "\(status.generation)", "\(status.parked)", "\(status.blocked)",
                    status.rebuild.map(rebuild) ?? "–",
                ]
            })
    }

    static func table(_ rows: [ParkedRow]) -> String {
        Table.text(
            ["POSITION", "ACTIVITY", "VERSION", "TYPE", "PARKED", "STATE", "REASON"],
            rows.map { row in
                [
                    "\(row.event.position)", row.event.activityID.rawValue, "\(row.version)",
                    row.type, row.parkedAt.rfc3339, row.isSkipped ? "skipped" : "parked",
                    row.event.reason,
                ]
            })
    }

    static func lines(_ results: [Repair.Result]) -> [String] {
        if results.isEmpty { return ["Nothing is parked."] }
        return results.map { result in
            let rest =
                result.remaining == 0
                ? "nothing stays parked"
                : result.remaining.counted("stays parked", "stay parked")
                    + " (\(result.reason ?? ""))"
            return "\(result.activityID): \(result.released.counted("event")) released, \(rest)"
        }
    }

    private static func rebuild(_ rebuild: RebuildProgress) -> String {
        let share = rebuild.target == 0 ? 100 : rebuild.position * 100 / rebuild.target
        return "generation \(rebuild.generation), \(share)%" + (rebuild.isPaused ? ", paused" : "")
    }
}
