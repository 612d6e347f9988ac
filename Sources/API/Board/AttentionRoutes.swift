import Domain
import EventStore
import HTTP
import JSON

/// What needs a hand. Dashboards ask for it every few seconds.
struct AttentionRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] { [Route(.get, "/v1/attention", .activitiesRead, attention)] }

    private func attention(
        _ call: Call, _ caller: Caller
    ) async throws(ProblemDocument) -> Response {
        let attention = try await environment.asked(
            "looking for what needs a hand",
            try await store.board.attention(caller.tenant, environment.now()))
        let letters = try await environment.asked(
            "looking for what needs a hand", try await store.deadLetters.counts(caller.tenant))
        let webhooks = try await environment.asked(
            "looking for what needs a hand", try await store.webhooks.all(caller.tenant, nil))
        let document: JSON = [
            "alarms": .array(attention.alarms.named(attention.deferred).map(AppDocument.alarm)),
            "alarmsMore": .integer(attention.alarms.unnamedCount),
            "waiting": .array(
                attention.deferred.named.map { AppDocument.waiting($0, attention.alarms) }),
            "waitingMore": .integer(attention.deferred.unnamedCount),
            "faulted": .integer(attention.blocked),
            "parked": .integer(attention.parked),
            "late": .integer(attention.late),
            "deadLetters": DeadLetterDocument.counts(letters),
            "webhooks": [
                "failing": .integer(
                    webhooks.count { $0.0.stoppedAt == nil && $0.0.health.failures > 0 }),
                "disabled": .integer(webhooks.count { $0.0.stoppedAt != nil }),
            ],
            "behind": .integer(max(0, attention.freshness.head - attention.freshness.position)),
            "behindSince": .optional(attention.unfoldedSince?.rfc3339),
            "checks": .array(await complaints()),
            "hasPhone": .bool(attention.hasPhone),
            "hasPush": .bool(attention.hasPush),
        ]
        return .reading(call, document, attention.freshness)
    }

    /// What this node finds wrong with itself and its database, such as a standby that is away.
    private func complaints() async -> [JSON] {
        var complaints: [JSON] = []
        for check in environment.healthChecks {
            if case .unhealthy(let detail) = await check.probe() {
                complaints.append(["name": .string(check.name), "detail": .string(detail)])
            }
        }
        return complaints
    }
}
