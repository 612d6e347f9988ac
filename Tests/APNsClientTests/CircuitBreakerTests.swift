import EventLoop
import Testing

@testable import APNsClient

/// The machine's story, told with a clock of the test's own.
struct CircuitBreakerTests {
    private let start = ContinuousClock.now
    private var breaker = CircuitBreaker(
        Backoff(from: .seconds(1), to: .seconds(30)),
        failuresMax: 3, probePatience: .seconds(10))

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    private mutating func fail(at seconds: Int) -> CircuitBreaker.Change? {
        breaker.failed(begunAt: at(seconds), at: at(seconds), jitter: 1)
    }

    @Test mutating func `closed, a failure costs a pause that has run since then`() {
        #expect(breaker.permit(at: at(0)) == .connect(after: .zero))
        #expect(fail(at: 0) == nil)
        #expect(breaker.permit(at: at(0)) == .connect(after: .seconds(1)))
        #expect(fail(at: 1) == nil)
        #expect(breaker.permit(at: at(2)) == .connect(after: .seconds(1)))
        #expect(breaker.permit(at: at(9)) == .connect(after: .zero))
        #expect(!breaker.refuses(at: at(2)))
    }

    @Test mutating func `a success forgets the failures before it`() {
        _ = fail(at: 0)
        _ = fail(at: 1)
        #expect(breaker.succeeded() == nil)
        #expect(breaker.permit(at: at(1)) == .connect(after: .zero))
        #expect(fail(at: 2) == nil)
        #expect(fail(at: 3) == nil)
        #expect(breaker.state == .closed)
    }

    @Test mutating func `it opens once, lets one probe through, and closes when that is answered`()
    {
        _ = fail(at: 0)
        _ = fail(at: 1)
        #expect(fail(at: 2) == .opened(failures: 3))
        #expect(breaker.permit(at: at(3)) == .refused)
        #expect(breaker.refuses(at: at(5)))
        #expect(!breaker.refuses(at: at(6)))
        #expect(breaker.permit(at: at(6)) == .connect(after: .zero))
        #expect(breaker.permit(at: at(6)) == .refused)
        #expect(breaker.succeeded() == .closed)
        #expect(breaker.permit(at: at(6)) == .connect(after: .zero))
    }

    @Test mutating func `a probe that fails opens it for longer, and is no news`() {
        for second in 0...2 { _ = fail(at: second) }
        #expect(breaker.permit(at: at(6)) == .connect(after: .zero))
        #expect(fail(at: 6) == nil)
        #expect(breaker.state == .open(until: at(14)))
    }

    @Test mutating func `a probe of which nobody reports makes room for another`() {
        for second in 0...2 { _ = fail(at: second) }
        _ = breaker.permit(at: at(6))
        #expect(breaker.permit(at: at(15)) == .refused)
        #expect(breaker.permit(at: at(16)) == .connect(after: .zero))
    }

    @Test mutating func `attempts that failed together are one failure`() {
        for second in 1...9 {
            #expect(breaker.failed(begunAt: at(0), at: at(second), jitter: 1) == nil)
        }
        #expect(breaker.failures == 1)
    }
}
