import Domain
import EventLoop
import Foundation
import VirtualTime

/// Seeds one after the other, several at a time, until one finds something.
struct Seeds: Sendable {
    var first: UInt64
    var count: UInt64
    /// Put in on purpose.
    var bug: Mutation?
    /// Seeds at a time. Each has a thread and nothing in common with the others, so that it comes
    /// out the same whatever runs beside it.
    var jobs = 1
    /// No seed is begun after so many: a slow machine tries fewer, and says so.
    var minutes: Double?

    /// A line is printed after so many.
    private static let linePerSeeds: UInt64 = 1_000

    private struct Progress {
        var next: UInt64
        /// Until everybody has come to an end.
        var busy: Int
        var done: UInt64 = 0
        var pushes = 0
        /// Of the smallest number.
        var found: Seed?
    }

    /// - Returns: the program's status.
    func run() -> Int32 {
        let began = ContinuousClock.now
        let end = minutes.map { began + .seconds($0 * 60) }
        let progress = Lock(Progress(next: first, busy: jobs))
        let isOver = DispatchSemaphore(value: 0)
        for _ in 0..<jobs {
            let thread = Thread {
                while let number = take(progress, until: end) {
                    note(Seed.runHere(number, with: bug), progress, since: began)
                }
                let isLast = progress.withLock { progress in
                    progress.busy -= 1
                    return progress.busy == 0
                }
                if isLast { isOver.signal() }
            }
            thread.stackSize = 8 << 20
            thread.start()
        }
        isOver.wait()
        let (found, done, pushes) = progress.withLock { ($0.found, $0.done, $0.pushes) }
        if let found {
            tell(found)
            return 1
        }
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        print(
            "\(done) seeds from \(first) on, \(pushes) pushes: nothing found "
                + "in \(String(format: "%.1f", seconds)) s")
        if done < count { print("Time was up: \(count - done) of \(count) seeds were not tried.") }
        return done > 0 ? 0 : 1
    }

    /// When a thread finds something, threads with a smaller number finish theirs. So the first
    /// finding is reported, no matter who was quicker.
    private func take(
        _ progress: Lock<Progress>, until end: ContinuousClock.Instant?
    ) -> UInt64? {
        if let end, end <= .now { return nil }
        return progress.withLock { progress in
            guard progress.found == nil, progress.next - first < count else { return nil }
            progress.next += 1
            return progress.next - 1
        }
    }

    private func note(
        _ seed: Seed, _ progress: Lock<Progress>, since began: ContinuousClock.Instant
    ) {
        let done = progress.withLock { progress in
            progress.done += 1
            progress.pushes += seed.pushes
            if seed.finding != nil, seed.number < progress.found?.number ?? .max {
                progress.found = seed
            }
            return progress.done
        }
        guard done.isMultiple(of: Self.linePerSeeds), done < count else { return }
        let seconds = (ContinuousClock.now - began).components.seconds
        print("\(done) of \(count) seeds after \(seconds) s")
        fflush(nil)
    }

    private func tell(_ seed: Seed) {
        guard let finding = seed.finding else { return }
        print(seed.course.suffix(count == 1 ? .max : 40).joined(separator: "\n"))
        print(
            """

            Seed \(seed.number), step \(finding.step) of \(seed.steps), \(finding.at.rfc3339):
            \(finding.sentence)

            It comes out the same each time: make simulate SEED=\(seed.number) COUNT=1
            """)
    }
}
