import Testing

@testable import EventLoop

struct BackoffTests {
    @Test func `there is no wait before the first failure and after a success`() {
        var backoff = Backoff(from: .milliseconds(100), to: .seconds(1))
        #expect(backoff.delay(jitter: 0.99) == .zero)
        backoff.failed()
        backoff.succeeded()
        #expect(backoff.delay(jitter: 0.99) == .zero)
    }

    @Test func `each failure doubles the wait up to the largest`() {
        var backoff = Backoff(from: .milliseconds(100), to: .seconds(1))
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
        var backoff = Backoff(from: .milliseconds(100), to: .seconds(1))
        backoff.failed()
        #expect(backoff.delay(jitter: 0) == .milliseconds(50))
        #expect(backoff.delay(jitter: 0.5) == .milliseconds(75))
    }

    @Test func `a caller that spreads nothing waits the whole time`() {
        var backoff = Backoff(from: .milliseconds(50), to: .milliseconds(150))
        #expect(
            [backoff.next(), backoff.next(), backoff.next()]
                == [50, 100, 150].map { .milliseconds($0) })
        backoff.succeeded()
        #expect(backoff.next() == .milliseconds(50))
    }
}
