import APNs
import Delivery
import Domain
import EventStore
import TestSupport
import Testing

private let app = AppInEnvironment(bundleID: "com.example.pizza", environment: .sandbox)
private let order = ActivityID(rawValue: Fact.order)

extension Scene {
    /// An order with a channel that is gone, since broadcasting was disabled for its app.
    fileprivate static func disabled() async throws -> Scene {
        let scene = try await Scene()
        _ = try await scene.store.channels.want(scene.tenant, order, app, .none)
        try await scene.report(.placed())
        await scene.keep()
        await scene.send(after: 1)
        #expect(try await scene.row().state == .open)
        scene.channels.loseAll()
        scene.channels.answer { _ in .refused(400, .featureNotEnabled) }
        return scene
    }

    @discardableResult
    fileprivate func keep(after seconds: Double = 0) async -> Int {
        clock.advance(by: seconds)
        return await sender().keepChannels()
    }

    fileprivate func row() async throws -> Channel {
        try #require(try await store.channels.find(tenant, order, app.bundleID).first)
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `A channel of an app that may not broadcast any more` {
    @Test func `is lost, and another one is made when the app may again`() async throws {
        let scene = try await Scene.disabled()
        try await scene.report(.assigned("Ada"))
        await scene.send(after: 1)
        #expect(scene.diagnostics.contains(.channel(.featureDisabled(app))))
        let row = try await scene.row()
        #expect(row.state == .wanted)
        #expect(row.lastFailure == "FeatureNotEnabled")
        #expect(await scene.keep(after: 590) == 0)
        scene.channels.answer { _ in nil }
        await scene.keep(after: 11)
        #expect(try await scene.row().channelID == "channel-2==")
    }

    @Test func `is lost when APNs makes no other one for the app`() async throws {
        let scene = try await Scene.disabled()
        let other = ActivityID(rawValue: "other")
        _ = try await scene.store.channels.want(scene.tenant, other, app, .none)
        await scene.keep(after: 1)
        #expect(try await scene.row().state == .wanted)
    }

    /// The card would listen to nothing, and Apple's phones do not even show it.
    @Test func `is named by no card that is started, not even in the fan-out that finds it lost`()
        async throws
    {
        let scene = try await Scene.disabled()
        try await scene.putToken("first")
        try await scene.putAudience()
        try await scene.report(.assigned("Ada"))
        await scene.send(after: 1)
        try await scene.putToken("second")
        await scene.send(after: 1)
        #expect(scene.starts.count == 2)
        for start in scene.starts {
            #expect(!start.text.contains("input-push-channel"))
            #expect(start.text.contains(#""input-push-token":1"#))
        }
    }
}
