import Domain
import EventLoop
import EventStore
import Foundation
import Postgres
import PostgresStore
import TestSupport
import Testing

/// A process whose loop does nothing for a while, as one that was stopped; the test's own goes on.
private final class Frozen: Sendable {
    let loop = EventLoop(name: "frozen")
    private let thaw = DispatchSemaphore(value: 0)

    func freeze() {
        loop.run { [thaw] in thaw.wait() }
    }

    func goOn() { thaw.signal() }
}

@Suite(.timeLimit(.minutes(2)))
struct `A process that stands still` {
    @Test func `loses its claims, notices by itself, and can write nothing`() async throws {
        let scene = try await DeliveryScene()
        let id = try await scene.register("a")
        let frozen = Frozen()
        let pool = Pool(
            PoolConfiguration(connection: ConnectionConfiguration(url: scene.database.url)),
            loop: frozen.loop)
        let old = EventStore.postgres(pool: pool, node: "old")
        let claim = try #require(try await old.deliveries.claimNext(10, .all, scene.now).first)
        #expect(old.deliveries.isCurrent(claim))
        frozen.freeze()
        let began = ContinuousClock.now
        #expect(try await scene.claim(after: 1).isEmpty)
        var taken: DeliveryClaim?
        while taken == nil, ContinuousClock.now - began < .seconds(15) {
            try await Task.sleep(for: .milliseconds(100))
            taken = try await scene.claim(after: 2).first
        }
        let mine = try #require(taken, "the claim was not taken over within 15 s")
        #expect(mine.takenFrom == "old")
        #expect(mine.timestamp > claim.timestamp)
        // Before it can have heard of anything.
        #expect(!old.deliveries.isCurrent(claim))
        frozen.goOn()
        await #expect(throws: EventStoreError.self) {
            try await old.deliveries.record(claim, [scene.result(id, .accepted(version: 1))])
        }
        await #expect(throws: EventStoreError.self) {
            try await old.deliveries.complete(claim, scene.outcome(1))
        }
        #expect(try await scene.ledger().map(\.outcome) == [nil])
        try await scene.store.deliveries.complete(mine, scene.outcome(1))
        #expect(try await scene.ledger().compactMap(\.outcome).count == 1)
        // What it claims from now on counts again.
        try await scene.change(.timely)
        let next = try #require(
            try await old.deliveries.claimNext(10, .all, scene.now.adding(seconds: 3)).first)
        #expect(old.deliveries.isCurrent(next))
        #expect(next.takenFrom == nil)
        await pool.close()
    }

    @Test func `is not missed for what it has given back or completed`() async throws {
        let scene = try await DeliveryScene()
        let other = EventStore.postgres(pool: scene.database.makePool(), node: "other")
        let first = try #require(try await scene.claim().first)
        await scene.store.deliveries.release(first)
        let second = try #require(try await scene.claim(other, after: 1).first)
        #expect(second.takenFrom == nil)
        try await other.deliveries.complete(second, scene.outcome(1))
        try await scene.change(.timely)
        #expect(try await scene.claim(after: 2).map(\.takenFrom) == [nil])
    }

    @Test func `keeps no lock in the midst of a statement`() async throws {
        let database = try await TestDatabase.make()
        _ = try await database.store.tenants.ensure("acme")
        let frozen = Frozen()
        let session = try await Connection.open(
            ConnectionConfiguration(url: database.url), loop: frozen.loop)
        // More than a socket has room for, while nobody reads.
        let asking = Task {
            try? await session.query(
                """
                WITH mine AS MATERIALIZED (SELECT name FROM tenant FOR UPDATE)
                SELECT pg_sleep(1), repeat('x', 20000000) FROM mine
                """)
        }
        try await Task.sleep(for: .milliseconds(500))
        frozen.freeze()
        try await waitUntil("the session is ended", within: 15) {
            try await Task.sleep(for: .milliseconds(100))
            return try await database.store.endStuckSessions() == 1
        }
        // A session ends a moment after the order to end.
        let free = try await database.pool.query(
            "SELECT name FROM tenant FOR UPDATE", timeout: .seconds(2))
        #expect(free.count == 1)
        frozen.goOn()
        let answer = await asking.value
        #expect(answer == nil)
    }

    @Test func `is left alone while it reads what it is sent`() async throws {
        let database = try await TestDatabase.make()
        _ = try await database.store.tenants.ensure("acme")
        let reading = Task {
            for _ in 0..<8 {
                _ = try await database.pool.query(
                    "SELECT repeat('x', 20000000) FROM tenant FOR UPDATE")
            }
        }
        for _ in 0..<10 {
            #expect(try await database.store.endStuckSessions() == 0)
            try await Task.sleep(for: .milliseconds(50))
        }
        try await reading.value
    }
}
