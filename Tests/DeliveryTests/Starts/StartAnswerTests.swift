import APNs
import Delivery
import DeliveryRules
import Domain
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

enum CardMachineRules {
    static let handle: CardRules = CardMachine.handle
}

@Suite(.timeLimit(.minutes(3)))
struct `A start that goes wrong` {
    private func scene(_ answer: PushResult) async throws -> Scene {
        let scene = try await Scene()
        scene.transport.answer { _ in answer }
        try await scene.putToken("phone")
        try await scene.putAudience()
        try await scene.report(.placed())
        await scene.send()
        return scene
    }

    @Test func `without an answer is never sent again`() async throws {
        let scene = try await scene(.away)
        scene.transport.answer { _ in .accepted }
        await scene.send(after: 3_600)
        try await scene.putToken("phone", token: "rotated")
        try await scene.putAudience(topics: ["customer:42", "customer:43"])
        await scene.send(after: 3_600)
        #expect(scene.starts.count == 1)
        #expect(try await scene.counts() == [.unknown: 1])
    }

    @Test func `is sent again with the newest state when APNs refused it for the moment`()
        async throws
    {
        let scene = try await scene(.refused(503, .serviceUnavailable))
        scene.transport.answer { _ in .accepted }
        try await scene.report(.assigned("Ada"))
        #expect(await scene.send(after: 3).isEmpty)
        #expect(try await scene.counts() == [.waiting: 1])
        let pushes = await scene.send(after: 3)
        #expect(pushes.map(\.event) == ["start"])
        #expect(pushes.first?.text.contains("Ada") == true)
        #expect(try await scene.counts() == [.started: 1])
    }

    @Test func `is given up after a few refusals`() async throws {
        let scene = try await scene(.refused(429, .tooManyRequests))
        for _ in 0..<20 { await scene.send(after: 60) }
        #expect(scene.starts.count == 5)
        #expect(try await scene.counts() == [.refused: 1])
    }

    @Test func `to a dead token is tried with the next token only`() async throws {
        let scene = try await scene(.refused(410, .unregistered))
        scene.transport.answer { _ in .accepted }
        #expect(try await scene.counts() == [.refused: 1])
        try await scene.putAudience("order-2")
        try await scene.report(.placed("order-2"))
        #expect(await scene.send(after: 10).isEmpty)
        // The app insists on its token: good enough for what was never tried with it.
        try await scene.putToken("phone")
        let insisting = await scene.send(after: 1)
        #expect(insisting.map(\.tokenHex) == [Scene.tokenHex("phone")])
        #expect(try await scene.counts() == [.refused: 1])
        try await scene.putToken("phone", token: "rotated")
        let pushes = await scene.send(after: 2)
        #expect(pushes.map(\.tokenHex) == [Scene.tokenHex("rotated")])
        #expect(try await scene.counts() == [.started: 1])
    }

    @Test func `is forgotten when the person follows something else meanwhile`() async throws {
        let scene = try await scene(.refused(429, .tooManyRequests))
        scene.transport.answer { _ in .accepted }
        try await scene.putToken("phone", topics: ["customer:7"])
        #expect(await scene.send(after: 60).isEmpty)
        #expect(try await scene.counts() == [:])
        try await scene.putToken("phone")
        #expect(await scene.send(after: 60).count == 1)
    }

    @Test func `when the node dies is unknown, and the others are started`() async throws {
        let scene = try await Scene()
        try await scene.putToken("one")
        try await scene.putAudience()
        try await scene.report(.placed())
        let crashing = scene.anotherNode()
        scene.transport.answer { _ in
            // The push has gone out; the node dies before it can write that down.
            await crashing.pool.close()
            return .accepted
        }
        await scene.sender(crashing.store).drain()
        #expect(scene.starts.count == 1)
        #expect(try await scene.counts() == [.trying: 1])
        scene.transport.answer { _ in .accepted }
        try await scene.putToken("two")
        let deadline = ContinuousClock.now + .seconds(20)
        while try await scene.counts() != [.unknown: 1, .started: 1],
            ContinuousClock.now < deadline
        {
            await scene.send(after: 1)
        }
        #expect(try await scene.counts() == [.unknown: 1, .started: 1])
        await scene.send(after: 3_600)
        #expect(scene.starts.map(\.tokenHex) == [Scene.tokenHex("one"), Scene.tokenHex("two")])
    }

    @Test func `is known although its claim was lost, as long as its node lives`() async throws {
        let scene = try await Scene()
        try await scene.putToken("one")
        try await scene.putAudience()
        try await scene.report(.placed())
        let other = scene.anotherNode()
        scene.transport.answer { _ in
            // The push has gone out.
            await scene.takeOver()
            return .accepted
        }
        await scene.sender(other.store).drain()
        #expect(try await scene.counts() == [.started: 1])
        scene.transport.answer { _ in .accepted }
        await scene.send(after: 3_600)
        #expect(scene.starts.count == 1)
        await other.pool.close()
    }

    @Test func `that never left because its claim was lost is sent under the next one`()
        async throws
    {
        let scene = try await Scene()
        try await scene.putToken("one")
        try await scene.putAudience()
        try await scene.report(.placed())
        var store = scene.store
        store.deliveries = FailingDeliveries(base: store.deliveries, hasSession: false)
        await scene.sender(store).drain()
        #expect(scene.starts.isEmpty)
        #expect(try await scene.counts() == [.waiting: 1])
        await scene.send(after: 1)
        #expect(scene.starts.count == 1)
        #expect(try await scene.counts() == [.started: 1])
        // Taken, given back, and taken.
        let rows = try await scene.database.pool.query("SELECT budget_version FROM start_device")
        let version: Int64? = try rows.first?.get(0)
        #expect(version == 3)
    }

    @Test func `is found unknown even when nothing else is to be started`() async throws {
        let scene = try await scene(.accepted)
        _ = try await scene.database.pool.query(
            "UPDATE card_start SET state = 'trying', due_at = 'epoch', claimed_by = 1")
        await scene.send(after: 61)
        #expect(try await scene.counts() == [.unknown: 1])
        #expect(scene.starts.count == 1)
    }

    @Test func `by two nodes at once is sent by one of them`() async throws {
        let scene = try await Scene()
        try await scene.putManyTokens(700)
        try await scene.putAudience()
        try await scene.report(.placed())
        let other = scene.anotherNode()
        async let mine: Int = scene.sender().drain()
        async let theirs: Int = scene.sender(other.store).drain()
        _ = await (mine, theirs)
        scene.clock.advance(by: 1)
        async let again: Int = scene.sender().drain()
        async let theirsAgain: Int = scene.sender(other.store).drain()
        _ = await (again, theirsAgain)
        #expect(scene.starts.count == 700)
        let tokens = Set(scene.starts.map(\.tokenHex))
        #expect(tokens.count == 700)
        await other.pool.close()
    }
}

extension Scene {
    /// The connection that owns all claims breaks, and this node takes over.
    fileprivate func takeOver() async {
        do {
            _ = try await database.pool.query(
                """
                SELECT pg_terminate_backend(pid) FROM pg_locks
                WHERE locktype = 'advisory' AND database = (
                    SELECT oid FROM pg_database WHERE datname = current_database()
                )
                """)
            try await waitUntil("the start is taken for lost", within: 20) {
                await send(after: 1)
                return try await counts() == [.unknown: 1]
            }
        } catch { Issue.record("nobody took over: \(error)") }
    }
}
