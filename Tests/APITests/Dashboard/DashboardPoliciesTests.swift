import Domain
import EventStore
import Foundation
import HTTP
import TestSupport
import Testing

@testable import API

@Test(.timeLimit(.minutes(5)))
func `a policy is changed in a real browser while others change it, and no draft is lost`()
    async throws
{
    let api = try await PostgresAPI.make(now: {
        Moment(unixSeconds: Int64(Date().timeIntervalSince1970))
    })
    try await api.store.tenants.addKey(api.tenant, PostgresAPI.hash("all"), Set(Scope.allCases))
    let bakery = try await api.store.tenants.ensure("bakery").id
    try await api.store.tenants.addKey(bakery, PostgresAPI.hash("theirs"), Set(Scope.allCases))
    try await api.place("order-1")
    try await api.report("DriverAssigned", "order-1", #"{"driverName":"Ada"}"#)
    try await api.fold()
    let served = try await ServedAPI.start { await api.handler($0) }
    let run = try await runScript(
        "Browser/dashboard_policies.py", ["http://127.0.0.1:\(served.port)"],
        python: browserPython)
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("ok: the console is silent"))
    await served.stop()
}
