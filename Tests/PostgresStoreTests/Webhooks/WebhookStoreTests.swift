import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// A tenant that has no event yet, with a webhook.
private struct ReceiverScene {
    let delivery: DeliveryScene

    init() async throws {
        delivery = try await DeliveryScene([])
        let isAdded = try await add("wh_1")
        #expect(isAdded)
    }

    var tenant: TenantID { delivery.tenant }
    var now: Moment { delivery.now }
    var webhooks: any WebhookStore { delivery.store.webhooks }
    var feed: any WebhookFeed { webhooks.feed }

    func add(_ id: String, of other: TenantID? = nil) async throws -> Bool {
        let owner = other ?? tenant
        return try await webhooks.add(
            Webhook(tenant: owner, id: id, url: "https://a.example", createdAt: Samples.time),
            WebhookSecret(tenant: owner, webhookID: id, sealed: [1], masterKeyID: "m1"))
    }

    func secret(_ byte: UInt8, of id: String = "wh_1") -> WebhookSecret {
        WebhookSecret(tenant: tenant, webhookID: id, sealed: [byte], masterKeyID: "m1")
    }

    func webhook() async throws -> Webhook {
        let all = try await webhooks.all(tenant, "wh_1")
        return try #require(all.map(\.0).first)
    }

    func figures() async throws -> WebhookFigures {
        let all = try await webhooks.all(tenant, "wh_1")
        return try #require(all.map(\.1).first)
    }

    func take(_ lease: String = "one", after seconds: Double = 0) async throws -> WebhookLease? {
        try await feed.take(10, lease, now.adding(seconds: seconds), except: []).first
    }

    func lease(after seconds: Double = 0) async throws -> WebhookLease {
        try #require(try await take(after: seconds))
    }

    func failure(_ activity: String, again seconds: Double) -> WebhookResults.Failure {
        WebhookResults.Failure(
            message: WaitingMessage(
                activityID: ActivityID(rawValue: activity), after: 0, version: 1, attempts: 1,
                firstTriedAt: now),
            reason: "status 500", retryAt: now.adding(seconds: seconds))
    }

