import Domain
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

struct EventLogTests {
    @Test func `events come back as they went, numbered from one`() async throws {
        let store = try await TestDatabase.make().store
        let tenant = try await store.tenants.ensure("acme")
        let events = [Samples.event("1"), Samples.event("2", "order-2"), Samples.event("3")]
        let outcomes = try await store.log.append(tenant.id, events)
        #expect(
            outcomes == [
                .recorded(position: 1, version: 1), .recorded(position: 2, version: 1),
                .recorded(position: 3, version: 2),
            ])
        let recorded = try await store.log.read(tenant.id, 0, 10)
        #expect(recorded.map(\.event) == events)
        #expect(recorded.map(\.position) == [1, 2, 3])
        let stream = try await store.log.readActivity(
            tenant.id, ActivityID(rawValue: "order-1"), 1, 10)
        #expect(stream.map(\.position) == [3])
        #expect(try await store.log.head(tenant.id) == 3)
        #expect(try await store.log.append(tenant.id, []) == [])
    }

    @Test func `the same event again is known, whatever its JSON looks like`() async throws {
        let store = try await TestDatabase.make().store
        let tenant = try await store.tenants.ensure("acme").id
        _ = try await store.log.append(tenant, [Samples.event("1", data: #"{"a":1,"b":2}"#)])
        let again = try await store.log.append(
            tenant, [Samples.event("1", data: #"{ "b": 2, "a": 1 }"#), Samples.event("2")])
        #expect(
            again == [
                .alreadyKnown(position: 1, version: 1), .recorded(position: 2, version: 2),
            ])
        let twice = try await store.log.append(tenant, [Samples.event("3"), Samples.event("3")])
        #expect(
            twice == [
                .recorded(position: 3, version: 3), .alreadyKnown(position: 3, version: 3),
            ])
        #expect(try await store.log.head(tenant) == 3)
    }

    @Test func `an id with other content is a conflict and nothing is recorded`() async throws {
        let store = try await TestDatabase.make().store
        let tenant = try await store.tenants.ensure("acme").id
        _ = try await store.log.append(tenant, [Samples.event("1")])
        let mixed = try await store.log.append(
            tenant,
            [
                Samples.event("2"), Samples.event("1"), Samples.event("2"),
                Samples.event("1", data: "{}"),
            ])
        #expect(
            mixed == [
                .notRecorded, .alreadyKnown(position: 1, version: 1), .notRecorded,
                .contentConflict(position: 1),
            ])
        for changed in [
            Samples.event("1", "order-2"), changedType(), changedSchema(), changedTime(),
        ] {
            #expect(
                try await store.log.append(tenant, [changed]) == [.contentConflict(position: 1)])
        }
        let within = try await store.log.append(
            tenant, [Samples.event("4"), Samples.event("4", data: "{}")])
        #expect(within == [.notRecorded, .batchConflict])
        #expect(try await store.log.head(tenant) == 1)
    }

    private func changedType() -> NewEvent {
        var event = Samples.event("1")
        event.type = "Sample.Other"
        return event
    }

    private func changedSchema() -> NewEvent {
        var event = Samples.event("1")
        event.schemaVersion = 2
        return event
    }

    private func changedTime() -> NewEvent {
        var event = Samples.event("1")
        event.occurredAt = event.occurredAt.adding(microseconds: 1)
        return event
    }

    @Test func `an expected version must be the activity's version`() async throws {
        let store = try await TestDatabase.make().store
        let tenant = try await store.tenants.ensure("acme").id
        let first = try await store.log.append(tenant, [Samples.event("1", expectedVersion: 0)])
        #expect(first == [.recorded(position: 1, version: 1)])
        let stale = try await store.log.append(
            tenant, [Samples.event("2"), Samples.event("3", expectedVersion: 1)])
        #expect(stale == [.notRecorded, .versionConflict(actual: 2)])
        let fresh = try await store.log.append(
            tenant,
            [Samples.event("2", expectedVersion: 1), Samples.event("3", expectedVersion: 2)])
        #expect(
            fresh == [.recorded(position: 2, version: 2), .recorded(position: 3, version: 3)])
        // A retry is a retry, although the version has moved on.
        let retry = try await store.log.append(tenant, [Samples.event("1", expectedVersion: 0)])
        #expect(retry == [.alreadyKnown(position: 1, version: 1)])
    }

    @Test func `a source is part of an event's identity, a tenant too`() async throws {
        let store = try await TestDatabase.make().store
        let one = try await store.tenants.ensure("one").id
        let two = try await store.tenants.ensure("two").id
        var elsewhere = Samples.event("1", data: "{}")
        elsewhere.source = "elsewhere"
        _ = try await store.log.append(one, [Samples.event("1")])
        #expect(
            try await store.log.append(one, [elsewhere]) == [.recorded(position: 2, version: 2)])
        #expect(
            try await store.log.append(two, [elsewhere]) == [.recorded(position: 1, version: 1)])
        #expect(try await store.log.read(two, 0, 10).count == 1)
    }

    @Test func `what the database refuses costs its own caller only`() async throws {
        let database = try await TestDatabase.make()
        let store = database.store
        let tenant = try await store.tenants.ensure("acme").id
        let unknown = TenantID(rawValue: 999)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<50 {
                group.addTask {
                    _ = try await store.log.append(tenant, [Samples.event("good-\(number)")])
                    return true
                }
                group.addTask {
                    let bad = Samples.event("bad-\(number)", data: #"{"x":"\#\u0000"}"#)
                    let request = number.isMultiple(of: 2) ? (tenant, bad) : (unknown, bad)
                    do throws(EventStoreError) {
                        _ = try await store.log.append(request.0, [request.1])
                        return false
                    } catch {
                        return !error.isTransient
                    }
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        #expect(try await store.log.head(tenant) == 50)
        let rows = try await database.pool.query("SELECT count(*) FROM event")
        #expect(try rows[0].get(0) == Int64(50))
    }

    @Test func `the database refuses to change or remove events`() async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("acme").id
        _ = try await database.store.log.append(tenant, [Samples.event("1")])
        for sql in [
            "UPDATE event SET data = '{}'", "DELETE FROM event", "TRUNCATE event",
            "DELETE FROM event WHERE position = 1",
            "INSERT INTO event SELECT * FROM event ON CONFLICT (tenant, position) "
                + "DO UPDATE SET data = '{}'",
        ] {
            let error = await #expect(throws: PostgresError.self) {
                try await database.pool.query(sql)
            }
            #expect(error?.sqlState == "23001")
        }
        #expect(try await database.store.log.read(tenant, 0, 10).map(\.event.id) == ["1"])
    }
}
