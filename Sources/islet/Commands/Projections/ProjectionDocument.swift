import Domain
import EventStore
import Pipeline

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

struct ParkedDocument: Encodable {
    var position: Int64
    var activity: String
    var version: Int64
    var type: String
    var parkedAt: String
    var isSkipped: Bool
    var reason: String

    init(_ row: ParkedRow) {
        position = row.event.position
        activity = row.event.activityID.rawValue
        version = row.version
        type = row.type
        parkedAt = row.parkedAt.rfc3339
        isSkipped = row.isSkipped
        reason = row.event.reason
    }
}

struct RepairDocument: Encodable {
    var activity: String
    var released: Int
    var remaining: Int
    var reason: String?

    init(_ result: Repair.Result) {
        activity = result.activityID.rawValue
        released = result.released
        remaining = result.remaining
        reason = result.reason
    }
}
