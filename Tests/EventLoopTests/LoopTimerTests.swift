import EventLoop
import Testing

@Suite struct LoopTimerTests {
    /// Runs `body` on a fresh loop with a list to write in and a function that ends the test.
    private func onLoop(
        _ body: @escaping @Sendable (EventLoop, Lock<[Int]>, @escaping @Sendable () -> Void) -> Void
    ) async -> [Int] {
        let loop = EventLoop(name: "timers")
        let seen = Lock<[Int]>([])
        await withCheckedContinuation { continuation in
            loop.run { body(loop, seen) { continuation.resume() } }
        }
        await loop.shutdown()
        return seen.withLock { $0 }
    }

    @Test func `timers fire by due time, not by the order of the calls`() async {
        let seen = await onLoop { loop, seen, end in
            loop.schedule(after: .milliseconds(30)) {
                seen.withLock { $0.append(3) }
                end()
            }
            loop.schedule(after: .milliseconds(1)) { seen.withLock { $0.append(1) } }
            loop.schedule(after: .milliseconds(15)) { seen.withLock { $0.append(2) } }
        }
        #expect(seen == [1, 2, 3])
    }

    @Test func `timers due together fire in the order of the calls`() async {
        let seen = await onLoop { loop, seen, end in
            for number in 0..<20 {
                loop.schedule(after: .milliseconds(5)) { seen.withLock { $0.append(number) } }
            }
            loop.schedule(after: .milliseconds(5)) { end() }
        }
        #expect(seen == Array(0..<20))
    }

    @Test func `a cancelled timer does not fire, not even when it is due already`() async {
        let seen = await onLoop { loop, seen, end in
            let later = loop.schedule(after: .milliseconds(5)) { seen.withLock { $0.append(1) } }
            loop.schedule(after: .milliseconds(5)) {
                end()
            }
            later.cancel()
            later.cancel()
        }
        #expect(seen == [])
    }

    @Test func `a timer that is never due waits, however far off that is`() async {
        let seen = await onLoop { loop, seen, end in
            loop.schedule(after: .seconds(Int64.max)) { seen.withLock { $0.append(1) } }
            loop.schedule(after: .milliseconds(5)) { end() }
        }
        #expect(seen == [])
    }

    @Test func `timers that start each other without a delay fire once in an iteration`() async {
        let seen = await onLoop { loop, seen, end in
            func fire() {
                let count = seen.withLock { seen in
                    seen.append(Int(loop.iteration))
                    return seen.count
                }
                if count < 5 { loop.schedule(after: .zero, fire) } else { end() }
            }
            loop.schedule(after: .zero, fire)
        }
        #expect(seen.map { $0 - (seen.first ?? 0) } == Array(0..<5))
    }

    @Test func `timers without a delay fire in the order of the calls, whatever schedules them`()
        async
    {
        let seen = await onLoop { loop, seen, end in
            loop.schedule(after: .zero) {
                loop.schedule(after: .zero) { seen.withLock { $0.append(1) } }
                loop.run {
                    loop.schedule(after: .zero) {
                        seen.withLock { $0.append(2) }
                        end()
                    }
                }
            }
        }
        #expect(seen == [1, 2])
    }

    @Test func `a timer without a delay can be cancelled by the timer that starts it`() async {
        let seen = await onLoop { loop, seen, end in
            loop.schedule(after: .zero) {
                loop.schedule(after: .zero) { seen.withLock { $0.append(1) } }.cancel()
                loop.schedule(after: .zero, end)
            }
        }
        #expect(seen == [])
    }

    @Test(arguments: [Duration.zero, .microseconds(300), .milliseconds(1), .milliseconds(12)])
    func `a timer never fires early`(delay: Duration) async {
        let loop = EventLoop(name: "early")
        let elapsed: Duration = await withCheckedContinuation { continuation in
            loop.run {
                let start = ContinuousClock.now
                loop.schedule(after: delay) { continuation.resume(returning: .now - start) }
            }
        }
        #expect(elapsed >= delay)
        await loop.shutdown()
    }

    @Test func `the loop's clock moves with time`() async {
        let loop = EventLoop(name: "clock")
        let (before, after): (UInt64, UInt64) = await withCheckedContinuation { continuation in
            loop.run {
                let before = loop.nowMillis
                loop.schedule(after: .milliseconds(10)) {
                    continuation.resume(returning: (before, loop.nowMillis))
                }
            }
        }
        #expect(after >= before + 10)
        await loop.shutdown()
    }
}
