import Domain
import EventStore
import Foundation
import HTTP
import TestSupport
import Testing

@testable import API

private let wallClock: @Sendable () -> Moment = {
    Moment(unixSeconds: Int64(Date().timeIntervalSince1970))
}

extension PostgresAPI {
    /// Figures of the last minutes, of each sort.
    fileprivate func addFigures() async throws {
        let minute = wallClock().unixSeconds / 60
        let rows = (1...50).map { back -> SeriesRow in
            let size = Int64(back % 7 + 1)
            var counts = SeriesCounts([
                SeriesCounts.events: 40 * size, SeriesCounts.alerts: size, SeriesCounts.begun: 2,
                SeriesCounts.measured: 4, SeriesCounts.onTime: min(4, size),
                SeriesCounts.lag: 120 * size, "verdict:alert": size, "verdict:timely": 3 * size,
                "verdict:quiet": 5 * size, "verdict:hold": size, "verdict:end": 1,
                "answer:accepted": 12 * size, "answer:BadDeviceToken": size,
            ])
            for millis in 1...20 {
                counts.add(latencySeconds: Double(millis * Int(size)) / 1_000)
            }
            return SeriesRow(
                tenant: tenant, minute: Moment(unixSeconds: (minute - Int64(back)) * 60),
                counts: counts)
        }
        try await store.series.add(rows)
    }
}

@Test(.timeLimit(.minutes(5)))
func `an operator looks after a tenant in a real browser, and a reader cannot`() async throws {
    let api = try await PostgresAPI.make(now: wallClock)
    try await api.store.tenants.addKey(api.tenant, PostgresAPI.hash("all"), Set(Scope.allCases))
    try await api.store.tenants.addKey(
        api.tenant, PostgresAPI.hash("reader"), [.activitiesRead])
    for order in ["order-1", "order-2"] { try await api.block(order) }
    try await api.place("order-3")
    try await api.report("DriverAssigned", "order-3", #"{"driverName":"Ada"}"#)
    try await api.fold()
    try await api.addFigures()
    let served = try await ServedAPI.start { await api.handler($0) }
    let run = try await runScript(
        "Browser/dashboard_office.py", ["http://127.0.0.1:\(served.port)"], python: browserPython)
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("ok: the console is silent"))
    await served.stop()
}
