import Domain
import EventStore
import Foundation
import Postgres
import PostgresStore
import TestSupport
import Testing

struct AppendRaceTests {
    @Test func `positions and versions are dense under racing writers of two nodes`() async throws {
        let database = try await TestDatabase.make()
        let nodes = [database.store, EventStore.postgres(pool: database.makePool())]
        var tenants: [TenantID] = []
        for name in ["one", "two", "three"] {
            tenants.append(try await nodes[0].tenants.ensure(name).id)
        }
        let everyone = tenants
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<24 {
                group.addTask {
                    for round in 0..<10 {
                        // Some events are reported by two writers.
                        let id = "\(writer / 2 * 2 + round % 2)-\(round)"
                        _ = try await nodes[writer % 2].log.append(
                            everyone[(writer / 2) % 3],
                            [
                                Samples.event(id, "order-\(round % 3)"),
                                Samples.event("\(writer)/\(round)", "order-\(writer % 4)"),
                            ])
                    }
                }
            }
            try await group.waitForAll()
        }
        for tenant in tenants {
            let events = try await nodes[1].log.read(tenant, 0, 10_000)
            #expect(events.map(\.position) == Array(1...Int64(events.count)))
            #expect(events.count >= 80)
            #expect(Set(events.map(\.event.id)).count == events.count)
            for stream in Dictionary(grouping: events, by: \.event.activityID).values {
                #expect(stream.map(\.version) == Array(1...Int64(stream.count)))
            }
            let times = events.map(\.recordedAt)
            #expect(times == times.sorted())
        }
    }

    @Test func `a gathered batch treats its requests one by one`() async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("acme").id
        // Three requests of one batch, as the appender sends them: the second conflicts with what
        // the first has just recorded, the third repeats it.
        let results = try await database.pool.query(
            """
            SELECT * FROM append_events(
                '{0,1,1,2}', array_fill($1::int4, '{4}'), '{a,a,a,a}', '{s,s,s,s}', '{x,y,x,x}',
                '{T,T,T,T}', '{1,1,1,1}', array_fill(timestamptz 'epoch', '{4}'),
                ARRAY['{"n":1}', '{}', '{"n":2}', '{"n":1}']::jsonb[], '{NULL,NULL,NULL,NULL}')
            """, [.int4(tenant.rawValue)])
        #expect(try results[0].get(0, as: ColumnArray<Int16>.self).values == [0, 4, 2, 1])
        #expect(try results[0].get(1, as: ColumnArray<Int64>.self).values == [1, 0, 1, 1])
        #expect(try await database.store.log.head(tenant) == 1)
    }

    @Test func `a follower never skips an event whose transaction was open for long`() async throws
    {
        let database = try await TestDatabase.make()
        let store = database.store
        let tenant = try await store.tenants.ensure("acme").id
        let slow = try await database.pool.openDedicated()
        let append = """
            SELECT * FROM append_events(
                '{0}', ARRAY[$1::int4], '{a}', '{s}', '{slow}', '{T}', '{1}',
                ARRAY[timestamptz 'epoch'], ARRAY['{}']::jsonb[], '{NULL}')
            """
        try await slow.script("BEGIN")
        _ = try await slow.query(append, [.int4(tenant.rawValue)])
        // The second writer, on another node, is numbered later but would like to commit first.
        let other = EventStore.postgres(pool: database.makePool())
        async let fast = other.log.append(tenant, [Samples.event("fast")])
        try await database.waitForLock()
        #expect(try await store.log.read(tenant, 0, 10).isEmpty)
        try await Samples.foldAll(store)
        #expect(try await store.projections.checkpoint(tenant) == 0)
        try await slow.script("COMMIT")
        #expect(try await fast == [.recorded(position: 2, version: 1)])
        #expect(try await store.log.read(tenant, 0, 10).map(\.event.id) == ["slow", "fast"])
        try await Samples.foldAll(store)
        #expect(try await store.projections.checkpoint(tenant) == 2)
    }

    @Test func `a batch for two tenants cannot deadlock with its mirror image`() async throws {
        let database = try await TestDatabase.make()
        let one = try await database.store.tenants.ensure("one").id.rawValue
        let two = try await database.store.tenants.ensure("two").id.rawValue
        let append = """
            SELECT * FROM append_events(
                '{0,1}', ARRAY[$1::int4, $2::int4], '{a,a}', '{s,s}', ARRAY[$3, $3], '{T,T}',
                '{1,1}', array_fill(timestamptz 'epoch', '{2}'), ARRAY['{}', '{}']::jsonb[],
                '{NULL,NULL}')
            """
        let pool = database.makePool(connectionsMax: 8)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                let order = number.isMultiple(of: 2) ? [one, two] : [two, one]
                group.addTask {
                    _ = try await pool.query(
                        append, [.int4(order[0]), .int4(order[1]), .text("\(number)")])
                }
            }
            try await group.waitForAll()
        }
        #expect(try await database.store.log.head(TenantID(rawValue: one)) == 100)
        #expect(try await database.store.log.head(TenantID(rawValue: two)) == 100)
    }

    @Test func `a caller that gives up while queued records nothing`() async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("acme").id
        let blocker = try await database.pool.openDedicated()
        try await blocker.script("BEGIN; SELECT FROM log_head FOR UPDATE")
        let store = database.store
        async let first = store.log.append(tenant, [Samples.event("first")])
        try await database.waitForLock()
        let given = Task { try await store.log.append(tenant, [Samples.event("given up")]) }
        given.cancel()
        await #expect(throws: EventStoreError.self) { try await given.value }
        try await blocker.script("COMMIT")
        #expect(try await first == [.recorded(position: 1, version: 1)])
        #expect(try await store.log.append(tenant, [Samples.event("last")]).first?.position == 2)
    }

    @Test(arguments: ["kept", "duplicate"])
    func `what was sent ahead of an append that came to nothing comes to nothing too`(
        first: String
    ) async throws {
        let database = try await TestDatabase.make()
        let store = database.store
        let tenant = try await store.tenants.ensure("acme").id
        // From the third on the node relies on what it knows of the log.
        for id in ["duplicate", "b", "c"] {
            _ = try await store.log.append(tenant, [Samples.event(id)])
        }
        let other = try await database.pool.openDedicated()
        try await other.script("BEGIN")
        _ = try await other.query(
            """
            SELECT * FROM append_events(
                '{0}', ARRAY[$1::int4], '{order-9}', '{s}', '{other}', '{T}', '{1}',
                ARRAY[timestamptz 'epoch'], ARRAY['{}']::jsonb[], '{NULL}')
            """, [.int4(tenant.rawValue)])
        async let delayed = store.log.append(tenant, [Samples.event(first)])
        try await database.waitForLock()
        // As many events as the other node's transaction: the position alone would look right.
        async let ahead = store.log.append(tenant, [Samples.event("ahead")])
        try await Task.sleep(for: .milliseconds(50))
        try await other.script("COMMIT")
        let isNew = first == "kept"
        #expect(
            try await delayed == [
                isNew
                    ? .recorded(position: 5, version: 4) : .alreadyKnown(position: 1, version: 1)
            ])
        #expect(
            try await ahead == [
                .recorded(position: isNew ? 6 : 5, version: isNew ? 5 : 4)
            ])
    }
}
