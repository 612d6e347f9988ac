import Archive
import BucketStandIn
import Domain
import EventStore
import Foundation
import ObjectStorage
import Pipeline
import Postgres
import PostgresStore
import Projections
import Replay
import StoreTestSupport
import TestSupport
import Testing

/// What has ended goes from the database into files.
@Suite(.timeLimit(.minutes(5)))
struct `A log that is archived` {
    private let long = Moment(rfc3339: "2026-01-01T12:00:00Z") ?? .timeOfDay

    private func event(_ id: String, _ activity: String, _ type: String) -> NewEvent {
        NewEvent(
            id: id, source: "/shop", type: "PizzaDelivery.\(type)",
            activityID: ActivityID(rawValue: activity), occurredAt: long, data: Data("{}".utf8))
    }

    private func script(_ database: TestDatabase, _ sql: String) async throws {
        try await database.alter(sql)
    }

    private func count(_ database: TestDatabase, _ sql: String) async throws -> Int {
        try await database.pool.query(sql).first?.get(0) ?? 0
    }

    /// Two orders, of which the first has ended and the second goes on; their events alternate.
    private func story(
        _ body: (TestDatabase, Tenant, _ directory: String) async throws -> Void
    ) async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("shop")
        let events = [
            event("1", "old", "OrderAccepted"), event("2", "open", "OrderAccepted"),
            event("3", "old", "OrderPickedUp"), event("4", "old", "OrderDelivered"),
            event("5", "open", "OrderPickedUp"),
        ]
        _ = try await database.store.log.append(tenant.id, events)
        let projector = Projector(store: database.store) { Issue.record($0) }
        #expect(await projector.drain() == 5)
        // As if all of it had been long ago, and sent.
        try await script(
            database,
            """
            UPDATE snapshot SET phase = 'ended', due_at = NULL,
                updated_at = now() - interval '40 d' WHERE activity_id = 'old';
            UPDATE decision SET settled_at = now(), carried_by = version, accepted = 0, failed = 0
            WHERE settled_at IS NULL;
            INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id)
            VALUES (\(tenant.id.rawValue), 'old', 'secrettoken', 'sandbox', 'app')
            """)
        let directory = NSTemporaryDirectory() + "islet-archive-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await body(database, tenant, directory)
    }

    private var retention: Retention {
        Retention(
            otherwise: Moment(microseconds: Int64(Date().timeIntervalSince1970) * 1_000_000)
                .adding(seconds: -86_400))
    }

    private func archive(
        _ database: TestDatabase, _ tenant: Tenant, _ root: Layout, through: Int64
    ) async throws -> LogArchive? {
        try await Archiving.run(
            database.store, tenant, through: through, in: root
        ) { _ in }
    }

    private func drop(
        _ database: TestDatabase, _ tenant: Tenant, _ root: Layout
    ) async throws -> DroppedActivities {
        try await Dropping.run(
            database.store, tenant, retention, in: root,
            open: { Layout($0) }, report: { _ in })
    }

    @Test func `loses what has ended, and keeps the rest whole, folded and verified`() async throws
    {
        try await story { database, tenant, directory in
            let archive = try #require(
                try await archive(database, tenant, Layout(directory), through: 5))
            #expect(archive.after == 0 && archive.through == 5)
            #expect(
                try await self.archive(database, tenant, Layout(directory), through: 5) == nil,
                "nothing is new")
            let dropped = try await drop(database, tenant, Layout(directory))
            #expect(dropped == DroppedActivities(activities: 1, events: 3))
            #expect(try await drop(database, tenant, Layout(directory)) == DroppedActivities())
            #expect(try await count(database, "SELECT count(*) FROM event") == 2)
            for table in ["decision", "registration", "snapshot"] {
                let left = try await count(
                    database, "SELECT count(*) FROM \(table) WHERE activity_id = 'old'")
                #expect(left == 0, "\(table)")
            }
            let ledger = try String(contentsOfFile: directory + "/ledger.ndjson", encoding: .utf8)
            #expect(ledger.contains(#""record":"decision""#))
            #expect(ledger.contains(#""bundle_id":"app""#))
            let owner = #""tenant":"shop","tenant_id":\#(tenant.id.rawValue),"#
            #expect(ledger.contains(#""record":"decision",\#(owner)"row":"#))
            #expect(!ledger.contains("secrettoken"))
            let reader = try await ArchiveReader.open(Layout(archive.place)) { _ in }
            #expect(try await reader.events(1...5).count == 5)
            await reader.close()

            // A later event of it starts with version 1, also on a node that remembers its version.
            let outcomes = try await database.store.log.append(
                tenant.id, [event("9", "old", "OrderAccepted")])
            #expect(outcomes == [.recorded(position: 6, version: 1)])
            let projector = Projector(store: database.store) { Issue.record($0) }
            #expect(await projector.drain() == 1)
            try await check(database, tenant)
        }
    }

    @Test func `goes to a bucket too, with a ledger of objects`() async throws {
        try await story { database, tenant, _ in
            try await BucketStandIn.with { standIn, endpoint in
                let root = try BucketStandIn.archives(at: endpoint)
                let archive = try #require(
                    try await archive(database, tenant, root, through: 5))
                #expect(archive.place == "s3://archive/shop/events-1-5")
                standIn.next("PUT", ".ndjson", .answer(status: 403, code: "AccessDenied"))
                await #expect(throws: ArchiveError.self) {
                    try await drop(database, tenant, root)
                }
                #expect(
                    try await count(database, "SELECT count(*) FROM event") == 5,
                    "nothing goes before it is written down")
                let dropped = try await drop(database, tenant, root)
                #expect(dropped == DroppedActivities(activities: 1, events: 3))
                let names = standIn.objects.keys.filter { $0.contains("/ledger.ndjson/") }
                #expect(names.count == 1)
                let ledger = String(
                    decoding: standIn.objects[names.first ?? ""] ?? [], as: UTF8.self)
                #expect(ledger.contains(#""record":"decision""#))
                #expect(!ledger.contains("secrettoken"))
            }
        }
    }

    /// Verified, rebuilt and verified again.
    private func check(_ database: TestDatabase, _ tenant: Tenant) async throws {
        let history = History(database.store, of: tenant)
        let report = try await Verifier.verify(history)
        // The test has said of its own that one has ended; it is gone.
        #expect(report.defects.isEmpty, "\(report.defects)")
        try await script(
            database, "SELECT count(*) FROM log_dropped; UPDATE log_dropped SET events = events + 1"
        )
        let lost = try await Verifier.verify(history)
        #expect(lost.defects.map(\.kind) == [.positionHole])
        try await script(database, "UPDATE log_dropped SET events = events - 1")
        #expect(try await database.store.identity.inconsistencies() == [])
        await #expect(throws: ReplayError.self) {
            try await history.require(ActivityID(rawValue: "never-there"))
        }
    }

    @Test func `keeps what is not archived, no matter who deletes it, and what is under way`()
        async throws
    {
        try await story { database, tenant, directory in
            await #expect(throws: PostgresError.self) {
                try await script(database, "DELETE FROM event WHERE position = 1")
            }
            _ = try await archive(database, tenant, Layout(directory), through: 3)
            #expect(
                try await drop(database, tenant, Layout(directory)) == DroppedActivities(),
                "its end is not archived")
            _ = try await archive(database, tenant, Layout(directory), through: 5)
            for obstacle in [
                "UPDATE registration SET retry_at = now()",
                "UPDATE snapshot SET due_at = now()", "UPDATE snapshot SET fault = 'x'",
                "UPDATE snapshot SET phase = 'live'",
                "UPDATE decision SET settled_at = NULL, carried_by = NULL, accepted = NULL, "
                    + "failed = NULL, verdict = 'quiet'",
                "INSERT INTO webhook (tenant, id, url, kinds, phases, position) VALUES "
                    + "(\(tenant.id.rawValue), 'w', 'https://h', '{}', '{}', 1)",
            ] {
                try await script(database, "\(obstacle)")
                let dropped = try await drop(database, tenant, Layout(directory))
                #expect(dropped.activities == 0, "\(obstacle)")
                try await script(
                    database,
                    """
                    UPDATE registration SET retry_at = NULL;
                    UPDATE snapshot SET due_at = NULL, fault = NULL, phase = 'ended'
                    WHERE activity_id = 'old';
                    UPDATE decision SET settled_at = now(), carried_by = version, accepted = 0,
                        failed = 0 WHERE settled_at IS NULL;
                    DELETE FROM webhook
                    """)
            }
            #expect(try await drop(database, tenant, Layout(directory)).activities == 1)
        }
    }

    @Test func `goes with its tenant, once all of it is archived`() async throws {
        try await story { database, tenant, directory in
            try await database.store.tenants.addKey(
                tenant.id, [UInt8](repeating: 7, count: 32), [.eventsWrite])
            await #expect(throws: EventStoreError.self) {
                try await database.store.retention.remove(tenant.id)
            }
            _ = try await archive(database, tenant, Layout(directory), through: 5)
            var calls = 0
            while try await database.store.retention.remove(tenant.id) > 0 { calls += 1 }
            #expect(calls > 0)
            #expect(try await database.store.tenants.all().isEmpty)
            #expect(try await count(database, "SELECT count(*) FROM event") == 0)
            // A node that had acknowledged something for it goes on.
            #expect(try await database.store.identity.heads([tenant.id]) == [tenant.id: .max])
        }
    }

    @Test func `is worked on by one process at a time`() async throws {
        let database = try await TestDatabase.make()
        let (store, tenant) = (database.store, try await database.store.tenants.ensure("shop"))
        let other = try await store.tenants.ensure("other")
        try await Archiving.alone(store, tenant) { () async throws(ArchiveError) in
            do throws(ArchiveError) {
                try await Archiving.alone(store, tenant) { _ = Issue.record("it was let in") }
            } catch {
                #expect(error == .busy(tenant: "shop"))
                #expect(error.description.contains(#"at work on tenant "shop""#))
            }
            #expect(try await Archiving.alone(store, other) { 1 } == 1)
        }
        await #expect(throws: ArchiveError.interrupted) {
            try await Archiving.alone(store, tenant) { () throws(ArchiveError) in
                throw .interrupted
            }
        }
        #expect(try await Archiving.alone(store, tenant) { 1 } == 1)
    }

    private func archiveWholly(
        _ database: TestDatabase, _ tenant: Tenant, in place: String,
        closing close: () async throws(ArchiveError) -> Void = {}
    ) async throws(ArchiveError) -> [String] {
        try await Archiving.runWholly(
            database.store, tenant, in: Layout(place),
            open: { Layout($0) }, closing: close, removing: {}, report: { _ in })
    }

    private func positions(in places: [String]) async throws -> [Int64] {
        var positions: [Int64] = []
        for place in places {
            let reader = try await ArchiveReader.open(Layout(place)) { _ in }
            positions += try await reader.events(1...100).map(\.position)
            await reader.close()
        }
        return positions
    }

    @Test func `is archived wholly before its tenant goes, wherever earlier archives were`()
        async throws
    {
        try await story { database, tenant, directory in
            let (first, second) = (directory + "/a", directory + "/b")
            await #expect(throws: ArchiveError.self, "no such place can be made") {
                try await archiveWholly(database, tenant, in: "/proc/nope") {
                    () async throws(ArchiveError) in
                    Issue.record("its keys must not go")
                }
            }
            _ = try await archive(database, tenant, Layout(first), through: 3)
            await #expect(throws: ArchiveError.self, "no such place can be made") {
                try await archiveWholly(database, tenant, in: "/proc/nope")
            }
            try FileManager.default.removeItem(atPath: first)
            let expected = [second + "/events-1-3", second + "/events-4-5"]
            #expect(try await archiveWholly(database, tenant, in: second) == expected)
            #expect(try await positions(in: expected) == [1, 2, 3, 4, 5])
            // Interrupted when its events were gone; the first archive was never seen again.
            #expect(try await database.store.retention.remove(tenant.id) > 0)
            #expect(try await count(database, "SELECT count(*) FROM event") == 0)
            #expect(try await archiveWholly(database, tenant, in: second) == expected)
            await #expect(throws: ArchiveError.self) {
                try await archiveWholly(database, tenant, in: directory + "/c")
            }
            while try await database.store.retention.remove(tenant.id) > 0 {}
            #expect(try await database.store.tenants.all().isEmpty)
        }
    }

    @Test func `keeps its tenant while what was dropped from it cannot be read`() async throws {
        try await story { database, tenant, directory in
            let (first, second) = (directory + "/a", directory + "/b")
            let dropped = try #require(
                try await archive(database, tenant, Layout(first), through: 5)?.place)
            #expect(try await drop(database, tenant, Layout(first)).events == 3)
            #expect(try await archiveWholly(database, tenant, in: first) == [dropped])
            #expect(try await archiveWholly(database, tenant, in: second) == [dropped])
            let hidden = directory + "/hidden"
            try FileManager.default.moveItem(atPath: dropped, toPath: hidden)
            do throws(ArchiveError) {
                _ = try await archiveWholly(database, tenant, in: second) {
                    () async throws(ArchiveError) in
                    Issue.record("its keys must not go")
                }
                Issue.record("it was not refused")
            } catch {
                guard case .outOfReach(let places) = error else { throw error }
                #expect(places.count == 1 && places[0].hasPrefix(dropped + " ("))
                #expect(error.description.hasSuffix("nothing was removed"))
            }
            let moved = second + "/events-1-5"
            try FileManager.default.createDirectory(
                atPath: second, withIntermediateDirectories: true)
            try FileManager.default.moveItem(atPath: hidden, toPath: moved)
            #expect(try await archiveWholly(database, tenant, in: second) == [moved])
            #expect(try await positions(in: [moved]) == [1, 2, 3, 4, 5])
            try Data().write(to: URL(filePath: moved + "/events-000001.ndjson"))
            await #expect(throws: ArchiveError.self) {
                try await archiveWholly(database, tenant, in: second)
            }
        }
    }

    @Test func `without events needs no place`() async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("shop")
        #expect(try await archiveWholly(database, tenant, in: "/proc/nope") == [])
    }

    @Test func `of a tenant that was made again is refused where the first one's is`() async throws
    {
        try await story { database, tenant, directory in
            let root = Layout(directory)
            let first = try #require(try await archive(database, tenant, root, through: 5))
            while try await database.store.retention.remove(tenant.id) > 0 {}
            let second = try await database.store.tenants.ensure(tenant.name)
            let events = (1...5).map { event("again-\($0)", "order-\($0)", "OrderAccepted") }
            _ = try await database.store.log.append(second.id, events)
            await #expect(throws: ArchiveError.self) {
                try await archive(database, second, root, through: 5)
            }
            #expect(try await database.store.retention.archives(second.id).isEmpty)
            let reader = try await ArchiveReader.open(Layout(first.place)) { _ in }
            #expect(reader.manifest.origin?.tenant == tenant.id)
            #expect(try await reader.events(1...1).first?.event.id == "1")
            await reader.close()
            let elsewhere = Layout(directory + "/again")
            #expect(try await archive(database, second, elsewhere, through: 5)?.through == 5)
        }
    }

    @Test func `is swept of cards, notices and keys that nobody needs`() async throws {
        try await story { database, tenant, directory in
            try await script(
                database,
                """
                UPDATE registration SET closed_at = now() - interval '31 d', closed_by = 'app';
                INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id,
                    dead_at) VALUES (\(tenant.id.rawValue), 'open', 'b', 'sandbox', 'app', now());
                INSERT INTO api_key (tenant, sha256, scopes, revoked_at) VALUES
                    (\(tenant.id.rawValue), sha256('a'), '{}', now() - interval '100 d'),
                    (\(tenant.id.rawValue), sha256('b'), '{}', now()),
                    (\(tenant.id.rawValue), sha256('c'), '{}', NULL)
                """)
            let sweeper = Sweeper(
                database.store.retention,
                days: [.registrations: 30, .notices: 30, .keys: 90],
                now: database.store.time,
                report: { if case .store = $0 { Issue.record("\($0)") } })
            #expect(await sweeper.sweep() == [.registrations: 1, .notices: 0, .keys: 1])
            #expect(try await count(database, "SELECT count(*) FROM registration") == 1)
            #expect(try await count(database, "SELECT count(*) FROM api_key") == 2)
        }
    }
}
