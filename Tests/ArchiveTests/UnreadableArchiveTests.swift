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

/// The disk is not mounted, or the files are damaged.
@Suite(.timeLimit(.minutes(5)))
struct `An archive that cannot be read any more` {
    private struct Scene {
        let database: TestDatabase
        let tenant: Tenant
        let directory: String

        var retention: any RetentionStore { database.store.retention }

        func archive(in root: Layout, through: Int64 = 4) async throws -> LogArchive {
            let made = try await Archiving.run(
                database.store, tenant, through: through, in: root
            ) { _ in }
            return try #require(made)
        }

        /// As if nothing of them had to be sent.
        func end(_ activity: String) async throws {
            try await database.alter(
                """
                UPDATE snapshot SET phase = 'ended', due_at = NULL
                WHERE activity_id = '\(activity)';
                UPDATE decision SET settled_at = now(), carried_by = version, accepted = 0,
                    failed = 0
                WHERE settled_at IS NULL
                """)
        }

        func drop(
            _ root: Layout, wroteAgain: @escaping @Sendable (LogArchive) -> Void = { _ in }
        ) async throws(ArchiveError) -> Int64 {
            try await Dropping.run(
                database.store, tenant,
                Retention(otherwise: Moment(unixSeconds: 4_000_000_000)), in: root,
                open: { Layout($0) }, wroteAgain: wroteAgain, report: { _ in }
            ).events
        }

        /// - Returns: the places that are named.
        func refusal(_ root: Layout) async throws -> [String] {
            let before = try await database.store.log.read(tenant.id, 0, 10)
            do throws(ArchiveError) {
                _ = try await drop(root)
                Issue.record("it was dropped")
                return []
            } catch {
                guard case .unreadable(let places) = error else { throw error }
                #expect(error.description.contains("bring them back there"))
                #expect(error.description.hasSuffix("nothing of theirs was dropped"))
                #expect(try await database.store.log.read(tenant.id, 0, 10) == before)
                return places
            }
        }

        func positions(in place: String) async throws -> [Int64] {
            let reader = try await ArchiveReader.open(Layout(place)) { _ in }
            let positions = try await reader.events(1...100).map(\.position)
            await reader.close()
            return positions
        }
    }

