import EventStore
import HTTP
import JSON

struct AuditRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] {
        [Route(.get, "/v1/audit", .admin, list).acceptingQuery("before", "limit")]
    }

    private func list(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let (before, limit) = (
            try call.number("before", in: 1...Limits.positions.upperBound), try call.limit()
        )
        let found = try await environment.asked(
            "reading what was done", try await store.audit.list(caller.tenant, before, limit + 1))
        let (page, last) = found.page(of: limit)
        return .page(
            ["acts": .array(page.map(AuditDocument.act))],
            next: last.map { "/v1/audit?before=\($0.id)&limit=\(limit)" })
    }
}
