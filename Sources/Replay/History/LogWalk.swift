import Foundation

/// Told how many positions of how many are done.
public typealias ReplayProgress = @Sendable (_ done: Int64, _ total: Int64) -> Void

/// One of several that go through a log together, each with the activities of its share.
protocol LogWalker: Actor {
    associatedtype Stretch: Sendable
    /// Takes its share of a stretch.
    func take(_ stretch: Stretch) async throws(ReplayError)
}

/// Goes through a log a stretch at a time, while the next ones come. What comes of it depends on
/// the log alone, not on the number of walkers: each activity is in the hands of one.
struct LogWalk {
    /// As many as there are cores.
    static var walkers: Int {
        min(ProcessInfo.processInfo.activeProcessorCount, Limits.walkersMax)
    }

    /// - Parameters:
    ///   - range: positions after the first and up to the second.
    ///   - read: gives out the events of a stretch; asked for one after the other.
    ///   - completing: adds what stands beside them.
    ///   - afterEach: called when all have taken their shares of one.
    /// - Throws: `.interrupted` when the task is cancelled.
    static func run<Walker: LogWalker>(
        _ walkers: [Walker], over range: (after: Int64, through: Int64),
        read: @escaping StretchReader.Read,
        completing:
            @escaping @Sendable (HistoryPage) async throws(ReplayError) -> Walker.Stretch,
        afterEach: () async throws(ReplayError) -> Void = {},
        progress: ReplayProgress
    ) async throws(ReplayError) {
        var reader = StretchReader(range, read)
        var next = reader.next()
        var afterNext = reader.next()
        var completion = next.map { Self.completion(of: $0, completing) }
        while let stretch = next, let whole = completion {
            let taken = try await whole.value.get()
            // While one is walked, the next is completed and the events of that after it are read.
            (next, afterNext) = (afterNext, reader.next())
            completion = next.map { Self.completion(of: $0, completing) }
            try await give(taken, to: walkers)
            try await afterEach()
            if Task.isCancelled { throw .interrupted }
            progress(stretch.positions.upperBound - range.after, range.through - range.after)
        }
    }

    /// For walkers of events alone.
    static func run<Walker: LogWalker>(
        _ walkers: [Walker], over range: (after: Int64, through: Int64),
        read: @escaping StretchReader.Read,
        afterEach: () async throws(ReplayError) -> Void = {},
        progress: ReplayProgress
    ) async throws(ReplayError) where Walker.Stretch == HistoryPage {
        try await run(
            walkers, over: range, read: read, completing: { $0 },
            afterEach: afterEach, progress: progress)
    }

    private static func completion<Stretch: Sendable>(
        of stretch: StretchReader.Stretch,
        _ complete: @escaping @Sendable (HistoryPage) async throws(ReplayError) -> Stretch
    ) -> Task<Result<Stretch, ReplayError>, Never> {
        Task {
            do throws(ReplayError) {
                return .success(try await complete(stretch.page.value.get()))
            } catch { return .failure(error) }
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
}

/// Reads stretches of a log ahead, one after the other.
struct StretchReader {
    typealias Read = @Sendable (ClosedRange<Int64>) async throws(ReplayError) -> HistoryPage

    struct Stretch {
        let positions: ClosedRange<Int64>
        let page: Task<Result<HistoryPage, ReplayError>, Never>
    }

    private let through: Int64
    private let read: Read
    private var last: Stretch?
    private var position: Int64

    init(_ range: (after: Int64, through: Int64), _ read: @escaping Read) {
        position = range.after
        through = range.through
        self.read = read
    }

    /// Begins to read the next stretch as soon as the one before it is there.
    /// - Returns: nil at the end.
    mutating func next() -> Stretch? {
        guard position < through else { return nil }
        let positions = position + 1...min(position + Limits.walkPageEvents, through)
        let stretch = Stretch(
            positions: positions,
            page: Task { [read, before = last?.page] in
                if case .failure(let error) = await before?.value { return .failure(error) }
                do throws(ReplayError) { return .success(try await read(positions)) } catch {
                    return .failure(error)
                }
            })
        last = stretch
        position = positions.upperBound
        return stretch
    }
}
