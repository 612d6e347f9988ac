import Domain
import EventStore
import Foundation
import TestSupport
import Testing

struct `A claim made while changes are folded` {
    /// Many activities make the reading of the snapshots slow, so that folds fall into it.
    @Test func `never shows a decision with a state that is older than it`() async throws {
        let scene = try await DeliveryScene([])
        let names = (0..<200).map { "order-\($0)" }
        _ = try await scene.store.log.append(scene.tenant, names.map { Samples.event($0, $0) })
        try await Samples.foldAll(scene.store)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var number = 0
                while !Task.isCancelled {
                    number += 1
                    let events = names.suffix(20).map { Samples.event("\($0) \(number)", $0) }
                    _ = try await scene.store.log.append(scene.tenant, events)
                    try await Samples.foldAll(scene.store)
                }
            }
            var decisions = 0
            for round in 0..<12 {
                let claims = try await scene.store.deliveries.claimNext(
                    200, .all, scene.now.adding(seconds: Double(round)))
                for claim in claims {
                    let newest = claim.pending.last?.version ?? claim.lastCompleted?.version ?? 0
                    decisions = max(decisions, claim.pending.count)
                    #expect(newest <= claim.snapshot.version)
                    await scene.store.deliveries.release(claim)
                }
            }
            #expect(decisions > 1)
            group.cancelAll()
            do { try await group.waitForAll() } catch is CancellationError {} catch {
                guard Task.isCancelled else { return }
            }
        }
    }
}

struct `A result that comes late` {
    @Test func `says nothing about a registration made again since`() async throws {
        let scene = try await DeliveryScene()
        let id = try await scene.register("a")
        let claim = try #require(try await scene.claim().first)
        let later = scene.now.adding(seconds: 300)
        #expect(try await scene.register("a") == id)
        for result: PhoneResult.Effect in [
            .accepted(version: 1), .retry(at: later, reason: "busy"), .givenUp(reason: "BadTopic"),
            .dead(reason: "Unregistered", since: nil, retryAt: later),
        ] {
            try await scene.store.deliveries.record(claim, [scene.result(id, result)])
        }
        let page = try await scene.store.deliveries.page(claim, true, scene.now, 0, 9)
        #expect(page.map(\.tokenVersion) == [2])
        #expect(page.map(\.attempts) == [0])
        #expect(page.map(\.sentVersion) == [0])
    }

    @Test func `does not bring a dead registration back`() async throws {
        let scene = try await DeliveryScene()
        let id = try await scene.register("a")
        let claim = try #require(try await scene.claim().first)
        let later = scene.now.adding(seconds: 300)
        for result: PhoneResult.Effect in [
            .dead(reason: "Unregistered", since: nil, retryAt: later), .accepted(version: 1),
            .retry(at: later, reason: "busy"),
        ] {
            try await scene.store.deliveries.record(claim, [scene.result(id, result)])
        }
        #expect(try await scene.store.phoneCount(scene.tenant, scene.activity) == 0)
    }
}
