import Delivery
import Domain
import EventStore
import Foundation
import Pipeline
import Postgres
import PostgresStore
import TestSupport
import Testing

/// A primary that freezes, a standby that takes its place, and a node that knows both.
struct FailoverTests {
    private let directory = TestServer.temporaryDirectory()

    @Test(.timeLimit(.minutes(3)), arguments: [true, false])
    func `recording, folding and pushing go on soon after a promotion`(
        frozenIsFirst: Bool
    ) async throws {
        let primary = try await PrivatePostgres.start(
            dataDirectory: directory, settings: ["fsync": "off", "shared_buffers": "16MB"])
        try TestServer.cleanUpAfterThisProcess(primary, directory)
        let preparing = Self.pool(primary.url)
        _ = try await EventStore.migrator.migrate(preparing)
        let standby = try CopiedServer.standby(of: primary, in: directory + "-standby")
        defer { try? standby.kill() }
        try await Self.makeSynchronous(preparing)
        await preparing.close()

        let url = standby.url(beside: primary, isFirst: !frozenIsFirst)
        let node = try await Node(url)
        try await node.register()
        try await node.report(.placed())
        try await waitUntilPushed(by: [node]) { $0.contains("placed") }

        let frozen = try FrozenServer(cluster: directory + "/cluster")
        defer {
            frozen.thaw()
            try? primary.kill()
        }
        // In the middle of its work.
        try await Task.sleep(for: .seconds(1))
        try standby.promote()
        let promotedAt = ContinuousClock.now
        try await node.reportUntilRecorded(.assigned("Sam"))
        let recordedAfter = ContinuousClock.now - promotedAt
        try await waitUntilPushed(by: [node]) { $0.contains("Sam") }
        let pushedAfter = ContinuousClock.now - promotedAt
        #expect(recordedAfter < .seconds(15), "pushed after \(pushedAfter)")
        #expect(pushedAfter < .seconds(15))

        // A node that starts now waits for the frozen one once.
        let start = ContinuousClock.now
        let fresh = try await Node(url)
        try await fresh.report(.pickedUp())
        #expect(ContinuousClock.now - start < .seconds(10))
        try await waitUntilPushed(by: [node, fresh]) { $0.contains("onTheWay") }
        await fresh.end()
        await node.end()
    }

    private func waitUntilPushed(
        by nodes: [Node], _ isWanted: (String) -> Bool
    ) async throws {
        try await waitUntil("the push has come", within: 60) {
            nodes.flatMap(\.transport.pushes).contains { isWanted($0.text) }
        }
    }

    private static func pool(_ url: String) -> Pool {
        Pool(
            PoolConfiguration(connection: ConnectionConfiguration(url: url)),
            loop: TestDatabase.loop)
    }

    /// From now on a commit waits for the standby. Without it the node may know of a commit that
    /// the standby lacks, and then nothing is sent after the promotion.
    private static func makeSynchronous(_ pool: Pool) async throws {
        _ = try await pool.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
        _ = try await pool.query("SELECT pg_reload_conf()")
        let sql = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
        try await waitUntil("the standby is synchronous") {
            try await pool.query(sql).first?.get(0) == Int64(1)
        }
    }

    /// As `islet serve` is put together.
    private struct Node {
        let pool: Pool
        let store: EventStore
        let tenant: TenantID
        let transport = RecordingTransport()
        private let work: Task<Void, Never>

        init(_ url: String) async throws {
            let pool = FailoverTests.pool(url)
            let memory = LogMemory()
            let store = EventStore.postgres(pool: pool, remembering: memory)
            let watch = IdentityWatch(store: store, memory: memory) { diagnostic in
                if diagnostic == .setBack { Issue.record("The standby lacks a commit.") }
            }
            self.pool = pool
            self.store = store
            tenant = try await store.tenants.ensure("pizzeria").id
            let transport = transport
            let channels = RecordingChannels()
            work = Task {
                await withTaskGroup(of: Void.self) { group in
                    // Nothing is sent after a promotion before somebody has looked.
                    group.addTask { await Self.keepLooking(watch) }
                    group.addTask { await Projector(store: store) { _ in }.run() }
                    group.addTask {
                        await Sender(
                            store: store, transport: transport.transport,
                            broadcasts: channels.transport,
                            makePushID: { UUID().uuidString.lowercased() }, report: { _ in }
                        ).run()
                    }
                }
            }
        }

        private static func keepLooking(_ watch: IdentityWatch) async {
            while !Task.isCancelled {
                if let status = try? await watch.status() {
                    await watch.wait(whileLogIs: status)
                } else {
                    try? await Task.sleep(for: .milliseconds(200))
                }
            }
        }

        func register() async throws {
            let token = try #require(PushToken(hex: String(repeating: "a", count: 64)))
            _ = try await store.registrations.register(
                tenant, ActivityID(rawValue: Fact.order), token, .sandbox, "com.example.pizza")
        }

        func report(_ fact: Fact) async throws {
            let outcomes = try await store.log.append(tenant, [fact.event])
            let areAccepted = outcomes.allSatisfy(\.isAccepted)
            try #require(areAccepted)
        }

        /// As a client that repeats what was not acknowledged.
        func reportUntilRecorded(_ fact: Fact) async throws {
            while true {
                do {
                    return try await report(fact)
                } catch let error as EventStoreError {
                    try #require(error.isTransient, "\(error)")
                    try await Task.sleep(for: .milliseconds(200))
                }
            }
        }

        func end() async {
            work.cancel()
            await pool.close()
            await work.value
        }
    }
}
