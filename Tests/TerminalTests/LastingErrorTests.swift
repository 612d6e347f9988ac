import EventLoop
import Testing

@testable import Terminal

struct `An error that mostly passes by itself` {
    /// What the log says of it at some seconds.
    private func levels(
        at seconds: [Double], passedAfterSeconds: Double = Log.passedAfterSeconds,
        key: (Int) -> String = { _ in "away" }
    ) -> [String] {
        let lines = Lock<[String]>([])
        let log = Log(lowest: .debug, format: .journald) { line in
            lines.withLock { $0.append(line) }
            return true
        }
        let start = ContinuousClock.now
        for (index, second) in seconds.enumerated() {
            log.passing(
                "it stopped", key: key(index), passedAfterSeconds: passedAfterSeconds,
                at: start + .seconds(second))
        }
        return lines.withLock { $0 }.map { String($0.prefix(3)) }
    }

    @Test func `is a warning, and an error once it has stood for half a minute`() {
        #expect(levels(at: [0, 10, 20, 29.9]) == ["<4>", "<4>", "<4>"])
        #expect(levels(at: [0, 10, 20, 30, 40]) == ["<4>", "<4>", "<4>", "<3>", "<3>"])
    }

    @Test func `stands while its words change`() {
        #expect(levels(at: [0, 31], key: { "\($0)" }) == ["<4>", "<3>"])
    }

    @Test func `is a warning again when it has passed meanwhile`() {
        #expect(levels(at: [0, 59, 119]) == ["<4>", "<3>", "<4>"])
    }

    @Test func `that is looked at by the hour stands from one hour to the next`() {
        #expect(levels(at: [0, 3_600], passedAfterSeconds: 5_400) == ["<4>", "<3>"])
        #expect(levels(at: [0, 3_600]) == ["<4>", "<4>"])
    }
}
