import EventLoop
import Testing

@testable import HTTP

struct `Requests of one client` {
    @Test func `are begun a few in each iteration of the loop, and everybody else's go between`()
        async throws
    {
        let loop = EventLoop(name: "iterations")
        let begun: [String] = await withCheckedContinuation { continuation in
            loop.run {
                let accounts = BodyAccounts(ServerLimits())
                let (greedy, other) = (
                    accounts.open(.named("greedy"), bytesMax: 1),
                    accounts.open(.named("other"), bytesMax: 1)
                )
                let quota = IterationQuota(loop: loop)
                var left = 40
                var begun: [String] = []
                func begin() {
                    while left > 0, quota.take(greedy) {
                        left -= 1
                        begun.append("g")
                    }
                    if left > 0 { return quota.next(begin) }
                    continuation.resume(returning: begun)
                }
                begin()
                #expect(begun.count == Limits.requestsPerIterationMax)
                #expect(quota.take(other))
                // A request that comes in the meantime need not wait for all forty.
                quota.next { begun.append("o") }
            }
        }
        await loop.shutdown()
        let first = String(repeating: "g", count: Limits.requestsPerIterationMax)
        #expect(begun.joined().hasPrefix(first + first + "o"))
        #expect(begun.count == 41)
    }
}
