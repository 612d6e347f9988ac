import Foundation

/// Told how many positions of how many are done.
public typealias ReplayProgress = @Sendable (_ done: Int64, _ total: Int64) -> Void

/// One of several that go through a log together, each with the activities of its share.
protocol LogWalker: Actor {
    associatedtype Stretch: Sendable
    /// Takes its share of a stretch.
    func take(_ stretch: Stretch) async throws(ReplayError)
}

/// Goes through a log a stretch at a time, while the next one comes. What comes of it depends on
/// the log alone, not on the number of walkers: each activity is in the hands of one.
struct LogWalk {
    /// As many as there are cores.
    static var walkers: Int {
        min(ProcessInfo.processInfo.activeProcessorCount, Limits.walkersMax)
    }

    /// - Parameters:
    ///   - range: positions after the first and up to the second.
    ///   - read: gives out a stretch.
    ///   - afterEach: called when all have taken their shares of one.
    /// - Throws: `.interrupted` when the task is cancelled.
    static func run<Walker: LogWalker>(
        _ walkers: [Walker], over range: (after: Int64, through: Int64),
        read:
            @escaping @Sendable (ClosedRange<Int64>) async throws(ReplayError) -> Walker.Stretch,
        afterEach: () async throws(ReplayError) -> Void = {},
        progress: ReplayProgress
    ) async throws(ReplayError) {
        guard range.after < range.through else { return }
        let total = range.through - range.after
        var next = Task { await Self.stretch(after: range.after, range.through, read) }
        var done = range.after
        while done < range.through {
            let stretch = try await next.value.get()
            done = min(done + Limits.walkPageEvents, range.through)
            let after = done
            if after < range.through {
                next = Task { await Self.stretch(after: after, range.through, read) }
            }
            try await give(stretch, to: walkers)
            try await afterEach()
            if Task.isCancelled { throw .interrupted }
            progress(done - range.after, total)
        }
    }

    private static func give<Walker: LogWalker>(
        _ stretch: Walker.Stretch, to walkers: [Walker]
    ) async throws(ReplayError) {
        let results = await withTaskGroup(of: Result<Void, ReplayError>.self) { group in
            for walker in walkers {
                group.addTask {
                    do throws(ReplayError) {
                        return .success(try await walker.take(stretch))
                    } catch { return .failure(error) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for result in results { try result.get() }
    }

    private static func stretch<Stretch>(
        after position: Int64, _ through: Int64,
        _ read: @Sendable (ClosedRange<Int64>) async throws(ReplayError) -> Stretch
    ) async -> Result<Stretch, ReplayError> {
        let last = min(position + Limits.walkPageEvents, through)
        do throws(ReplayError) { return .success(try await read(position + 1...last)) } catch {
            return .failure(error)
        }
    }
}
