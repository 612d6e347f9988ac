import Domain
import EventStore
import Foundation
import Pipeline
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct `A phone in quiet hours` {
    /// They began an hour ago and last for another one.
    private func scene() async throws -> Scene {
        let scene = try await Scene()
        func time(_ hours: Double) -> String {
            let moment = Moment.timeOfDay.adding(seconds: hours * 3600)
            return String(moment.rfc3339.dropFirst(11).prefix(5))
        }
        let hours = #"{"from":"\#(time(-1))","to":"\#(time(1))","timeZone":"UTC"}"#
        _ = try await scene.store.policies.put(
            scene.tenant, "PizzaDelivery", nil, Data(#"{"quietHours":\#(hours)}"#.utf8))
        return scene
    }

    @Test func `is shown what happens, and told when they are over`() async throws {
        let scene = try await scene()
        try await scene.register("phone")
        try await scene.report(.placed())
        await scene.send()
        try await scene.report(.assigned("Ada"))
        let quiet = try #require(await scene.send(after: 30).first)
        #expect(quiet.alertBody == nil && quiet.priority == "5")
        #expect(quiet.text.contains("Ada"))
        try await passQuietHours(scene)
        let told = try #require(await scene.send(after: 3_600).first)
        #expect(told.alertBody == "Ada will bring your 2 pizzas.")
        #expect(told.priority == "10")
        #expect(await scene.send(after: 600).isEmpty)
    }

    @Test func `hears of the driver who comes, and of nobody else`() async throws {
        let scene = try await scene()
        try await scene.register("phone")
        try await scene.report(.placed(), .assigned("Ada"), .assigned("Bo", minute: 6))
        await scene.send()
        try await passQuietHours(scene)
        let told = try #require(await scene.send(after: 3_600).first)
        #expect(told.alertBody?.contains("Bo") == true)
        #expect(told.alertBody?.contains("Ada") == false)
        let carried = try await scene.ledger().last?.decision.alertContext?.carried.map(\.version)
        #expect(carried == [3])
    }

    private func passQuietHours(_ scene: Scene) async throws {
        let clock = ClockRunner(store: scene.store, now: { .timeOfDay }) {
            Issue.record("the clock failed: \($0)")
        }
        let order = ActivityID(rawValue: Fact.order)
        let due = try #require(
            try await scene.store.projections.snapshot(scene.tenant, order)?.dueAt)
        #expect(try await clock.tick(at: due) == 1)
        await Projector(store: scene.store) { Issue.record("folding failed: \($0)") }.drain()
    }
}
