import Domain
import EventLoop
import EventStore
import Postgres
import TestSupport
import Testing

@testable import Pipeline

struct `A checkpoint that lags` {
    private let tenant = TenantID(rawValue: 1)

    private func lag(_ checkpoint: Int64, waited: Double, stood: Double? = nil) -> ProjectionLag {
        ProjectionLag(
            tenant: tenant, checkpoint: checkpoint, head: 9, waitedSeconds: waited,
            unmovedSeconds: stood ?? waited)
    }

    @Test func `is reported once when it stands still and once when it moves again`() {
        var monitor = LagMonitor(secondsMax: 30)
        #expect(monitor.observe([lag(4, waited: 20)]) == [])
        #expect(monitor.observe([lag(4, waited: 29)]) == [])
        let still = lag(4, waited: 31)
        #expect(monitor.observe([still]) == [.stalled(still)])
        #expect(monitor.observe([lag(4, waited: 36)]) == [])
        #expect(monitor.stalled[tenant]?.waitedSeconds == 36)
        #expect(monitor.observe([lag(6, waited: 36, stood: 1)]) == [.movesAgain(tenant)])
        #expect(monitor.observe([]) == [])
        #expect(monitor.stalled.isEmpty)
    }

    @Test func `is fine while it moves, however far behind it is`() {
        var monitor = LagMonitor(secondsMax: 30)
        for position in 1...8 {
            let diagnostics = monitor.observe([lag(Int64(position), waited: 86_400, stood: 0.1)])
            #expect(diagnostics == [])
        }
        #expect(monitor.observe([lag(8, waited: 86_400, stood: 2)]) == [])
    }

    @Test func `is fine while nothing waits for long, however long it has stood`() {
        var monitor = LagMonitor(secondsMax: 30)
        #expect(monitor.observe([lag(4, waited: 0.1, stood: 86_400)]) == [])
        #expect(monitor.observe([lag(4, waited: 3, stood: 86_400)]) == [])
        #expect(monitor.stalled.isEmpty)
    }

    @Test func `is given a second look after a start`() {
        var monitor = LagMonitor(secondsMax: 30)
        #expect(monitor.observe([lag(4, waited: 3_600)]) == [])
        #expect(monitor.observe([lag(5, waited: 3_600)]) == [])
        #expect(monitor.stalled.isEmpty)
    }

    @Test func `is among the facts while a follower locks it, and not afterwards`() async throws {
        let shop = try await Shop()
        let diagnostics = Lock<[LagWatch.Diagnostic]>([])
        let watch = LagWatch(store: shop.store, secondsMax: 0.2, now: { .timeOfDay }) {
            diagnostic in
            diagnostics.withLock { $0.append(diagnostic) }
        }
        #expect(await watch.facts == nil)
        await watch.look()
        let calm = try #require(await watch.facts)
        #expect(calm.events == 0 && calm.seconds == 0)
        #expect(calm.stalled.isEmpty && calm.worst.isEmpty)
        try await shop.place()
        let pool = shop.database.makePool(connectionsMax: 1)
        try await pool.withTransaction { (connection) async throws(PostgresError) in
            _ = try await connection.query("SELECT FROM projection_checkpoint FOR UPDATE")
            // A wedged follower: others pass its tenant over.
            await shop.fold()
            try? await waitUntil("the watch has noticed") {
                await watch.look()
                return await watch.facts?.stalled.isEmpty == false
            }
            let facts = await watch.facts
            #expect(facts?.stalled.map(\.tenant) == [shop.tenant])
            #expect(facts?.worst.map(\.tenant) == [shop.tenant])
            #expect(facts?.events == 1 && facts?.stalled.first?.checkpoint == 0)
            #expect(facts?.seconds == facts?.worst.first?.waitedSeconds)
            await watch.look()
        }
        await shop.fold()
        await watch.look()
        #expect(await watch.facts?.stalled == [])
        let told = diagnostics.value
        #expect(told.count == 2)
        guard case .lag(.stalled) = told.first else {
            Issue.record("\(told)")
            return
        }
        #expect(told.last == .lag(.movesAgain(shop.tenant)))
        await pool.close()
    }

    /// However long an event may wait before somebody is called.
    @Test(arguments: [1.0, 30, 3_600])
    func `is among the facts for 20 seconds after the database was last seen`(
        secondsMax: Double
    ) async throws {
        let database = try await TestDatabase.make()
        let watch = LagWatch(
            store: database.store, secondsMax: secondsMax, now: { .timeOfDay }, report: { _ in })
        await watch.look()
        #expect(await watch.facts(at: .now + .seconds(15)) != nil)
        #expect(await watch.facts(at: .now + .seconds(20)) == nil)
    }
}

struct `A clock that nobody winds` {
    private func place(_ seconds: Int64, _ activity: String = "a") -> DueActivity.Place {
        DueActivity.Place(
            dueAt: Moment(unixSeconds: seconds), tenant: TenantID(rawValue: 1),
            activityID: ActivityID(rawValue: activity))
    }

    @Test func `is reported once when the same has been due for too long`() {
        var monitor = ClockMonitor(secondsMax: 30)
        let due = place(1_000)
        #expect(monitor.observe(nil, at: Moment(unixSeconds: 999)) == nil)
        #expect(monitor.observe(due, at: Moment(unixSeconds: 5_000)) == nil)
        #expect(monitor.observe(due, at: Moment(unixSeconds: 5_030)) == nil)
        #expect(monitor.observe(due, at: Moment(unixSeconds: 5_031)) == .stalled(due))
        #expect(monitor.stalled == due)
        #expect(monitor.observe(due, at: Moment(unixSeconds: 5_036)) == nil)
        #expect(monitor.observe(place(1_001), at: Moment(unixSeconds: 5_040)) == .movesAgain)
        #expect(monitor.stalled == nil)
    }

    @Test func `is fine while it works off what is due`() {
        var monitor = ClockMonitor(secondsMax: 30)
        for second in 0..<200 {
            let due = place(1_000, "\(second / 20)")
            #expect(monitor.observe(due, at: Moment(unixSeconds: 5_000 + Int64(second))) == nil)
        }
    }

    @Test func `is among the facts until it runs again`() async throws {
        let shop = try await Shop()
        try await shop.report("BikeRide.RideStarted")
        await shop.fold()
        let time = Lock<Double>(23)
        let watch = LagWatch(
            store: shop.store, secondsMax: 60, now: { .hoursFromNow(time.value) },
            report: { _ in })
        await watch.look()
        #expect(try #require(await watch.facts).clockStalledAt == nil)
        time.withLock { $0 = 24 }
        await watch.look()
        #expect(await watch.facts?.clockStalledAt?.tenant == shop.tenant)
        let clock = ClockRunner(store: shop.store, now: { .hoursFromNow(24) }, report: { _ in })
        for _ in 0..<3 {
            try await clock.tick(at: .hoursFromNow(24))
            await shop.fold()
        }
        await watch.look()
        #expect(try #require(await watch.facts).clockStalledAt == nil)
    }
}
