import Domain
import EventStore
import Foundation
import Pipeline
import Postgres
import PostgresStore
import ProjectFiles
import Replay
import Testing
import TestSupport

@testable import Archive

struct `An import` {
    private let place = Place()

    /// The events that the demo plays, recorded through the usual door.
    private func recordStories(_ store: EventStore, _ name: String) async throws -> Tenant {
        let tenant = try await store.tenants.ensure(name)
        for file in ["pizza-orders.ndjson", "world-cup-2022-final.ndjson"] {
            let text = try ProjectFiles.text("Sources/Demo/Fixtures/\(file)")
            for line in text.split(separator: "\n") {
                let event = try JSONDecoder().decode(Story.self, from: Data(line.utf8))
                _ = try await store.log.append(tenant.id, [event.event(Data(line.utf8))])
            }
        }
        return tenant
    }

    private struct Story: Decodable {
        var id: String
        var source: String
        var type: String
        var subject: String
        var time: Moment

        func event(_ line: Data) throws -> NewEvent {
            let object = try JSONSerialization.jsonObject(with: line) as? [String: Any]
            return NewEvent(
                id: id, source: source, type: type, activityID: ActivityID(rawValue: subject),
                occurredAt: time,
                data: try JSONSerialization.data(withJSONObject: object?["data"] ?? [:]))
        }
    }

    private func everything(_ store: EventStore, _ tenant: Tenant) async throws -> [RecordedEvent] {
        try await store.log.read(tenant.id, 0, 100_000).map { event in
            var event = event
            event.tenant = TenantID(rawValue: 0)
            return event
        }
    }

    private func exported(
        _ store: EventStore, _ tenant: Tenant, _ selection: Selection = Selection(),
        to layout: Layout
    ) async throws {
        _ = try await Export.run(
            store.log, tenant: tenant, selection: selection, until: nil, to: layout,
            report: { _ in })
    }

    private func fold(_ store: EventStore) async throws {
        while try await store.projections.foldNext(nil, 100, BatchFolder.fold) != nil {}
    }

    @Test func `into an empty log gives the same log, and folds to the same bytes`() async throws {
        let here = try await TestDatabase.make()
        let there = try await TestDatabase.make()
        let original = try await recordStories(here.store, "acme")
        let layout = place.layout(segmentEvents: 30)
        try await exported(here.store, original, to: layout)
        let summary = try await there.take(layout, into: "copy")
        #expect(summary.keepsPositions)
        #expect(summary.recorded > 60 && summary.recorded == summary.events)
        let copy = try await there.store.tenants.ensure("copy")
        let events = try await everything(here.store, original)
        #expect(try await everything(there.store, copy) == events)

        try await fold(here.store)
        try await fold(there.store)
        let report = try await Verifier.verify(
            History(there.store, of: copy), depth: .decisions)
        #expect(report.isSound)
        let snapshots = try await here.store.snapshots(of: original.id)
        #expect(try await there.store.snapshots(of: copy.id) == snapshots)
        #expect(snapshots.count > 2)
    }

    @Test func `repeated is harmless, also after half of it`() async throws {
        let database = try await TestDatabase.make()
        let original = try await recordStories(database.store, "acme")
        let whole = place.layout("whole")
        try await exported(database.store, original, to: whole)
        let half = place.layout("half")
        _ = try await Export.run(
            database.store.log, tenant: original, selection: Selection(),
            until: 33, to: half, report: { _ in })
        let events = try await everything(database.store, original)

        #expect(try await database.take(half, into: "copy").recorded == 33)
        let rest = try await database.take(whole, into: "copy")
        #expect((rest.recorded, rest.alreadyKnown) == (events.count - 33, 33))
        #expect(rest.keepsPositions)
        let again = try await database.take(whole, into: "copy")
        #expect((again.recorded, again.alreadyKnown) == (0, events.count))
        let copy = try await database.store.tenants.ensure("copy")
        #expect(try await everything(database.store, copy) == events)
        // Into the log that it came from as well.
        #expect(try await database.take(whole, into: "acme").recorded == 0)
        #expect(try await everything(database.store, original) == events)
    }

    @Test func `says of how many activities an earlier export must come first`() async throws {
        let database = try await TestDatabase.make()
        // Each of the four orders begins in the first export.
        let log = MemoryLog(count: 40)
        let (first, second) = (place.layout("first"), place.layout("second"))
        try await log.export(until: 20, to: first)
        try await log.export(Selection(after: 20), to: second)
        let early = try await database.take(second, into: "wrong")
        #expect(early.withoutBeginning == 4)
        #expect(early.firstWithoutBeginning == log.events[20].event.activityID.rawValue)
        #expect(try await database.take(second, into: "wrong").withoutBeginning == 4)
        for layout in [first, second] {
            let summary = try await database.take(layout, into: "right")
            #expect(summary.withoutBeginning == 0 && summary.firstWithoutBeginning == nil)
        }
    }

