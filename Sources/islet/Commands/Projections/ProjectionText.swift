import Domain
import EventStore
import Pipeline
import Terminal

/// Projections for a person at a terminal.
enum ProjectionText {
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
                    "\(status.generation)", "\(status.parked)", "\(status.faulted)",
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
            let events = result.released == 1 ? "event" : "events"
            let rest =
                result.remaining == 0
                ? "nothing stays parked"
                : "\(result.remaining) stay parked (\(result.reason ?? ""))"
            return "\(result.activityID): \(result.released) \(events) released, \(rest)"
        }
    }

    private static func rebuild(_ rebuild: RebuildProgress) -> String {
        let share = rebuild.target == 0 ? 100 : rebuild.position * 100 / rebuild.target
        return "generation \(rebuild.generation), \(share)%" + (rebuild.isPaused ? ", paused" : "")
    }
}
