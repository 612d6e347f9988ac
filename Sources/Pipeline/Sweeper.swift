public import Domain
public import EventStore

/// Removes what nobody needs any more, some of it every hour. Any number may run.
public struct Sweeper: Sendable {
    /// What an operator may want to know.
    public enum Diagnostic: Hashable, Sendable {
        case removed(Leftover, Int)
        case store(EventStoreError)
    }

    private let retention: any RetentionStore
    private let days: [Leftover: Int]
    private let now: @Sendable () async throws(EventStoreError) -> Moment
    private let report: @Sendable (Diagnostic) -> Void

    /// - Parameters:
    ///   - days: for which each sort is kept; one that is not there is kept for good.
    ///   - now: the database's clock, by which rows are as old as they are.
    public init(
        _ retention: any RetentionStore, days: [Leftover: Int],
        now: @escaping @Sendable () async throws(EventStoreError) -> Moment,
        report: @escaping @Sendable (Diagnostic) -> Void
    ) {
        self.retention = retention
        self.days = days
        self.now = now
        self.report = report
    }

    /// Runs until its task is cancelled.
    public func run() async {
        while !Task.isCancelled {
            // Not at once: nodes that start together have something else to do.
            try? await Task.sleep(for: .seconds(Limits.sweepSeconds))
            if !Task.isCancelled { await sweep() }
        }
    }

    /// - Returns: how many rows went.
    @discardableResult
    public func sweep() async -> [Leftover: Int] {
        var removed: [Leftover: Int] = [:]
        for sort in Leftover.allCases {
            guard let days = days[sort] else { continue }
            do throws(EventStoreError) {
                let before = try await now().adding(seconds: -Double(days) * 86_400)
                var count = 0
                repeat {
                    count = try await retention.sweep(sort, before: before)
                    removed[sort, default: 0] += count
                    // What is removed must not keep what is recorded waiting.
                    try? await Task.sleep(for: .milliseconds(Limits.sweepRestMillis))
                } while count > 0 && !Task.isCancelled
            } catch {
                if !Task.isCancelled { report(.store(error)) }
            }
            if let count = removed[sort], count > 0 { report(.removed(sort, count)) }
        }
        return removed
    }
}
