import DeliveryRules
import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// When APNs accepted the newest state that a phone of an activity has.
struct `The time at which the newest was accepted` {
    private func deliveryProgress(_ scene: DeliveryScene) async throws -> DeliveryProgress {
        let progress = try await scene.store.board.progress(scene.tenant, [scene.activity])
        return try #require(progress[scene.activity])
    }

    private func clock(_ scene: DeliveryScene) async throws -> Moment {
        let rows = try await scene.database.pool.query("SELECT clock_timestamp()")
        return try #require(rows.first).moment(0)
    }

    private func complete(
        _ claim: DeliveryClaim, of scene: DeliveryScene, accepted: Int, failed: Int
    ) async throws {
        var outcome = scene.outcome(1)
        (outcome.accepted, outcome.failed) = (accepted, failed)
        try await scene.store.deliveries.complete(claim, outcome)
    }

    /// Of a push of its own.
    private func accept(
        _ id: Int64, in scene: DeliveryScene, after seconds: Double, tokenVersion: Int = 1
    ) async throws -> ClosedRange<Moment> {
        let claim = try #require(try await scene.claim(after: seconds).first)
        let began = try await clock(scene)
        try await scene.store.deliveries.record(
            claim, [scene.result(id, .accepted(version: 1), tokenVersion: tokenVersion)])
        let ended = try await clock(scene)
        await scene.store.deliveries.release(claim)
        return began...ended
    }

    @Test func `is that of the retry which brought it, and stays with the phone`() async throws {
        let scene = try await DeliveryScene()
        let deliveries = scene.store.deliveries
        let id = try await scene.register("a")
        let claim = try #require(try await scene.claim().first)
        let later = scene.now.adding(seconds: 30)
        try await deliveries.record(claim, [scene.result(id, .retry(at: later, reason: "busy"))])
        try await complete(claim, of: scene, accepted: 0, failed: 1)
        let failed = try await deliveryProgress(scene)
        #expect(failed.acceptedVersion == nil && failed.acceptedAt == nil)
        let accepted = try await accept(id, in: scene, after: 30)
        let brought = try await deliveryProgress(scene)
        let acceptedAt = try #require(brought.acceptedAt)
        #expect(brought.acceptedVersion == 1 && accepted.contains(acceptedAt))
        // The same once more is no news, and another token is the same phone.
        _ = try await scene.register("a")
        _ = try await accept(id, in: scene, after: 60, tokenVersion: 2)
        #expect(try await deliveryProgress(scene).acceptedAt == acceptedAt)
        _ = try await scene.store.registrations.change(
            scene.tenant, scene.activity,
            .rotate(from: Samples.token("a"), to: Samples.token("b")), CardMachine.handle)
        let rotated = try await deliveryProgress(scene)
        #expect(rotated.phones == 1 && rotated.acceptedVersion == 1)
        #expect(rotated.acceptedAt == acceptedAt)
    }

    @Test func `is that of the first push to a phone that came later`() async throws {
        let scene = try await DeliveryScene()
        let claim = try #require(try await scene.claim().first)
        try await complete(claim, of: scene, accepted: 0, failed: 0)
        let id = try await scene.register("a")
        let accepted = try await accept(id, in: scene, after: 5)
        let brought = try await deliveryProgress(scene)
        let acceptedAt = try #require(brought.acceptedAt)
        #expect(brought.acceptedVersion == 1 && accepted.contains(acceptedAt))
    }

    @Test func `is the end of the fan-out where that brought it`() async throws {
        let scene = try await DeliveryScene()
        _ = try await scene.register("a")
        let claim = try #require(try await scene.claim().first)
        try await complete(claim, of: scene, accepted: 1, failed: 0)
        let (brought, ledger) = (try await deliveryProgress(scene), try await scene.ledger())
        #expect(brought.acceptedVersion == 1 && brought.acceptedAt != nil)
        #expect(brought.acceptedAt == ledger.first?.outcome?.completedAt)
    }
}
