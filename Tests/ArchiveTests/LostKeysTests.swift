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
import StoreTestSupport
import TestSupport
import Testing

/// The database was restored from a backup that is older than the archive.
@Suite(.timeLimit(.minutes(5)))
struct `An archive whose keys the database has no more` {
    private static let order = ActivityID(rawValue: "order-7")

    /// An order that is over, and whose driver has a name.
    private func story(
        _ body: (TestDatabase, Tenant, _ directory: String) async throws -> Void
    ) async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("shop")
        _ = try await database.store.log.append(
            tenant.id, [.driverAssigned("1", to: Self.order)])
        let projector = Projector(store: database.store) { Issue.record($0) }
        #expect(await projector.drain() == 1)
        try await database.alter(
            """
            UPDATE snapshot SET phase = 'ended', due_at = NULL;
            UPDATE decision SET settled_at = now(), carried_by = version, accepted = 0, failed = 0
            WHERE settled_at IS NULL
            """)
        let directory = NSTemporaryDirectory() + "islet-keys-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await body(database, tenant, directory)
    }

    private func archive(
        _ database: TestDatabase, _ tenant: Tenant, _ root: Layout
    ) async throws(ArchiveError) -> LogArchive? {
        try await Archiving.run(database.store, tenant, through: 1, in: root) { _ in }
    }

    private func drop(
        _ database: TestDatabase, _ tenant: Tenant, _ root: Layout
    ) async throws -> DroppedActivities {
        try await Dropping.run(
            database.store, tenant,
            Retention(otherwise: Moment(unixSeconds: 4_000_000_000)), in: root,
            open: { Layout($0) }, report: { _ in })
    }

    /// What a backup of before the archive has not.
    private func restore(_ database: TestDatabase) async throws {
        try await database.alter("DELETE FROM subject_key; DELETE FROM log_archive")
    }

    /// - Returns: why.
    private func refusal(
        _ database: TestDatabase, _ tenant: Tenant, _ root: Layout
    ) async throws -> String {
        do throws(ArchiveError) {
            _ = try await archive(database, tenant, root)
            Issue.record("it was taken for this database's")
            return ""
        } catch {
            #expect(try await database.store.retention.archives(tenant.id).isEmpty)
            #expect(try await drop(database, tenant, root) == DroppedActivities())
            return error.description
        }
    }

    @Test func `is refused before anything is dropped, and one elsewhere can be read`()
        async throws
    {
        try await story { database, tenant, directory in
            let (first, second) = (Layout(directory + "/a"), Layout(directory + "/b"))
            let lost = try #require(try await archive(database, tenant, first))
            try await restore(database)
            let text = try await refusal(database, tenant, first)
            #expect(text.hasPrefix(lost.place))
            #expect(text.contains("keys that this database does not have"))
            #expect(text.contains("Move it away"))
            let found = try #require(try await archive(database, tenant, second))
            #expect(try await drop(database, tenant, second).events == 1)
            let imported = try await Import.run(
                from: Layout(found.place), chain: found.chain,
                now: Moment(unixSeconds: 4_000_000_000), into: .postgres(database.pool),
                tenant: { tenant },
                seals: { SubjectSeals(database.store.erasure, of: $0) },
                report: { _ in })
            #expect(imported.recorded == 1 && imported.unopened == 0)
            let event = try #require(
                try await database.store.log.readActivity(tenant.id, Self.order, 0, 1).first)
            #expect(String(decoding: event.event.data, as: UTF8.self).contains("Wanja"))
        }
    }

    @Test func `is refused when other keys were made since`() async throws {
        try await story { database, tenant, directory in
            let root = Layout(directory)
            _ = try await archive(database, tenant, root)
            try await restore(database)
            _ = try await database.store.erasure.keys(tenant.id, [Self.order], isMaking: true)
            let text = try await refusal(database, tenant, root)
            #expect(text.contains("event at position 1"))
        }
    }

    @Test func `is refused in a bucket too`() async throws {
        try await story { database, tenant, _ in
            try await BucketStandIn.with { standIn, endpoint in
                let root = try BucketStandIn.archives(at: endpoint)
                _ = try await archive(database, tenant, root)
                let objects = standIn.objects
                try await restore(database)
                let text = try await refusal(database, tenant, root)
                #expect(text.hasPrefix("s3://archive/shop/events-1-1 "))
                #expect(standIn.objects == objects)
            }
        }
    }

    @Test func `is kept where the keys are there, or nothing is left that they would open`()
        async throws
    {
        try await story { database, tenant, directory in
            let root = Layout(directory)
            let first = try #require(try await archive(database, tenant, root))
            try await database.alter("DELETE FROM log_archive")
            #expect(try await archive(database, tenant, root) == first)
            try await database.alter("DELETE FROM log_archive")
            let outcome = try await database.store.erasure.erase(
                tenant.id, Self.order, Erasing.rewrite
            ).get()
            #expect(outcome.valueCount == 1 && outcome.destroysKey)
            #expect(try await archive(database, tenant, root) == first)
        }
    }
}
