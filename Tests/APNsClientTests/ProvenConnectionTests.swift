import EventLoop
import HTTP
import TestSupport
import Testing

@testable import APNsClient

extension APNsClient {
    /// As if its connection had just been opened, and a first push were under way.
    fileprivate func beginProving() async -> Bool {
        connections = connections.map { ProvenConnection($0.http) }
        return await connections.first?.admission() ?? false
    }

    fileprivate func enter() async { _ = await connections.first?.admission() }

    fileprivate func report() { connections.first?.report(isAnsweredWell: true) }
}

struct ProvenConnectionTests {
    @Test(.timeLimit(.minutes(1)))
    func `nobody begins to wait for an answer that has just come`() async throws {
        try await APNsStandIn.run { _, _, _ in
            .ok
        } body: { standIn in
            let client = standIn.client
            _ = await client.push(APNsStandIn.push())
            for round in 0..<300 {
                let goesFirst = await client.beginProving()
                #expect(goesFirst)
                let entered = Lock(0)
                for number in 0..<20 {
                    Task {
                        await client.enter()
                        entered.withLock { $0 += 1 }
                    }
                    if number == 10 { Task { await client.report() } }
                }
                // Tasks of their own, so that one that is forgotten fails the test at once.
                let deadline = ContinuousClock.now + .seconds(10)
                while entered.value < 20, ContinuousClock.now < deadline {
                    try await Task.sleep(for: .microseconds(100))
                }
                try #require(entered.value == 20, "forgotten in round \(round)")
            }
        }
    }
}
