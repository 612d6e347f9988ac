import Testing

@testable import APNsClient

struct BackoffTests {
    private let timing = APNsTiming(
        reconnectDelayMin: .milliseconds(100), reconnectDelayMax: .seconds(1))

    @Test func `there is no wait before the first failure and after a success`() {
        var backoff = Backoff(timing)
        #expect(backoff.delay(jitter: 0.99) == .zero)
        backoff.failed()
        backoff.succeeded()
        #expect(backoff.delay(jitter: 0.99) == .zero)
    }

    @Test func `each failure doubles the wait up to the largest`() {
        var backoff = Backoff(timing)
        var waits: [Duration] = []
        for _ in 0..<6 {
            backoff.failed()
            waits.append(backoff.delay(jitter: 1))
        }
        #expect(waits == [100, 200, 400, 800, 1_000, 1_000].map { .milliseconds($0) })
        for _ in 0..<10_000 { backoff.failed() }
        #expect(backoff.delay(jitter: 1) == .seconds(1))
    }

    @Test func `chance takes away at most half of the wait`() {
        var backoff = Backoff(timing)
        backoff.failed()
        #expect(backoff.delay(jitter: 0) == .milliseconds(50))
        #expect(backoff.delay(jitter: 0.5) == .milliseconds(75))
    }
}
