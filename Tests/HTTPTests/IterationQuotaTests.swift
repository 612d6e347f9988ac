import EventLoop
import Testing

@testable import HTTP

/// Clients with many requests, and what was begun in which iteration of the loop.
private final class Crowd {
    let loop: EventLoop
    let quota: IterationQuota
    private(set) var begun: [String] = []
    private(set) var iterations: [UInt64] = []
    private let accounts = BodyAccounts(ServerLimits())
    private let onEnd: (Crowd) -> Void
    /// Requests that are not begun, and one until all are asked for.
    private var left = 1

    init(_ loop: EventLoop, onEnd: @escaping (Crowd) -> Void) {
        self.loop = loop
        self.onEnd = onEnd
        quota = IterationQuota(loop: loop)
    }

    func account(_ name: String, connections: Int = 1) -> BodyAccounts.Account {
        let account = accounts.open(.named(name), bytesMax: 1)
        account.connections = connections
        return account
    }

    /// Begins so many requests, each as soon as it may be begun.
    func begin(_ name: String, _ count: Int, of account: BodyAccounts.Account) {
        left += count
        goOn(name, count, account)
    }

    private func goOn(_ name: String, _ count: Int, _ account: BodyAccounts.Account) {
        var rest = count
        while rest > 0, quota.take(account) {
            rest -= 1
            begun.append(name)
            iterations.append(loop.iteration)
        }
        if rest > 0 { quota.next(account) { [self] in goOn(name, rest, account) } }
        finish(count - rest)
    }

    private func finish(_ count: Int) {
        left -= count
        if left == 0 { onEnd(self) }
    }

    /// What was begun, in the order in which it was.
    static func run(_ body: @escaping @Sendable (Crowd) -> Void) async -> (String, [UInt64]) {
        let loop = EventLoop(name: "iterations")
        let found: (String, [UInt64]) = await withCheckedContinuation { continuation in
            loop.run {
                let crowd = Crowd(loop) {
                    continuation.resume(returning: ($0.begun.joined(), $0.iterations))
                }
                body(crowd)
                crowd.finish(1)
            }
        }
        await loop.shutdown()
        return found
    }
}

private let few = Limits.requestsPerIteration

@Suite(.timeLimit(.minutes(1)))
struct `Requests of one client` {
    @Test func `are begun a few in each iteration of the loop, and everybody else's go between`()
        async
    {
        let (begun, _) = await Crowd.run { crowd in
            crowd.begin("g", 40, of: crowd.account("greedy"))
            // One that comes in the meantime need not wait for all forty.
            crowd.begin("o", few + 1, of: crowd.account("other"))
        }
        #expect(begun == "g".times(few) + "o".times(few) + "g".times(few) + "o" + "gggggggg")
    }

    @Test func `wait until the sockets have been looked at`() async {
        let (begun, iterations) = await Crowd.run { crowd in
            crowd.begin("g", 5 * few, of: crowd.account("greedy"))
        }
        #expect(begun.count == 5 * few)
        // Those that have waited are begun before the loop counts the next iteration.
        let counts = Dictionary(grouping: iterations) { $0 }.values.map(\.count)
        #expect(counts.allSatisfy { $0 <= 2 * few })
    }

    @Test func `are begun in turn on its connections`() async {
        let (begun, _) = await Crowd.run { crowd in
            let account = crowd.account("greedy")
            crowd.begin("a", 40, of: account)
            crowd.begin("b", 4, of: account)
        }
        #expect(begun == "a".times(few) + "abababab" + "a".times(20))
    }

    @Test(arguments: [(1, few), (40, 40), (1_000, Limits.requestsPerIterationMax)])
    func `are more in one iteration if it has more connections, up to a bound`(
        connections: Int, expected: Int
    ) async {
        let (begun, _) = await Crowd.run { crowd in
            crowd.begin("g", expected + 1, of: crowd.account("greedy", connections: connections))
            crowd.begin("o", 1, of: crowd.account("other"))
        }
        #expect(begun == "g".times(expected) + "og")
    }

    @Test func `are fewer if there are many clients, and one of each is always begun`() async {
        let (begun, _) = await Crowd.run { crowd in
            for number in 0..<30 {
                crowd.begin(number < 8 ? "g" : "o", few, of: crowd.account("\(number)"))
            }
        }
        let first = "g".times(Limits.requestsPerIterationMaxOfAll) + "o".times(22)
        #expect(begun.hasPrefix(first))
        #expect(begun.count == 30 * few)
    }
}
