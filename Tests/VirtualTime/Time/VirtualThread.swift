public import Domain
import Foundation
public import TestSupport

/// One thread that runs tasks one at a time, in an order that a seed decides, by a clock that moves
/// on when none of them has anything to do.
// @unchecked: everything is touched on its one thread only.
public final class VirtualThread: @unchecked Sendable {
    public private(set) var now: Moment
    private let start: Moment
    /// No course takes half as long.
    private static let secondsMax: Double = 366 * 86_400
    /// Everything that is left to chance comes from here.
    public var random: SeededGenerator
    private var ready: [UnownedJob] = []
    private var sleepers: [Sleeper] = []
    private var lastID = 0
    /// Called when no task has anything left to do.
    var atEnd: () -> Void = {}

    private struct Sleeper {
        var until: Moment
        var id: Int
        var continuation: UnsafeContinuation<Void, Never>
    }

    private init(_ seed: UInt64, start: Moment) {
        random = SeededGenerator(seed: seed)
        now = start
        self.start = start
    }

    /// Runs `body` and all tasks that it makes, until none of them has anything left to do.
    public static func run<R: Sendable>(
        seed: UInt64, start: Moment,
        _ body: @escaping @Sendable (VirtualThread) async -> R
    ) async -> R {
        await withCheckedContinuation { continuation in
            let thread = Thread {
                continuation.resume(returning: runHere(seed: seed, start: start, body))
            }
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    /// As `run`, on the calling thread, which must not belong to Swift's own pool.
    public static func runHere<R: Sendable>(
        seed: UInt64, start: Moment,
        _ body: @escaping @Sendable (VirtualThread) async -> R
    ) -> R {
        let thread = VirtualThread(seed, start: start)
        return JobCatcher.catching(for: thread) {
            let result = Result<R>()
            Task { result.value = await body(thread) }
            thread.runToEnd()
            thread.atEnd()
            thread.atEnd = {}
            guard let value = result.value else {
                preconditionFailure("seed \(seed): a task waits for what will never happen")
            }
            return value
        }
    }

    // @unchecked: as the thread it belongs to.
    private final class Result<R>: @unchecked Sendable {
        var value: R?
    }

    func enqueue(_ job: UnownedJob) { ready.append(job) }

    private func runToEnd() {
        while true {
            while !ready.isEmpty {
                let index = Int.random(in: 0..<ready.count, using: &random)
                ready.swapAt(index, ready.count - 1)
                ready.removeLast().runSynchronously(on: Self.anywhere)
            }
            guard let next = sleepers.popLast() else { return }
            now = max(now, next.until)
            precondition(
                now.seconds(since: start) < Self.secondsMax,
                "somebody goes on for ever: a year has passed since \(start.rfc3339)")
            next.continuation.resume()
        }
    }

    /// What the runtime calls the generic executor: a task that runs there stays there while it
    /// calls what belongs to nobody.
    private static let anywhere = unsafeBitCast((0, 0), to: UnownedSerialExecutor.self)

    public func sleep(_ seconds: Double) async {
        await withUnsafeContinuation { add($0, until: now.adding(seconds: max(0, seconds))) }
    }

    /// Until the bell rings, or so long.
    /// - Returns: whether it has rung.
    func sleep(_ seconds: Double, or bell: Bell) async -> Bool {
        let end = now.adding(seconds: seconds)
        await withUnsafeContinuation { bell.sleepers.append(add($0, until: end)) }
        return now < end
    }

    /// Wakes the thread that waits for it.
    func ring(_ bell: Bell) {
        for id in bell.sleepers {
            guard let index = sleepers.firstIndex(where: { $0.id == id }) else { continue }
            sleepers.remove(at: index).continuation.resume()
        }
        bell.sleepers = []
    }

    // @unchecked: as the thread it belongs to.
    final class Bell: @unchecked Sendable {
        fileprivate var sleepers: [Int] = []
    }

    @discardableResult
    private func add(
        _ continuation: UnsafeContinuation<Void, Never>, until moment: Moment
    ) -> Int {
        lastID += 1
        let sleeper = Sleeper(until: moment, id: lastID, continuation: continuation)
        // The next to wake is the last.
        var (low, high) = (0, sleepers.count)
        while low < high {
            let middle = (low + high) / 2
            if sleepers[middle].until > moment { low = middle + 1 } else { high = middle }
        }
        sleepers.insert(sleeper, at: low)
        return lastID
    }
}

extension VirtualThread {
    public func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    /// True once in so many times; never for 0.
    func chance(oneIn count: Int) -> Bool { count > 0 && below(count) == 0 }

    func seconds(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }

    func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }
}
