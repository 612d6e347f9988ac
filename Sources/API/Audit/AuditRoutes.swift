import EventStore
import Foundation
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
        let (acts, isEnd) = try await environment.asked(
            "reading what was done",
            try await store.audit.page(
                of: caller.tenant, before, limit, bytesMax: Limits.auditPageBytesMax))
        let bytes = acts.reduce(0) { $0 + ($1.before?.count ?? 0) + ($1.after?.count ?? 0) }
        return try await caller.answer(rows: acts.count, bytes: bytes) {
            .page(
                ["acts": .array(acts.map(AuditDocument.act))],
                next: isEnd
                    ? nil : acts.last.map { "/v1/audit?before=\($0.id)&limit=\(limit)" })
        }
    }
}
