import EventLoop
import Glibc
import TestSupport
import Testing

/// An actor that lives on a loop, as the servers' and the database's do.
private actor Resident {
    let loop: EventLoop
    var count = 0
    var strangers = 0

    init(_ loop: EventLoop) { self.loop = loop }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    func step() {
        count += 1
        if !loop.isCurrent { strangers += 1 }
    }
}

@Suite struct LoopExecutorTests {
    @Test func `ten thousand hops to an actor on a loop arrive in order and on its thread`() async {
        let loop = EventLoop(name: "hops")
        let resident = Resident(loop)
        for _ in 0..<10_000 { await resident.step() }
        #expect(await resident.count == 10_000)
        #expect(await resident.strangers == 0)
        await loop.shutdown()
    }

    @Test func `work handed over from many threads runs exactly once and never side by side`() async
    {
        let loop = EventLoop(name: "many")
        let tally = Lock((running: 0, overlaps: 0, done: 0))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<500 {
                        await loop.submit {
                            tally.withLock { $0.running += 1 }
                            tally.withLock { $0.overlaps += $0.running > 1 ? 1 : 0 }
                            tally.withLock { ($0.running, $0.done) = ($0.running - 1, $0.done + 1) }
                        }
                    }
                }
            }
        }
        #expect(tally.value.done == 4_000)
        #expect(tally.value.overlaps == 0)
        await loop.shutdown()
    }

    @Test func `closures run in the order in which one thread hands them over`() async {
        let loop = EventLoop(name: "order")
        let seen = Lock<[Int]>([])
        for number in 0..<1_000 { loop.run { seen.withLock { $0.append(number) } } }
        await loop.submit {}
        #expect(seen.value == Array(0..<1_000))
        await loop.shutdown()
    }

    @Test func `run on the loop itself waits for the next iteration`() async {
        let loop = EventLoop(name: "iterations")
        let seen = Lock<[String]>([])
        await loop.submit {
            loop.run { seen.withLock { $0.append("later") } }
            seen.withLock { $0.append("first") }
        }
        await loop.submit {}
        #expect(seen.value == ["first", "later"])
        await loop.shutdown()
    }

    @Test func `run at once does so on the loop itself alone`() async {
        let (here, there) = (EventLoop(name: "here"), EventLoop(name: "there"))
        let seen = Lock<[String]>([])
        await here.submit {
            here.runAtOnce { seen.withLock { $0.append("at once") } }
            seen.withLock { $0.append("then") }
            there.runAtOnce {
                let isThere = there.isCurrent && !here.isCurrent
                seen.withLock { $0.append(isThere ? "there" : "astray") }
            }
        }
        await there.submit {}
        #expect(seen.value == ["at once", "then", "there"])
        #expect(!here.isCurrent)
        await here.shutdown()
        await there.shutdown()
    }

    @Test func `a caller that is not cancelled gets its answer, and nothing is cancelled`() async {
        let loop = EventLoop(name: "answering")
        let isCancelled = Lock(false)
        let answer = await loop.answer(orIfCancelled: "cancelled") { continuation in
            continuation.resume(returning: loop.isCurrent ? "on the loop" : "astray")
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
        #expect(answer == "on the loop")
        await loop.shutdown()
        #expect(!isCancelled.value)
    }

    @Test func `a thread has as much of its loop's name as the system takes`() async {
        let loop = EventLoop(name: "a name that is too long")
        let name = await loop.submit { () -> String in
            let file = open("/proc/thread-self/comm", O_RDONLY)
            defer { close(file) }
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(file, &bytes, bytes.count)
            return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
        }
        #expect(name == "a name that is \n")
        await loop.shutdown()
    }

    @Test func `submit brings back what was thrown, with its type`() async {
        struct Refusal: Error, Equatable { var number: Int }
        let loop = EventLoop(name: "throws")
        await #expect(throws: Refusal(number: 7)) {
            try await loop.submit { () throws(Refusal) -> Int in throw Refusal(number: 7) }
        }
        await loop.shutdown()
    }

    @Test func `a caller that is cancelled is answered, whatever the moment`() async {
        let loop = EventLoop(name: "cancelled")
        for _ in 0..<1_000 {
            let waiting = Lock<CheckedContinuation<Bool, Never>?>(nil)
            let caller = Task {
                await loop.answer(orIfCancelled: true) { continuation in
                    waiting.withLock { $0 = continuation }
                } onCancel: {
                    waiting.withLock { $0.take() }?.resume(returning: true)
                }
            }
            caller.cancel()
            #expect(await caller.value)
        }
        await loop.shutdown()
    }

    @Test func `an immediate task that does not suspend is over before the next line`() async {
        let loop = EventLoop(name: "immediate")
        let seen = Lock<[String]>([])
        await loop.submit {
            _ = Task.immediateDetached(executorPreference: loop) {
                seen.withLock { $0.append(loop.isCurrent ? "task" : "astray") }
            }
            seen.withLock { $0.append("after") }
        }
        #expect(seen.value == ["task", "after"])
        await loop.shutdown()
    }

    @Test func `a task that suspends comes back to its loop`() async {
        let here = EventLoop(name: "here")
        let there = EventLoop(name: "there")
        let places = await Task(executorPreference: here) { () async -> [Bool] in
            var places = [here.isCurrent]
            places.append(await there.submit { there.isCurrent && !here.isCurrent })
            places.append(here.isCurrent)
            return places
        }.value
        #expect(places == [true, true, true])
        await here.shutdown()
        await there.shutdown()
    }

    @Test func `a task that yields for ever does not starve timers`() async {
        let loop = EventLoop(name: "busy")
        let isOver = Lock(false)
        let spinner = Task(executorPreference: loop) {
            while !isOver.withLock({ $0 }) { await Task.yield() }
        }
        await withCheckedContinuation { continuation in
            loop.run { loop.schedule(after: .milliseconds(5)) { continuation.resume() } }
        }
        isOver.withLock { $0 = true }
        await spinner.value
        await loop.shutdown()
    }

    @Test func `shutting down runs what was handed over before and can be repeated`() async {
        let loop = EventLoop(name: "ending")
        let count = Lock(0)
        for _ in 0..<100 { loop.run { count.withLock { $0 += 1 } } }
        await loop.shutdown()
        #expect(count.value == 100)
        loop.run { count.withLock { $0 += 1 } }
        await loop.shutdown()
        #expect(count.value == 100)
    }

    @Test func `shutting down with timers, sockets and a listener open leaves nothing behind`()
        async
    {
        let loop = EventLoop(name: "open")
        let outcome = Lock<NetworkError?>(nil)
        await withCheckedContinuation { continuation in
            loop.run {
                loop.schedule(after: .seconds(3_600)) {}
                let port = (try? loop.listen(host: "127.0.0.1", port: 0) { _ in })?.port ?? 0
                loop.connect(host: "127.0.0.1", port: port, timeout: .seconds(5)) { result in
                    if case .success(let socket) = result {
                        socket.onClose = { error in outcome.withLock { $0 = error } }
                    }
                    continuation.resume()
                }
            }
        }
        await loop.shutdown()
        #expect(outcome.value == .loopStopped)
    }
}
