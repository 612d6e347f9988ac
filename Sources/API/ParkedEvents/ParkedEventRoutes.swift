import Domain
import EventStore
import HTTP
import JSON
import Pipeline

/// Events that could not be folded, and what operators do about them.
struct ParkedEventRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] {
        [
            Route(.get, "/v1/parked-events", .activitiesRead, list)
                .acceptingQuery("activity", "skipped", "after", "limit"),
            Route(.post, "/v1/parked-events/{position}/retry", .admin, retry),
            Route(.post, "/v1/parked-events/{position}/skip", .admin, skip),
        ]
    }

    private func list(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let activity = try call.text("activity").map { ActivityID(rawValue: $0) }
        let isSkipped = try call.optionalFlag("skipped")
        let limit = try call.limit()
        let after = try call.number("after", in: Limits.positions) ?? 0
        let found = try await environment.asked(
            "reading parked events",
            try await store.upkeep.parked(
                caller.tenant, activity, isSkipped: isSkipped, after, limit + 1))
        let (page, last) = found.page(of: limit)
        let next = last.map {
            call.link(
                ["after=\($0.event.position)", "limit=\(limit)"], keeping: ["activity", "skipped"])
        }
        return .page(["parkedEvents": .array(page.map(ParkedEventDocument.event))], next: next)
    }

    private func retry(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let row = try await parked(call, caller)
        let results = try await environment.asked(
            "folding an activity again",
            try await Repair(store, tenant: caller.tenant).retry(row.event.activityID))
        guard let result = results.first else { throw Self.unknown }
        return .json(200, ParkedEventDocument.repair(result))
    }

    private func skip(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let row = try await parked(call, caller)
        let skipping = try await environment.asked(
            "skipping an event",
            try await Repair(store, tenant: caller.tenant).skip(row.event.position))
        switch skipping {
        case .skipped(let result), .skippedAlready(let result):
            return .json(200, ParkedEventDocument.repair(result))
        case .waits(let cause):
            throw ProblemDocument(
                .parkedEventConflict,
                "The event can be folded once the one before it is: that at position \(cause).")
        case .notParked: throw Self.unknown
        }
    }

    /// The parked event that the call names.
    private func parked(
        _ call: Call, _ caller: Caller
    ) async throws(ProblemDocument) -> ParkedRow {
        guard let position = Int64(digits: call.path["position"] ?? ""), position > 0
        else { throw Self.unknown }
        let row = try await environment.asked(
            "reading parked events",
            try await store.upkeep.parked(
                caller.tenant, nil, isSkipped: nil, position - 1, 1
            ).first)
        guard let row, row.event.position == position, !row.isSkipped else { throw Self.unknown }
        return row
    }

    private static let unknown = ProblemDocument(
        .unknownParkedEvent, "No event that waits is parked at this position.")
}
