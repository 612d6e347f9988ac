import Delivery
import DeliveryRules
import Domain
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

struct `The timestamp of a fan-out` {
    /// Relative to the clock's second; nil for an activity without a push so far.
    @Test(arguments: [nil, -86_400, -2, -1, 0, 1, 2, 86_400] as [Int64?], [0, 0.999_999])
    func `is the clock's second, or waits for the next one`(
        last: Int64?, fraction: Double
    ) async throws {
        let scene = try await Scene()
        try await scene.report(.placed())
        let second: Int64 = 1_800_000_000
        if let last {
            _ = try await scene.database.pool.query(
                """
                INSERT INTO delivery_state (tenant, activity_id, last_timestamp)
                VALUES ($1, $2, $3)
                """, [.int4(scene.tenant.rawValue), .text(Fact.order), .int8(second + last)])
        }
        let now = Moment(unixSeconds: second).adding(seconds: fraction)
        let claim = try await scene.store.deliveries.claimNext(10, .all, now).first
        guard let last, last >= 0 else {
            #expect(claim?.timestamp == second)
            return
        }
        let until = second + last + 1
        #expect(claim == nil)
        let due = try #require(try await scene.store.deliveries.nextDue())
        #expect(due == Moment(unixSeconds: until))
        #expect(try await scene.store.deliveries.claimNext(10, .all, due).first?.timestamp == until)
    }

    @Test func `is made by the database's clock, whatever the node's own says`() async throws {
        let scene = try await Scene()
        try await scene.register("phone")
        try await scene.report(.placed())
        let before = try await scene.store.deliveries.time()
        let sender = Sender(
            store: scene.store, transport: scene.transport.transport,
            makePushID: { UUID().uuidString.lowercased() }, report: { Issue.record("\($0)") })
        await sender.drain()
        let after = try await scene.store.deliveries.time()
        let timestamp = try #require(scene.transport.pushes.first?.timestamp)
        #expect((before.unixSeconds...after.unixSeconds).contains(timestamp))
        let outcome = try #require(try await scene.outcomes().last ?? nil)
        #expect(outcome.completedAt >= before)
        #expect(outcome.completedAt <= after.adding(seconds: 1))
    }

    @Test func `lets a sender by the database's clock retry and go on`() async throws {
        let scene = try await Scene()
        try await scene.register("phone")
        scene.transport.answer { _ in .away }
        try await scene.report(.placed())
        let sender = Sender(
            store: scene.store, transport: scene.transport.transport,
            makePushID: { UUID().uuidString.lowercased() }, report: { _ in })
        let running = Task { await sender.run() }
        try await waitUntil { scene.transport.pushes.count >= 1 }
        scene.transport.answer { _ in .accepted }
        try await waitUntil { scene.transport.pushes.count >= 2 }
        try await scene.report(.assigned("Ada"))
        try await waitUntil { scene.transport.pushes.count >= 3 }
        running.cancel()
        await running.value
        let timestamps = scene.transport.pushes.compactMap(\.timestamp)
        #expect(zip(timestamps, timestamps.dropFirst()).allSatisfy { $0 < $1 })
    }
}