    @Test func `into a log with events follows them, in order and never back in time`() async throws
    {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("acme")
        let log = MemoryLog(count: 40)
        let layout = place.layout()
        try await log.export(to: layout)
        let own = NewEvent(
            id: "own", source: "tests", type: "Sample.Happened",
            activityID: ActivityID(rawValue: "order-1"), occurredAt: MemoryLog.time(0),
            data: Data("{}".utf8))
        _ = try await database.store.log.append(tenant.id, [own])
        #expect(try await !database.take(layout, into: "acme").keepsPositions)
        let events = try await database.store.log.read(tenant.id, 0, 100)
        #expect(events.map(\.position) == Array(1...41))
        #expect(events.dropFirst().map(\.event.id) == log.events.map(\.event.id))
        #expect(events.map(\.recordedAt) == Array(repeating: events[0].recordedAt, count: 41))
        for stream in Dictionary(grouping: events, by: \.event.activityID).values {
            #expect(stream.map(\.version) == Array(1...Int64(stream.count)))
        }
        let next = try await database.store.log.append(
            tenant.id,
            [
                NewEvent(
                    id: "next", source: "tests", type: "Sample.Happened",
                    activityID: ActivityID(rawValue: "order-1"), occurredAt: MemoryLog.time(0),
                    data: Data("{}".utf8))
            ])
        #expect(next.first?.isAccepted == true)
    }

    @Test func `of an event that is known otherwise stops and leaves its batch out`() async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("acme")
        let log = MemoryLog(count: 1_100)
        let layout = place.layout()
        try await log.export(to: layout)
        var altered = log.events[707].event
        altered.data = Data(#"{"n": "another"}"#.utf8)
        _ = try await database.store.log.append(tenant.id, [altered])
        await #expect(throws: ArchiveError.conflict(position: 708, here: 1)) {
            try await database.take(layout, into: "acme")
        }
        // The batch before it stays, as it would after a crash.
        #expect(try await database.store.log.head(tenant.id) == 501)
    }

    @Test func `of an event that comes twice takes the second one for known`() async throws {
        let database = try await TestDatabase.make()
        var log = MemoryLog(count: 6)
        for index in [3, 4] { log.events[index].event = log.events[1].event }
        let layout = place.layout()
        try await log.export(to: layout)
        let summary = try await database.take(layout, into: "acme")
        #expect((summary.recorded, summary.alreadyKnown) == (4, 2))
        #expect(!summary.keepsPositions)
        let tenant = try await database.store.tenants.ensure("acme")
        let ids = try await database.store.log.read(tenant.id, 0, 10).map(\.event.id)
        #expect(ids == ["e-0", "e-1", "e-2", "e-5"])
    }

    @Test func `of two events with one id stops at the second, and names both`() async throws {
        let database = try await TestDatabase.make()
        var log = MemoryLog(count: 9)
        for index in [4, 7] { log.events[index].event.id = "e-1" }
        let layout = place.layout()
        try await log.export(to: layout)
        await #expect(throws: ArchiveError.conflict(position: 5, here: 2)) {
            try await database.take(layout, into: "acme")
        }
        let tenant = try await database.store.tenants.ensure("acme")
        #expect(try await database.store.log.head(tenant.id) == 4)
    }

    @Test func `of a part of a log numbers it from 1 on`() async throws {
        let database = try await TestDatabase.make()
        let log = MemoryLog(count: 300)
        let layout = place.layout()
        try await log.export(Selection(activity: "order-2"), to: layout)
        let summary = try await database.take(layout, into: "analysis")
        #expect(!summary.keepsPositions)
        let tenant = try await database.store.tenants.ensure("analysis")
        let events = try await database.store.log.read(tenant.id, 0, 1_000)
        let originals = log.events.filter { $0.event.activityID.rawValue == "order-2" }
        #expect(events.map(\.event) == originals.map(\.event))
        #expect(events.map(\.recordedAt) == originals.map(\.recordedAt))
        #expect(events.map(\.version) == Array(1...Int64(originals.count)))
    }

    @Test func `wakes those who follow the log`() async throws {
        let database = try await TestDatabase.make()
        let layout = place.layout()
        try await MemoryLog(count: 5).export(to: layout)
        let tenant = try await database.store.tenants.ensure("acme")
        var notifications = database.store.notifications().makeAsyncIterator()
        // The stream says `resumed` once it listens.
        _ = await notifications.next()
        _ = try await database.take(layout, into: "acme")
        #expect(await notifications.next() == .happened(.appended, tenant.id))
    }

    @Test func `races with appends without a hole`() async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("acme")
        let layout = place.layout()
        try await MemoryLog(count: 3_000).export(to: layout)
        let other = EventStore.postgres(pool: database.makePool())
        async let imported = database.take(layout, into: "acme")
        for number in 0..<100 {
            let event = NewEvent(
                id: "live-\(number)", source: "tests", type: "Sample.Happened",
                activityID: ActivityID(rawValue: "order-\(number % 9)"),
                occurredAt: MemoryLog.time(0), data: Data("{}".utf8))
            _ = try await other.log.append(tenant.id, [event])
        }
        #expect(try await imported.recorded == 3_000)
        let events = try await database.store.log.read(tenant.id, 0, 10_000)
        #expect(events.map(\.position) == Array(1...3_100))
        #expect(events.map(\.recordedAt) == events.map(\.recordedAt).sorted())
        for stream in Dictionary(grouping: events, by: \.event.activityID).values {
            #expect(stream.map(\.version) == Array(1...Int64(stream.count)))
        }
    }
}
