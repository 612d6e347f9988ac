import Domain
import EventLoop
import EventStore
import Foundation
import Pipeline
import PostgresStore
import Projections
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct `The clock` {
    private func runner(
        _ store: EventStore,
        now: @escaping @Sendable () async throws(EventStoreError) -> Moment = { .timeOfDay }
    ) -> ClockRunner {
        ClockRunner(store: store, now: now) { Issue.record("the clock failed: \($0)") }
    }

    private static let whole = [
        "BikeRide.RideStarted", ActivityClock.Event.wentStale.type,
        ActivityClock.Event.timeLimitReached.type,
        ActivityClock.Event.dismissed.type,
    ]

    @Test func `takes an activity of which nothing more is heard to its end`() async throws {
        let shop = try await Shop()
        let clock = runner(shop.store)
        try await shop.report("BikeRide.RideStarted")
        await shop.fold()
        #expect(try await clock.tick(at: .timeOfDay) == 0)
        var moment = Moment.timeOfDay
        for step in 2...4 {
            let due = try #require(try await shop.store.clock.nextDue(moment))
            #expect(try await clock.tick(at: due.adding(seconds: -1)) == 0)
            #expect(try await clock.tick(at: due) == 1)
            #expect(try await shop.types() == Array(Self.whole.prefix(step)))
            await shop.fold()
            moment = .timeOfDay
        }
        let decisions = try await shop.decisions()
        #expect(decisions.map(\.verdict) == [.timely, .hold, .end, .hold])
        #expect(decisions[2].rule == "timeLimit")
        let snapshot = try #require(try await shop.snapshot())
        #expect(snapshot.phase == .ended)
        #expect(snapshot.dueAt == nil)
        #expect(snapshot.blockage == nil)
        #expect(try await shop.store.clock.nextDue(Moment(unixSeconds: 0)) == nil)
    }

    @Test func `runs beside the projector by itself, with the day far advanced`() async throws {
        let shop = try await Shop()
        try await shop.report("BikeRide.RideStarted")
        let clock = runner(shop.store) { .hoursFromNow(24) }
        let projector = Projector(store: shop.store) { Issue.record("folding failed: \($0)") }
        let tasks = [Task { await clock.run() }, Task { await projector.run() }]
        try await waitUntil("the card is dismissed") {
            try await shop.decisions().map(\.verdict) == [.timely, .hold, .end, .hold]
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        #expect(try await shop.types() == Self.whole)
    }

    @Test func `goes by the clock of its database, whatever the node's says`() async throws {
        let shop = try await Shop()
        try await shop.report("BikeRide.RideStarted")
        await shop.fold()
        var store = shop.store
        store.clock = OtherClock(base: store.clock, secondsAhead: 24 * 3600)
        let clock = runner(store, now: store.time)
        let running = Task { await clock.run() }
        try await waitUntil("the ride has gone stale") { try await shop.types().count == 2 }
        running.cancel()
        await running.value
        #expect(try await shop.types() == Array(Self.whole.prefix(2)))
    }

    @Test func `says it once while its event waits to be folded`() async throws {
        let shop = try await Shop()
        let clock = runner(shop.store)
        try await shop.report("BikeRide.RideStarted")
        await shop.fold()
        #expect(try await clock.tick(at: .hoursFromNow(24)) == 1)
        #expect(try await shop.store.clock.due(.hoursFromNow(24), nil, 10) == [])
        #expect(try await shop.store.clock.nextDue(.timeOfDay) == nil)
        #expect(try await clock.tick(at: .hoursFromNow(24)) == 0)
        #expect(try await shop.store.log.head(shop.tenant) == 2)
    }

    @Test func `records an event once, however many nodes find it due`() async throws {
        let shop = try await Shop()
        let orders = (0..<20).map { ActivityID(rawValue: "ride-\($0)") }
        for order in orders { try await shop.report("BikeRide.RideStarted", "{}", order) }
        await shop.fold()
        let nodes = [
            shop.store, EventStore.postgres(pool: shop.database.makePool()),
            EventStore.postgres(pool: shop.database.makePool()),
        ].map { runner($0) }
        let moment = Moment.hoursFromNow(24)
        let recorded = try await withThrowingTaskGroup(of: Int.self) { group in
            for node in nodes { group.addTask { try await node.tick(at: moment) } }
            return try await group.reduce(0, +)
        }
        #expect(recorded == 20)
        #expect(try await shop.store.log.head(shop.tenant) == 40)
    }

    @Test func `goes through more than fits into one look`() async throws {
        let shop = try await Shop()
        for start in [0, 550] {
            _ = try await shop.store.log.append(shop.tenant, rides(start..<(start + 550)))
        }
        await shop.fold()
        #expect(try await runner(shop.store).tick(at: .hoursFromNow(24)) == 1_100)
    }

    private func rides(_ numbers: Range<Int>) -> [NewEvent] {
        numbers.map { number in
            NewEvent(
                id: "\(number)", source: "/shop", type: "BikeRide.RideStarted",
                activityID: ActivityID(rawValue: "ride-\(number)"),
                occurredAt: Moment(unixSeconds: 0), data: Data("{}".utf8))
        }
    }

    @Test func `goes on for others when the log of one tenant takes nothing`() async throws {
        let shop = try await Shop()
        let other = try await shop.store.tenants.ensure("other").id
        // More than fits into one look, and all of it comes before the other's.
        _ = try await shop.store.log.append(shop.tenant, rides(0..<550))
        _ = try await shop.store.log.append(other, rides(0..<1))
        await shop.fold()
        var store = shop.store
        let full = EventStoreError.overloaded(detail: "no room")
        store.log = ClosedLog(base: store.log, to: [shop.tenant], error: full)
        let errors = Lock<[EventStoreError]>([])
        let clock = ClockRunner(store: store, now: store.time) { error in
            errors.withLock { $0.append(error) }
        }
        #expect(try await clock.tick(at: .hoursFromNow(24)) == 1)
        #expect(errors.value == [full])
        #expect(try await shop.store.log.head(other) == 2)
        #expect(try await shop.store.log.head(shop.tenant) == 550)
        #expect(try await runner(shop.store).tick(at: .hoursFromNow(24)) == 550)
    }

    @Test func `gives a look up when the database takes nothing of two tenants`() async throws {
        let shop = try await Shop()
        let other = try await shop.store.tenants.ensure("other").id
        for tenant in [shop.tenant, other] {
            _ = try await shop.store.log.append(tenant, rides(0..<1))
        }
        await shop.fold()
        var store = shop.store
        let away = EventStoreError.unavailable(detail: "no answer")
        store.log = ClosedLog(base: store.log, to: [shop.tenant, other], error: away)
        let clock = runner(store)
        await #expect(throws: away) { try await clock.tick(at: .hoursFromNow(24)) }
    }

    @Test func `ends what it finds too late for fresh cards`() async throws {
        let shop = try await Shop()
        _ = try await shop.store.policies.put(
            shop.tenant, "BikeRide", nil,
            Data(#"{"thresholds":{"restartBeforeLimitSeconds":3600}}"#.utf8))
        try await shop.report("BikeRide.RideStarted")
        await shop.fold()
        let clock = runner(shop.store)
        for _ in 0..<2 {
            #expect(try await clock.tick(at: .hoursFromNow(24)) == 1)
            await shop.fold()
        }
        #expect(try await shop.types() == Array(Self.whole.prefix(3)))
        #expect(try await shop.decisions().map(\.verdict) == [.timely, .hold, .end])
    }

    @Test func `gives way to a report that comes first`() async throws {
        let shop = try await Shop()
        try await shop.report("BikeRide.RideStarted")
        await shop.fold()
        var store = shop.store
        store.clock = OtherClock(base: store.clock) {
            do { try await shop.report("BikeRide.RidePaused") } catch { Issue.record("\(error)") }
        }
        #expect(try await runner(store).tick(at: .hoursFromNow(24)) == 0)
        #expect(try await shop.types() == ["BikeRide.RideStarted", "BikeRide.RidePaused"])
    }

    @Test func `leaves a blocked activity alone`() async throws {
        let shop = try await Shop()
        try await shop.report("BikeRide.RideStarted")
        try await shop.report("BikeRide.RidePaused")
        try await shop.fold(parking: [2])
        #expect(try await shop.snapshot()?.blockage != nil)
        #expect(try await shop.snapshot()?.dueAt == nil)
        try await shop.change("UPDATE snapshot SET due_at = 'epoch'")
        #expect(try await runner(shop.store).tick(at: .hoursFromNow(24)) == 0)
    }

    @Test func `is not stopped by an event of another kind`() async throws {
        let shop = try await Shop()
        try await shop.report("BikeRide.RideStarted")
        try await shop.report("Match.FullTimeReached")
        await shop.fold()
        let clock = runner(shop.store)
        for _ in 0..<3 {
            #expect(try await clock.tick(at: .hoursFromNow(24)) == 1)
            await shop.fold()
        }
        #expect(try await shop.snapshot()?.phase == .ended)
        #expect(try await clock.tick(at: .hoursFromNow(24)) == 0)
    }

    @Test func `writes down the time of snapshots that were stored without one`() async throws {
        let shop = try await Shop()
        let clock = runner(shop.store)
        let ended = ActivityID(rawValue: "ended")
        try await shop.report("BikeRide.RideStarted")
        try await shop.report("BikeRide.RideEnded", "{}", ended)
        await shop.fold()
        let due = try #require(try await shop.snapshot()?.dueAt)
        _ = try await clock.tick(at: #require(try await shop.snapshot(ended)?.dueAt))
        await shop.fold()
        #expect(try await shop.snapshot(ended)?.dueAt == nil)
        // What the column has for rows from before it was there.
        try await shop.change("UPDATE snapshot SET due_at = DEFAULT")
        #expect(try await shop.snapshot()?.dueAt == Moment(unixSeconds: 0))
        let head = try await shop.store.log.head(shop.tenant)
        #expect(try await clock.tick(at: .timeOfDay) == 0)
        #expect(try await shop.snapshot()?.dueAt == due)
        #expect(try await shop.snapshot(ended)?.dueAt == nil)
        #expect(try await shop.store.log.head(shop.tenant) == head)
        #expect(try await shop.store.clock.due(.timeOfDay, nil, 10) == [])
    }

    @Test func `waits for the end of an import, and of catching up`() async throws {
        let shop = try await Shop()
        try await shop.report("BikeRide.RideStarted")
        await shop.fold()
        try await shop.change("UPDATE log_head SET recorded_at = '2022-12-18 18:00Z'")
        let clock = runner(shop.store)
        #expect(try await clock.tick(at: .hoursFromNow(24)) == 0)
        #expect(try await shop.store.clock.nextDue(.timeOfDay) == nil)
        try await shop.change(
            "UPDATE projection_checkpoint SET moved_at = clock_timestamp() - interval '2 minutes'")
        #expect(try await clock.tick(at: .hoursFromNow(24)) == 1)
    }

    @Test func `puts off what this version of Islet cannot read`() async throws {
        let shop = try await Shop()
        try await shop.report("BikeRide.RideStarted")
        await shop.fold()
        let moment = Moment.hoursFromNow(24)
        try await shop.change("UPDATE snapshot SET state = '{\"newer\":1}'")
        #expect(try await runner(shop.store).tick(at: moment) == 0)
        #expect(try await shop.snapshot()?.dueAt == moment.adding(seconds: 3_600))
        #expect(try await shop.store.clock.due(moment, nil, 10) == [])
    }
}

/// Takes nothing of some tenants.
private struct ClosedLog: ForwardingEventLog {
    let base: any EventLog
    let to: Set<TenantID>
    let error: EventStoreError

    func append(
        _ tenant: TenantID, _ events: [NewEvent], isAtomic: Bool
    ) async throws(EventStoreError) -> [AppendResult] {
        guard !to.contains(tenant) else { throw error }
        return try await base.append(tenant, events, isAtomic: isAtomic)
    }
}

/// Something happens right after a look at what is due, or the database has another time.
private struct OtherClock: ClockStore {
    let base: any ClockStore
    var secondsAhead: Double = 0
    var afterLook: @Sendable () async -> Void = {}

    func due(
        _ now: Moment, _ after: DueActivity.Place?, _ limit: Int
    ) async throws(EventStoreError) -> [DueActivity] {
        let page = try await base.due(now, after, limit)
        await afterLook()
        return page
    }

    func nextDue(_ now: Moment) async throws(EventStoreError) -> Moment? {
        try await base.nextDue(now)
    }

    func correct(_ activities: [DueActivity]) async throws(EventStoreError) {
        try await base.correct(activities)
    }

    func time() async throws(EventStoreError) -> Moment {
        try await base.time().adding(seconds: secondsAhead)
    }
}
