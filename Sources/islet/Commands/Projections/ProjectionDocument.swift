import Domain
import EventStore
import Pipeline
import Terminal

/// A tenant's projections as one JSON document.
struct ProjectionDocument: Encodable {
    struct Rebuild: Encodable {
        var generation: Int32
        var position: Int64
        var isPaused: Bool
        var reason: String
        var startedAt: String
    }

    var tenant: String
    var checkpoint: Int64
    var head: Int64
    var lagEvents: Int64
    var lagSeconds: Double
    var generation: Int32
    var parked: Int64
    var skipped: Int64
    var faulted: Int64
    var rebuild: Rebuild?

    init(_ status: ProjectionStatus) {
        tenant = status.tenant.name
        checkpoint = status.checkpoint
        head = status.head
        lagEvents = status.head - status.checkpoint
        lagSeconds = status.lagSeconds
        generation = status.generation
        parked = status.parked
        skipped = status.skipped
        faulted = status.faulted
        rebuild = status.rebuild.map {
            Rebuild(
                generation: $0.generation, position: $0.position, isPaused: $0.isPaused,
                reason: $0.reason, startedAt: $0.startedAt.rfc3339)
        }
    }
}

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
