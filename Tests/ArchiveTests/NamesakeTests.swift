import Domain
import EventStore
import Foundation
import Pipeline
import Postgres
import PostgresStore
import Projections
import StoreTestSupport
import TestSupport
import Testing

@testable import Archive

/// The archives have two activities of one name.
@Suite(.timeLimit(.minutes(3)))
struct `Archives of an activity that was dropped and reported again` {
    private static let name = ActivityID(rawValue: "table-7")
    private let place = Place()

    /// Reports the activity, and lets the clock take it to its end.
    private func live(_ id: String, _ database: TestDatabase, _ tenant: Tenant) async throws {
        let store = database.store
        let projector = Projector(store: store) { Issue.record($0) }
        let clock = ClockRunner(store: store, now: { .timeOfDay }) {
            Issue.record("the clock failed: \($0)")
        }
        let start = NewEvent(
            id: id, source: "/shop", type: "BikeRide.RideStarted", activityID: Self.name,
            occurredAt: .timeOfDay, data: Data("{}".utf8))
        _ = try await store.log.append(tenant.id, [start])
        await projector.drain()
        for _ in 0..<3 {
            let snapshot = try await store.projections.snapshot(tenant.id, Self.name)
            let due = try #require(snapshot?.dueAt)
            #expect(try await clock.tick(at: due) == 1)
            await projector.drain()
        }
    }

    private func archive(_ database: TestDatabase, _ tenant: Tenant) async throws -> Layout {
        let archive = try await Archiving.run(
            database.store, tenant,
            through: try await database.store.log.head(tenant.id), in: Layout(place.path)
        ) { _ in }
        return Layout(try #require(archive).place)
    }

    /// As if its pushes had been sent, and tomorrow.
    private func drop(_ database: TestDatabase, _ tenant: Tenant) async throws {
        try await database.alter(
            """
            UPDATE decision SET settled_at = now(), carried_by = version, accepted = 0, failed = 0
            WHERE settled_at IS NULL
            """)
        let dropped = try await Dropping.run(
            database.store, tenant,
            Retention(otherwise: Moment.timeOfDay.adding(seconds: 86_400)),
            in: Layout(place.path), open: { Layout($0) }, report: { _ in })
        #expect(dropped == DroppedActivities(activities: 1, events: 4))
    }

    @Test func `can be imported together, and it is said that one follows the other`()
        async throws
    {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("shop")
        try await live("1", database, tenant)
        let first = try await archive(database, tenant)
        try await drop(database, tenant)
        try await live("2", database, tenant)
        let second = try await archive(database, tenant)

        let earlier = try await database.take(first, into: "copy")
        #expect(earlier.recorded == 4 && earlier.keepsPositions)
        #expect(earlier.joined == 0 && earlier.firstJoined == nil)
        let later = try await database.take(second, into: "copy")
        #expect(later.recorded == 4 && !later.keepsPositions)
        #expect(later.joined == 1 && later.firstJoined == "table-7")
        let again = try await database.take(second, into: "copy")
        #expect(again.alreadyKnown == 4 && again.joined == 1)
        let copy = try await database.store.tenants.ensure("copy")
        let events = try await database.store.log.read(copy.id, 0, 100)
        #expect(events.map(\.version) == Array(1...8))
        #expect(Set(events.map(\.event.id)).count == 8)

        #expect(try await database.take(second, into: "apart").joined == 0)
        // The earlier one comes back to where the later one is.
        let back = try await database.take(first, into: "shop")
        #expect(back.recorded == 4 && back.joined == 1)
    }

    /// As earlier versions made the ids: of the version alone.
    @Test func `in which the clock's events have the same ids are refused by its name`()
        async throws
    {
        let database = try await TestDatabase.make()
        var log = MemoryLog(count: 0)
        for position in 1...4 {
            let isFirst = position % 2 == 1
            log.events.append(
                RecordedEvent(
                    tenant: MemoryLog.tenant.id, position: Int64(position),
                    version: isFirst ? 1 : 2, recordedAt: MemoryLog.time(position),
                    event: NewEvent(
                        id: isFirst ? "e-\(position)" : "ActivityClock.WentStale/1/table-7",
                        source: isFirst ? "tests" : ActivityClock.source,
                        type: isFirst ? "Sample.Happened" : ActivityClock.Event.wentStale.type,
                        activityID: Self.name, occurredAt: MemoryLog.time(position),
                        data: Data("{}".utf8))))
        }
        let (first, second) = (place.layout("first"), place.layout("second"))
        try await log.export(until: 2, to: first)
        try await log.export(Selection(after: 2), to: second)
        try await database.take(first, into: "copy")
        let refusal = ArchiveError.clockConflict(activity: "table-7", position: 4, here: 2)
        await #expect(throws: refusal) { try await database.take(second, into: "copy") }
        #expect(refusal.description.contains("table-7"))
        let copy = try await database.store.tenants.ensure("copy")
        #expect(try await database.store.log.head(copy.id) == 2)
        #expect(try await database.take(second, into: "apart").recorded == 2)
    }
}
