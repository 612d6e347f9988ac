import APNs
import Delivery
import Domain
import EventLoop
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

/// Something happens while a fan-out is on its way through many phones.
struct `A newer change` {
    /// Five pages of phones; the first one has not been answered when `facts` are reported, and so
    /// up to three pages may be under way.
    private static func overtaken(by facts: Fact...) async throws -> Scene {
        let scene = try await Scene()
        try await scene.registerMany(2_200)
        try await scene.report(.placed())
        await scene.send()
        try await scene.report(.assigned("Ada"))
        scene.clock.advance(by: 1)
        scene.transport.forget()
        let (isFirst, isReported) = (Lock(true), Lock(false))
        scene.transport.answer { _ in
            let reports = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if reports {
                do { try await scene.report(facts) } catch { Issue.record(error) }
                scene.clock.advance(by: 1)
                isReported.withLock { $0 = true }
            }
            // No further page begins before: none of those under way is answered.
            while !isReported.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(1)) }
            return .accepted
        }
        await scene.sender().drain()
        return scene
    }

    @Test func `goes to the rest of the phones at once, and with its own fan-out to the others`()
        async throws
    {
        let scene = try await Self.overtaken(by: .late(20, minute: 10))
        let delay = "Order 1042 comes about 20 minutes later than promised."
        let first = scene.transport.pushes
        #expect(first.count == 2_200)
        let early = first.filter { $0.alertBody == "Ada will bring your 2 pizzas." }
        let late = first.filter {
            $0.alertBody == "\(delay) · Ada will bring your 2 pizzas."
        }
        #expect(early.count + late.count == 2_200)
        #expect([500, 1_000, 1_500].contains(early.count))
        #expect(Set(first.compactMap(\.timestamp)).count == 2)
        #expect(try await scene.outcomes().compactMap(\.self).map(\.accepted) == [2_200, 2_200])
        let second = await scene.send(after: 1)
        #expect(Set(second.map(\.tokenHex)) == Set(early.map(\.tokenHex)))
        #expect(Set(second.map(\.alertBody)) == [delay])
        let outcomes = try await scene.outcomes().compactMap(\.self)
        #expect(outcomes.map(\.accepted) == [2_200, 2_200, 2_200])
        #expect(outcomes.map(\.carriedBy) == [1, 2, 3])
        #expect(await scene.send(after: 600).isEmpty)
    }

    @Test
    func `names no push in the ledger of a fan-out that an earlier push covered`()
        async throws
    {
        let scene = try await Self.overtaken(by: .arriving())
        let early = scene.transport.pushes.filter { !($0.alertBody ?? "").contains("arriving") }
        _ = try await scene.database.pool.query(
            "UPDATE registration SET dead_at = now() WHERE push_token = ANY($1)",
            [.texts(early.map(\.tokenHex))])
        #expect(await scene.send(after: 1).isEmpty)
        let outcome = try #require(try await scene.outcomes().last ?? nil)
        #expect(outcome.accepted == 2_200 - early.count)
        #expect(outcome.timestamp == nil)
    }

    @Test func `that ends the activity is the last that a phone hears, and it hears it once`()
        async throws
    {
        let scene = try await Self.overtaken(by: .delivered())
        await scene.send(after: 1)
        let ends = scene.transport.pushes.filter { $0.event == "end" }
        #expect(ends.count == 2_200)
        #expect(Set(ends.map(\.tokenHex)).count == 2_200)
        for (_, pushes) in Dictionary(grouping: scene.transport.pushes, by: \.tokenHex) {
            #expect(pushes.last?.event == "end")
        }
        #expect(await scene.send(after: 600).isEmpty)
    }

    @Test func `keeps words that are not true any more from the rest of the phones`() async throws {
        let scene = try await Self.overtaken(by: .assigned("Bob", minute: 6))
        let rest = scene.transport.pushes.dropFirst(1_500)
        #expect(rest.count == 700)
        #expect(rest.allSatisfy { !$0.text.contains("Ada") })
    }

    @Test func `is sent with later pushes in each phone's order`() async throws {
        let scene = try await Self.overtaken(by: .arriving())
        await scene.send(after: 1)
        try await scene.report(.delivered())
        await scene.send(after: 1)
        for (_, pushes) in Dictionary(grouping: scene.transport.pushes, by: \.tokenHex) {
            let times = pushes.compactMap(\.timestamp)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        }
    }
}

struct `Of phones to which nothing special happened` {
    @Test func `nothing is written down, and still a first failure knows what they heard`()
        async throws
    {
        let scene = try await Scene()
        try await scene.registerMany(3)
        try await scene.report(.placed())
        await scene.send()
        try await scene.report(.assigned("Ada"))
        await scene.send(after: 1)
        #expect(try await versions(scene) == [0, 0, 0])
        scene.transport.answer { _ in .refused(503, .serviceUnavailable) }
        try await scene.report(.arriving())
        await scene.send(after: 1)
        #expect(try await versions(scene) == [2, 2, 2])
        scene.transport.answer { _ in .accepted }
        let again = await scene.send(after: 2)
        #expect(again.map(\.alertBody) == Array(repeating: "Ada is arriving.", count: 3))
        #expect(try await versions(scene) == [3, 3, 3])
    }

    private func versions(_ scene: Scene) async throws -> [Int64] {
        try await scene.database.pool.query("SELECT sent_version FROM registration ORDER BY id")
            .map { try $0.get(0) }
    }
}
