import Domain
import EventStore
import Foundation
import Postgres
import PostgresStore
import TestSupport
import Testing

/// What Postgres writes into its own log while clients repeat themselves.
struct ServerLogTests {
    private static let word = "Margherita"

    @Test func `expected conflicts are no errors, and no data gets into the log`() async throws {
        let directory = TestServer.temporaryDirectory()
        let server = try await PrivatePostgres.start(
            dataDirectory: directory,
            settings: ["fsync": "off", "shared_buffers": "16MB", "max_connections": "200"])
        try TestServer.cleanUpAfterThisProcess(server, directory)
        let pools = (0..<3).map { _ in
            Pool(
                PoolConfiguration(
                    connection: ConnectionConfiguration(url: server.url), connectionsMax: 4),
                loop: TestDatabase.loop)
        }
        _ = try await EventStore.migrator.migrate(pools[0])
        let stores = pools.map { EventStore.postgres(pool: $0) }
        let tenant = try await stores[0].tenants.ensure("acme").id
        let before = try Self.lines(directory).count

        // Repeated, alone and among others; in one batch twice; another content; another version.
        for _ in 0..<3 {
            _ = try await stores[0].log.append(tenant, [Self.event("1")])
            _ = try await stores[0].log.append(tenant, [Self.event("1"), Self.event("2")])
            _ = try await stores[0].log.append(tenant, [Self.event("3"), Self.event("3")])
        }
        #expect(
            try await stores[0].log.append(tenant, [Self.event("1", data: "Funghi")]).first
                == .contentConflict(position: 1))
        let expecting = Samples.event(
            "4", data: #"{"pizza":"\#(Self.word)"}"#, expectedVersion: 17)
        guard case .versionConflict? = try await stores[0].log.append(tenant, [expecting]).first
        else {
            Issue.record("version 17 was taken for the last one")
            return
        }
        try await Self.race(stores, tenant)
        // What still fails says nothing of its values.
        _ = try? await pools[0].query(
            "SELECT 1 / length($1::text || 'x') / 0", [.text(Self.word)])
        let added = try Self.lines(directory).dropFirst(before)
        let errors = added.filter { $0.contains("ERROR:") }
        #expect(errors.count == 1, "\(errors.prefix(3))")
        #expect(!added.contains { $0.contains(Self.word) || $0.contains("race-") })
        for pool in pools { await pool.close() }
        try await server.stop()
    }

    /// Nodes that record and fold the same.
    private static func race(_ stores: [EventStore], _ tenant: TenantID) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in stores {
                for number in 0..<40 {
                    group.addTask {
                        for part in 0..<3 {
                            let event = event("race-\(number)-\(part)", "order-\(number % 7)")
                            _ = try await store.log.append(tenant, [event])
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<20 {
                        _ = try await store.projections.foldNext(tenant, 100) {
                            Samples.fold($0, .timely)
                        }
                        try await Samples.foldAll(store)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func event(
        _ id: String, _ activity: String = "order-1", data: String = word
    ) -> NewEvent {
        Samples.event(id, activity, data: #"{"pizza":"\#(data)"}"#)
    }

    private static func lines(_ directory: String) throws -> [String] {
        try String(contentsOfFile: directory + "/server.log", encoding: .utf8)
            .split(separator: "\n").map(String.init)
    }
}
