import APNs
import Delivery
import DeliveryRules
import Domain
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct `A card that appears by itself` {
    @Test func `is started once on each phone that follows a topic, and on no other`() async throws
    {
        let scene = try await Scene()
        try await scene.putToken("one")
        try await scene.putToken("two", topics: ["customer:42", "team:ARG"])
        try await scene.putToken("other", topics: ["customer:4"])
        #expect(try await scene.putAudience(topics: ["team:ARG", "customer:42"]) == .new)
        #expect(try await scene.putAudience(topics: ["customer:42", "team:ARG"]) == .known)
        #expect(await scene.send().isEmpty)
        try await scene.report(.placed())
        let pushes = await scene.send()
        #expect(Set(pushes.map(\.tokenHex)) == [Scene.tokenHex("one"), Scene.tokenHex("two")])
        let push = try #require(pushes.first)
        #expect(push.event == "start")
        #expect(push.priority == "10")
        #expect(push.headers["apns-topic"] == "com.example.pizza.push-type.liveactivity")
        #expect(push.headers["apns-expiration"] == push.timestamp.map { String($0 + 300) })
        #expect(push.alertBody == "Order 1042 can be followed here.")
        #expect(push.text.contains(try await scene.contentState()))
        try await scene.report(.assigned("Ada"))
        #expect(await scene.send(after: 3_600).isEmpty)
        let report = try await scene.audience()
        #expect(report.counts == [.started: 2])
        #expect(report.isComplete)
        #expect(!report.isClosed)
    }

    @Test func `is also started on a phone that comes later, while the activity lives`()
        async throws
    {
        let scene = try await Scene()
        try await scene.putAudience()
        try await scene.report(.placed())
        #expect(await scene.send().isEmpty)
        try await scene.putToken("late")
        #expect(await scene.send(after: 1).map(\.event) == ["start"])
        try await scene.putToken("late", token: "rotated")
        #expect(await scene.send(after: 1).isEmpty)
        try await scene.report(.delivered())
        await scene.send(after: 1)
        #expect(try await scene.audience().isClosed)
        try await scene.putToken("too late")
        #expect(await scene.send(after: 1).isEmpty)
        try await scene.putAudience(topics: ["customer:42", "customer:43"])
        #expect(await scene.send(after: 1).isEmpty)
        #expect(try await scene.audience().isClosed)
    }

    @Test func `is needless when it was wanted just as its activity ended`() async throws {
        let scene = try await Scene()
        try await scene.putToken("phone", topics: ["customer:4"])
        try await scene.putAudience()
        try await scene.report(.placed(), .delivered())
        await scene.send()
        #expect(try await scene.audience().isClosed)
        // As a transaction has it that began before the audience was closed.
        _ = try await scene.database.pool.query(
            """
            INSERT INTO card_start (tenant, activity_id, device_id, state, due_at, put_version)
            SELECT a.tenant, a.activity_id, d.id, 'waiting', 'epoch', a.put_version
            FROM activity_audience a JOIN start_device d ON d.tenant = a.tenant
            """)
        #expect(await scene.send(after: 1).isEmpty)
        #expect(try await scene.counts() == [.needless: 1])
        scene.clock.advance(by: 1)
        #expect(await scene.sender().drain() == 0)
        #expect(try await scene.store.deliveries.nextDue() == nil)
    }

    @Test func `is sent nothing in the fan-out that started it, however quick its app is`()
        async throws
    {
        let scene = try await Scene()
        try await scene.putToken("one")
        try await scene.putAudience()
        try await scene.report(.placed())
        scene.transport.answer { [store = scene.store, tenant = scene.tenant] push in
            guard push.event == "start", let token = PushToken(hex: Scene.tokenHex("card")) else {
                return .accepted
            }
            let wish = CardWish(
                token: token, environment: .sandbox, bundleID: "com.example.pizza",
                installation: "one")
            _ = try? await store.registrations.change(
                tenant, ActivityID(rawValue: Fact.order), .register(wish), CardMachine.handle)
            return .accepted
        }
        #expect(await scene.send().map(\.event) == ["start"])
        #expect(try await scene.living() == 1)
        let next = await scene.send(after: 1)
        #expect(next.map(\.event) == ["update"])
        #expect(next.map(\.tokenHex) == [Scene.tokenHex("card")])
    }

    @Test func `waits for its time`() async throws {
        let scene = try await Scene()
        try await scene.putToken("phone")
        try await scene.report(.placed())
        try await scene.putAudience(notBefore: scene.clock.now.adding(seconds: 600))
        #expect(await scene.send(after: 598).isEmpty)
        #expect(await scene.send(after: 3).count == 1)
    }

    @Test func `is not started where a card is, or was swiped away`() async throws {
        let scene = try await Scene()
        try await scene.report(.placed())
        for name in ["has", "dismissed"] {
            let wish = CardWish(
                token: try #require(PushToken(hex: Scene.tokenHex(name + "-card"))),
                environment: .sandbox, bundleID: "com.example.pizza", installation: name)
            let activity = ActivityID(rawValue: Fact.order)
            _ = try await scene.store.registrations.change(
                scene.tenant, activity, .register(wish), CardMachineRules.handle)
            try await scene.putToken(name)
        }
        _ = try await scene.store.registrations.change(
            scene.tenant, ActivityID(rawValue: Fact.order),
            .report(.installation("dismissed"), .dismissed), CardMachineRules.handle)
        try await scene.putToken("listens")
        _ = try await scene.store.registrations.change(
            scene.tenant, ActivityID(rawValue: Fact.order),
            .listen(
                installation: "listens",
                with: AppInEnvironment(bundleID: "com.example.pizza", environment: .sandbox)),
            CardMachineRules.handle)
        try await scene.putAudience()
        await scene.send()
        #expect(scene.starts.isEmpty)
        #expect(try await scene.counts() == [.needless: 3])
    }

    @Test func `goes before the updates of its fan-out, with an earlier or the same time`()
        async throws
    {
        let scene = try await Scene()
        try await scene.register("watching")
        try await scene.putToken("phone")
        try await scene.putAudience()
        try await scene.report(.placed(), .assigned("Ada"))
        let pushes = await scene.send()
        #expect(pushes.map(\.event) == ["start", "update"])
        #expect(pushes.first?.timestamp == pushes.last?.timestamp)
    }

    @Test func `is held when the phone's budget is spent, and comes when there is some again`()
        async throws
    {
        let scene = try await Scene()
        try await scene.putToken("phone")
        for number in 1...9 {
            try await scene.putAudience("order-\(number)")
            try await scene.report(.placed("order-\(number)"))
            await scene.send(after: 1)
        }
        #expect(scene.starts.count == 8)
        await scene.send(after: 800)
        #expect(scene.starts.count == 8)
        await scene.send(after: 110)
        #expect(scene.starts.count == 9)
    }

    @Test func `takes nothing from the budget while it is kept back for its app`() async throws {
        let scene = try await Scene()
        try await scene.putToken("phone")
        try await scene.putAudience()
        try await scene.report(.placed())
        scene.transport.answer { _ in
            .deferred(reason: AppSuspension.keyRefused.rawValue, seconds: 60)
        }
        // More often than there are starts in the budget.
        for _ in 0..<10 { #expect(await scene.send(after: 1).count == 1) }
        #expect(try await scene.counts() == [.waiting: 1])
        scene.transport.answer { _ in .refused(429, .tooManyRequests) }
        #expect(await scene.send(after: 700).count == 1)
        scene.transport.answer { _ in .accepted }
        #expect(await scene.send(after: 5).count == 1)
        #expect(try await scene.counts() == [.started: 1])
    }

    @Test func `comes before its time when what it was held for is over`() async throws {
        let scene = try await Scene()
        try await scene.putToken("phone")
        for number in 1...9 {
            try await scene.putAudience("order-\(number)")
            try await scene.report(.placed("order-\(number)"))
            await scene.send(after: 1)
        }
        _ = try await scene.database.pool.query(
            """
            UPDATE card_start SET reason = 'quiet-hours', due_at = '2200-01-01'
            WHERE state = 'held'
            """)
        await scene.send(after: 2_000)
        #expect(scene.starts.count == 8)
        try await scene.report(.assigned("Ada", "order-9"))
        await scene.send(after: 1)
        #expect(scene.starts.count == 9)
        #expect(try await scene.counts("order-9") == [.started: 1])
    }

    @Test func `goes to very many phones page by page, in several fan-outs`() async throws {
        let scene = try await Scene()
        try await scene.putManyTokens(5_600)
        try await scene.putAudience()
        try await scene.report(.placed())
        await scene.send()
        #expect(scene.starts.count == 5_000)
        #expect(try await !scene.audience().isComplete)
        await scene.send(after: 1)
        #expect(scene.starts.count == 5_600)
        let tokens = Set(scene.starts.map(\.tokenHex))
        #expect(tokens.count == 5_600)
        #expect(try await scene.audience().isComplete)
        #expect(try await scene.counts() == [.started: 5_600])
    }
}
