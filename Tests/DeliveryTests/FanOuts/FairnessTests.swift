import APNs
import Delivery
import Domain
import EventLoop
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

struct `Many phones of one activity` {
    @Test(.timeLimit(.minutes(1)))
    func `do not keep those of another waiting`() async throws {
        let scene = try await Scene()
        // More matches of many phones than there are places, all of which APNs is slow to answer.
        let matches = (0..<20).map { "match-\($0)" }
        for (number, match) in matches.enumerated() {
            try await scene.registerMany(1501, for: match, from: number * 10_000)
        }
        try await scene.register("pizza", for: "order-1")
        let pizza = Scene.tokenHex("pizza")
        let gate = Gate()
        scene.transport.answer { push in
            let number = Int(push.tokenHex.suffix(8), radix: 16) ?? 0
            if push.tokenHex != pizza, number % 10_000 > 1_000 { await gate.pass() }
            return .accepted
        }
        try await scene.report(matches.map { .placed($0) })
        let running = Task { await scene.sender().run() }
        // Two of them may send at a time.
        await gate.arrivals(1_000)
        try await scene.report(.placed("order-1"))
        try await waitUntil { scene.transport.pushes.contains { $0.tokenHex == pizza } }
        await gate.open()
        try await waitUntil { try await scene.outcomes(matches[0]).first ?? nil != nil }
        running.cancel()
        await running.value
    }

    @Test(.timeLimit(.minutes(1)))
    func `are sent to by half as many pages while somebody with few is`() async throws {
        let scene = try await Scene()
        try await scene.registerMany(3_000, for: "match", from: 0)
        try await scene.register("pizza", for: "order-1")
        let pizza = Scene.tokenHex("pizza")
        let (many, few) = (Gate(), Gate())
        scene.transport.answer { push in
            if push.tokenHex == pizza {
                await few.pass()
            } else if Int(push.tokenHex.suffix(8), radix: 16) ?? 0 > 1_000 {
                await many.pass()
            }
            return .accepted
        }
        try await scene.report(.placed("order-1"))
        let running = Task { await scene.sender().run() }
        await few.arrivals(1)
        try await scene.report(.placed("match"))
        await many.arrivals(500)
        try await Task.sleep(for: .milliseconds(200))
        #expect(scene.transport.pushes.count == 1_000 + 500 + 1)
        await few.open()
        await many.arrivals(1_000)
        await many.open()
        try await waitUntil { try await scene.outcomes("match").first ?? nil != nil }
        running.cancel()
        await running.value
    }
}