    /// Two orders with a driver each, whose events alternate.
    private func story(_ body: (Scene) async throws -> Void) async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("shop")
        _ = try await database.store.log.append(
            tenant.id,
            (1...4).map { number in
                let order = ActivityID(rawValue: number % 2 == 1 ? "first" : "second")
                return .driverAssigned("\(number)", to: order)
            })
        let projector = Projector(store: database.store) { Issue.record($0) }
        #expect(await projector.drain() == 4)
        let directory = NSTemporaryDirectory() + "islet-unread-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await body(Scene(database: database, tenant: tenant, directory: directory))
    }

    private func cut(_ file: String) throws {
        try Data(contentsOf: URL(filePath: file)).dropLast().write(to: URL(filePath: file))
    }

    @Test(arguments: ["gone", "truncated", "longer", "another"])
    func `keeps what is only there and in the log`(damage: String) async throws {
        try await story { scene in
            let root = Layout(scene.directory)
            let place = try await scene.archive(in: root).place
            try await scene.end("first")
            #expect(try await scene.drop(root) == 2)
            try await scene.end("second")
            let (hidden, file) = (scene.directory + "/hidden", place + "/events-000001.ndjson")
            try FileManager.default.copyItem(atPath: place, toPath: hidden)
            switch damage {
            case "gone": try FileManager.default.removeItem(atPath: place)
            case "truncated": try cut(file)
            case "longer":
                try (Data(contentsOf: URL(filePath: file)) + [10]).write(to: URL(filePath: file))
            default:
                let manifest = place + "/manifest.json"
                let text = try String(contentsOfFile: manifest, encoding: .utf8)
                try text.replacing(#""bytes" : "#, with: #""bytes" : 1"#)
                    .write(toFile: manifest, atomically: true, encoding: .utf8)
            }
            for other in [root, Layout(scene.directory + "/elsewhere")] {
                let places = try await scene.refusal(other)
                #expect(places.count == 1 && places.first?.hasPrefix(place + " (") == true)
            }
            if FileManager.default.fileExists(atPath: place) {
                try FileManager.default.removeItem(atPath: place)
            }
            try FileManager.default.moveItem(atPath: hidden, toPath: place)
            #expect(try await scene.drop(root) == 2)
        }
    }

    @Test(arguments: [true, false])
    func `is written again while all of it is in the log`(isGone: Bool) async throws {
        try await story { scene in
            let root = Layout(scene.directory)
            let archive = try await scene.archive(in: root)
            if isGone {
                try FileManager.default.removeItem(atPath: scene.directory)
            } else {
                try cut(archive.place + "/events-000001.ndjson")
            }
            try await scene.end("first")
            try await confirmation { confirm in
                let dropped = try await scene.drop(root) { again in
                    #expect(again == archive)
                    confirm()
                }
                #expect(dropped == 2)
            }
            #expect(try await scene.positions(in: archive.place) == [1, 2, 3, 4])
        }
    }

    @Test func `is noted where it is written again`() async throws {
        try await story { scene in
            let (first, second) = (scene.directory + "/a", scene.directory + "/b")
            _ = try await scene.archive(in: Layout(first))
            try FileManager.default.removeItem(atPath: first)
            try await scene.end("first")
            #expect(try await scene.drop(Layout(second)) == 2)
            let noted = try #require(try await scene.retention.archives(scene.tenant.id).first)
            #expect(noted.place == second + "/events-1-4")
            #expect(try await scene.positions(in: noted.place) == [1, 2, 3, 4])
        }
    }

    @Test func `is read where it was put, though others go elsewhere now`() async throws {
        try await story { scene in
            let (first, second) = (scene.directory + "/a", scene.directory + "/b")
            let archive = try await scene.archive(in: Layout(first))
            try await scene.end("first")
            #expect(try await scene.drop(Layout(second)) == 2)
            #expect(try await scene.retention.archives(scene.tenant.id) == [archive])
            let names = try FileManager.default.contentsOfDirectory(atPath: second)
            #expect(names == ["ledger.ndjson"])
        }
    }

    @Test func `keeps nothing that is not in it`() async throws {
        try await story { scene in
            let root = Layout(scene.directory)
            let earlier = try await scene.archive(in: root, through: 2)
            try await scene.end("first")
            try await scene.end("second")
            _ = try await scene.archive(in: root)
            #expect(try await scene.drop(root) == 4)
            try FileManager.default.removeItem(atPath: earlier.place)
            _ = try await scene.database.store.log.append(
                scene.tenant.id, [.driverAssigned("5", to: ActivityID(rawValue: "third"))])
            let projector = Projector(store: scene.database.store) { Issue.record($0) }
            #expect(await projector.drain() == 1)
            try await scene.end("third")
            _ = try await scene.archive(in: root, through: 5)
            #expect(try await scene.drop(root) == 1)
        }
    }

    @Test func `is missed in a bucket too`() async throws {
        try await story { scene in
            try await BucketStandIn.with { standIn, endpoint in
                let root = try BucketStandIn.archives(at: endpoint)
                _ = try await scene.archive(in: root)
                try await scene.end("first")
                #expect(try await scene.drop(root) == 2)
                try await scene.end("second")
                let name = "shop/events-1-4/events-000001.ndjson"
                let whole = try #require(standIn.objects[name])
                standIn.objects[name] = Array(whole.dropLast())
                #expect(try await scene.refusal(root).count == 1)
                standIn.objects[name] = nil
                #expect(try await scene.refusal(root).count == 1)
                standIn.objects[name] = whole
                let seen = standIn.seen.count
                #expect(try await scene.drop(root) == 2)
                // The manifest to its end, and the end of the segment.
                let asked = standIn.seen.dropFirst(seen).filter { $0.key.contains("events-1-4") }
                #expect(asked.count == 3)
            }
        }
    }
}