    func results(
        _ lease: WebhookLease, _ place: ActivityChange.Place, done: [String] = [],
        failures: [WebhookResults.Failure] = [], health: WebhookHealth = WebhookHealth(),
        stop: Webhook.Stop? = nil
    ) -> WebhookResults {
        WebhookResults(
            place: place, rejections: lease.rejections, delivered: done.count,
            failed: failures.count, done: done.map { ActivityID(rawValue: $0) },
            failures: failures, health: health, stop: stop)
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `The store of webhooks` {
    @Test func `lists a tenant's, oldest first, and shows and changes no other's`() async throws {
        let scene = try await ReceiverScene()
        let webhooks = scene.webhooks
        let other = try await scene.delivery.store.tenants.ensure("other").id
        #expect(try await scene.add("wh_0"))
        #expect(try await webhooks.all(scene.tenant, nil).map(\.0.id) == ["wh_1", "wh_0"])
        #expect(try await webhooks.all(scene.tenant, "wh_0").map(\.0.id) == ["wh_0"])
        #expect(try await webhooks.all(other, nil).isEmpty)
        #expect(try await webhooks.all(other, "wh_0").isEmpty)
        #expect(try await webhooks.secrets((other, "wh_0")).isEmpty)
        #expect(try await !webhooks.edit(other, "wh_0", WebhookEdit(isEnabled: false)))
        #expect(try await !webhooks.remove(other, "wh_0"))
        #expect(try await webhooks.all(scene.tenant, "wh_0").map(\.0.stop) == [nil])
        #expect(try await webhooks.remove(scene.tenant, "wh_0"))
        #expect(try await !webhooks.remove(scene.tenant, "wh_0"))
        #expect(try await webhooks.secrets(nil).map(\.webhookID) == ["wh_1"])
    }

    @Test func `has as many as a tenant may have, however many are added at once`() async throws {
        let scene = try await ReceiverScene()
        let limit = Limits.webhooksPerTenantMax
        for number in 3..<limit { #expect(try await scene.add("wh_a\(number)")) }
        // Several times, since a race does not come up each time.
        for _ in 0..<10 {
            for number in 0..<8 {
                _ = try await scene.webhooks.remove(scene.tenant, "wh_b\(number)")
            }
            let added = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<8 {
                    group.addTask { try await scene.add("wh_b\(number)") }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let count = added.count { $0 }
            #expect(count == 2)
        }
        #expect(try await scene.webhooks.all(scene.tenant, nil).count == limit)
        #expect(try await scene.webhooks.secrets(nil).count == limit)
        let other = try await scene.delivery.store.tenants.ensure("other").id
        #expect(try await scene.add("wh_1", of: other))
    }

    @Test func `signs with another secret, and for a while with the one before`() async throws {
        let scene = try await ReceiverScene()
        let webhooks = scene.webhooks
        #expect(try await webhooks.rotate(scene.secret(2), 3_600))
        let both = try await webhooks.secrets((scene.tenant, "wh_1"))
        #expect(both.map(\.sealed) == [[2], [1]])
        #expect(both.map { $0.endsAt == nil } == [true, false])
        // Its receiver may know the first one only, if the answer with the second was lost.
        #expect(try await webhooks.rotate(scene.secret(3), 7_200))
        let all = try await webhooks.secrets((scene.tenant, "wh_1"))
        #expect(all.map(\.sealed) == [[3], [2], [1]])
        #expect(all.last?.endsAt == both.last?.endsAt, "no later than was said")
        // A shorter time is one for the secret before, and cuts no other.
        #expect(try await webhooks.rotate(scene.secret(6), 60))
        let sooner = try await webhooks.secrets((scene.tenant, "wh_1"))
        #expect(sooner.map(\.sealed) == [[6], [3], [2], [1]])
        #expect(sooner.suffix(2).map(\.endsAt) == all.suffix(2).map(\.endsAt))
        let first = try #require(both.last?.endsAt)
        #expect(try #require(sooner[1].endsAt) < first)
        _ = try await scene.delivery.database.pool.query(
            "UPDATE webhook_secret SET ends_at = clock_timestamp() WHERE ends_at IS NOT NULL")
        #expect(try await webhooks.secrets((scene.tenant, "wh_1")).map(\.sealed) == [[6]])
        #expect(try await webhooks.rotate(scene.secret(5), 3_600))
        #expect(try await webhooks.rotate(scene.secret(4), 0))
        #expect(try await webhooks.secrets((scene.tenant, "wh_1")).map(\.sealed) == [[4]])
        #expect(try await !webhooks.rotate(scene.secret(5, of: "wh_2"), 0))
        #expect(try await webhooks.secrets(nil).map(\.sealed) == [[4]])
    }

    @Test func `has one secret without an end, however many are made at once`() async throws {
        let scene = try await ReceiverScene()
        let made = try await withThrowingTaskGroup(of: Bool.self) { group in
            for byte in UInt8(2)...9 {
                group.addTask { try await scene.webhooks.rotate(scene.secret(byte), 3_600) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(made == [Bool](repeating: true, count: 8))
        let left = try await scene.webhooks.secrets((scene.tenant, "wh_1"))
        #expect(left.map { $0.endsAt == nil } == [true, false, false, false, false])
    }

    @Test func `sends nothing while one is off, and goes on where it stopped`() async throws {
        let scene = try await ReceiverScene()
        let webhooks = scene.webhooks
        #expect(
            try await webhooks.edit(scene.tenant, "wh_1", WebhookEdit(isEnabled: false)))
        try await scene.delivery.change(.timely)
        #expect(try await scene.take() == nil)
        let off = try await scene.webhook()
        #expect(off.stop == .owner && off.stoppedAt != nil)
        #expect(try await scene.figures().behind == 1)
        #expect(try await webhooks.edit(scene.tenant, "wh_1", WebhookEdit(isEnabled: true)))
        #expect(try await scene.webhook().stop == nil)
        let lease = try await scene.lease()
        let work = try await scene.feed.work(lease, 10, scene.now)
        #expect(work.items.map { $0.snapshot?.version } == [1])
        // The receiver wants no more.
        #expect(
            try await !scene.feed.record(
                lease, scene.results(lease, work.place, stop: .gone), scene.now))
        #expect(try await scene.webhook().stop == .gone)
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `The store of what webhooks are sent` {
    @Test func `begins with what changes after one was added, an activity once`() async throws {
        let scene = try await ReceiverScene()
        try await scene.delivery.change(.timely)
        #expect(try await scene.add("wh_2"))
        let early = try await scene.feed.take(10, "early", scene.now, except: [])
        #expect(early.map(\.webhook.id) == ["wh_1"])
        for verdict in [Verdict.timely, .hold, .alert] {
            try await scene.delivery.change(verdict)
        }
        let late = try await scene.feed.take(10, "late", scene.now, except: [])
        #expect(late.map(\.webhook.id) == ["wh_2"])
        let work = try await scene.feed.work(try #require(late.first), 10, scene.now)
        #expect(work.items.map { $0.snapshot?.version } == [4])
        #expect(work.items.map { $0.pending.map(\.version) } == [[2, 4]])
        #expect(work.place.position == 4)
        #expect(!work.isFull)
    }

    @Test func `leases one to one node at a time, and to another when its time is over`()
        async throws
    {
        let scene = try await ReceiverScene()
        let (feed, now) = (scene.feed, scene.now)
        try await scene.delivery.change(.timely)
        let first = try await scene.lease()
        #expect(try await scene.take("two", after: 9) == nil)
        #expect(try await feed.renew(first, now.adding(seconds: 5)))
        #expect(try await scene.take("two", after: 14) == nil)
        let second = try #require(try await scene.take("two", after: 15))
        #expect(try await !feed.renew(first, now.adding(seconds: 15)))
        let results = scene.results(
            first, .init(position: 1), failures: [scene.failure("order-1", again: 1)])
        #expect(try await !feed.record(first, results, now.adding(seconds: 15)))
        try await scene.delivery.fail("wh_1", "order-9", triedAfter: 0, again: 9_000)
        // As by one who was the first after a pause to reach the receiver.
        var failing = first
        failing.webhook.health.failingSince = now
        let recovered = scene.results(failing, .init(position: 1))
        #expect(try await !feed.record(failing, recovered, now.adding(seconds: 15)))
        #expect(try await feed.work(second, 10, now.adding(seconds: 15)).items.count == 1)
        try await feed.release(first)
        #expect(try await scene.take("three", after: 16) == nil)
        try await feed.release(second)
        let third = try #require(try await scene.take("three", after: 16))
        // Nothing was written by the one that had lost it.
        #expect(third.place.position == 0)
        #expect(try await scene.figures().waiting == 1)
    }

    @Test func `sends what did not arrive again when it is due, with what is new by then`()
        async throws
    {
        let scene = try await ReceiverScene()
        let feed = scene.feed
        try await scene.delivery.change(.timely)
        let first = try await scene.lease()
        let failed = scene.results(
            first, .init(position: 1), failures: [scene.failure("order-1", again: 60)])
        #expect(try await feed.record(first, failed, scene.now))
        try await feed.release(first)
        let waiting = try await scene.figures()
        #expect(waiting.waiting == 1 && waiting.failed == 1 && waiting.behind == 0)
        #expect(try await scene.take(after: 59) == nil)
        // What is due for another webhook is not for this one.
        #expect(try await scene.add("wh_2"))
        #expect(
            try await scene.webhooks.edit(scene.tenant, "wh_2", WebhookEdit(isEnabled: false)))
        try await scene.delivery.fail("wh_2", "order-5", triedAfter: 0, again: 60)
        let again = try await scene.lease(after: 60)
        try await scene.delivery.change(.alert)
        let later = scene.now.adding(seconds: 60)
        let work = try await feed.work(again, 10, later)
        #expect(work.items.map { $0.waiting?.attempts } == [1])
        #expect(work.items.map { $0.pending.map(\.version) } == [[1, 2]])
        let arrived = scene.results(again, work.place, done: ["order-1"])
        #expect(try await feed.record(again, arrived, later))
        try await feed.release(again)
        let settled = try await scene.figures()
        #expect(settled.waiting == 0 && settled.delivered == 1)
        #expect(try await scene.take(after: 9_000) == nil)
    }

    @Test func `ends the pause of one that failed when it is resumed, and of no other`()
        async throws
    {
        let scene = try await ReceiverScene()
        try await scene.delivery.change(.timely)
        #expect(try await scene.add("wh_2"))
        let first = try await scene.lease()
        let failing = WebhookHealth(
            failures: 9, failingSince: scene.now, pausedUntil: scene.now.adding(seconds: 300),
            lastFailure: "status 500")
        let failed = scene.results(
            first, .init(position: 1), failures: [scene.failure("order-1", again: 5_000)],
            health: failing)
        #expect(try await scene.feed.record(first, failed, scene.now))
        try await scene.feed.release(first)
        try await scene.webhooks.resume(scene.tenant, "wh_2")
        let other = try await scene.delivery.store.tenants.ensure("other").id
        try await scene.webhooks.resume(other, "wh_1")
        #expect(try await scene.take(after: 1) == nil)
        try await scene.webhooks.resume(scene.tenant, "wh_1")
        #expect(try await scene.webhook().health.pausedUntil == nil)
        let second = try await scene.lease(after: 1)
        let due = try await scene.feed.work(second, 10, scene.now.adding(seconds: 1))
        #expect(due.items.map { $0.waiting?.activityID.rawValue } == ["order-1"])
    }

    @Test func `pauses while nothing arrives, and then has all that waits due at once`()
        async throws
    {
        let scene = try await ReceiverScene()
        let feed = scene.feed
        try await scene.delivery.change(.timely)
        _ = try await scene.delivery.store.log.append(
            scene.tenant, [Samples.event("2", "order-2")])
        try await Samples.foldAll(scene.delivery.store)
        let first = try await scene.lease()
        let failed = scene.results(
            first, .init(position: 2),
            failures: [
                scene.failure("order-1", again: 10), scene.failure("order-2", again: 5_000),
            ],
            health: WebhookHealth(
                failures: 1, failingSince: scene.now, pausedUntil: scene.now.adding(seconds: 100),
                lastFailure: "status 500"))
        #expect(try await feed.record(first, failed, scene.now))
        try await feed.release(first)
        #expect(try await scene.take(after: 99) == nil)
        let second = try await scene.lease(after: 100)
        let due = try await feed.work(second, 10, scene.now.adding(seconds: 100))
        #expect(due.items.map { $0.waiting?.activityID.rawValue } == ["order-1"])
        let arrived = scene.results(
            second, due.place, done: ["order-1"], failures: [scene.failure("order-3", again: 900)])
        #expect(try await feed.record(second, arrived, scene.now.adding(seconds: 100)))
        try await feed.release(second)
        let third = try await scene.lease(after: 101)
        let rest = try await feed.work(third, 10, scene.now.adding(seconds: 101))
        #expect(rest.items.map { $0.waiting?.activityID.rawValue } == ["order-2"])
    }
}
