import Domain
import EventStore
import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

@testable import API

@Test(.timeLimit(.minutes(3)))
func `a person reads an activity's page while more is reported, in a real browser`() async throws {
    let api = try await PostgresAPI.make(now: {
        Moment(unixSeconds: Int64(Date().timeIntervalSince1970))
    })
    try await api.store.tenants.addKey(api.tenant, PostgresAPI.hash("all"), Set(Scope.allCases))
    try await api.place("order-4")
    try await api.park("order-4")
    try await api.place("order-9")
    try await api.place("order-10")
    try await api.place("order-12")
    _ = try await api.pool.query(
        """
        INSERT INTO registration (
            tenant, activity_id, push_token, environment, bundle_id, dead_at, is_unfit, closed_at,
            closed_by
        ) VALUES ($1, 'order-9', 'a', 'sandbox', 'com.example', now(), true, NULL, NULL),
            ($1, 'order-10', 'a', 'sandbox', 'com.example', NULL, false, now(), 'dismissed')
        """, [.int4(api.tenant.rawValue)])
    _ = try await api.pool.query(
        """
        INSERT INTO registration (
            tenant, activity_id, push_token, environment, bundle_id, attempts, last_failure,
            given_up_at
        )
        SELECT $1, 'order-12', n, 'sandbox', 'com.example', CASE n WHEN 70 THEN 5 ELSE 0 END,
            CASE n WHEN 70 THEN 'InternalServerError' END, CASE n WHEN 70 THEN now() END
        FROM generate_series(1, 70) n
        """, [.int4(api.tenant.rawValue)])
    try await api.fold()
    let served = try await ServedAPI.start { request in
        let response = await api.handler(request)
        // The projector's part: what was posted is folded at once.
        if request.method == "POST" { try? await api.fold() }
        return response
    }
    let run = try await runScript(
        "Browser/dashboard_activity.py", ["http://127.0.0.1:\(served.port)"], python: browserPython)
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("ok: the console is silent"))
    await served.stop()
}
