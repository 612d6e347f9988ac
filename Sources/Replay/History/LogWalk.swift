import Domain
import Foundation
import Locks

/// Receives how many positions of how many are done.
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
    ///   - through: the last position.
    ///   - completing: adds what stands beside a stretch; asked for one after the other.
    ///   - afterEach: called when all have taken their shares of one.
    /// - Throws: `.interrupted` when the task is cancelled.
    static func run<Walker: LogWalker>(
        _ walkers: [Walker], over history: History, through: Int64,
        completing:
            @escaping @Sendable (HistoryPage) async throws(ReplayError) -> Walker.Stretch,
        afterEach: () async throws(ReplayError) -> Void = {},
        progress: ReplayProgress
    ) async throws(ReplayError) {
        let readsAtOnce = min(history.readsAtOnceMax, walkers.count)
        var reader = StretchReader(history, through: through, atOnce: readsAtOnce)
        var ahead = (0...readsAtOnce).compactMap { _ in reader.next() }
        var completion = ahead.first.map { Self.completion(of: $0, completing) }
        while let whole = completion {
            let taken = try await whole.value.get()
            // While one is walked, the next is completed and the events of those after it are read.
            let stretch = ahead.removeFirst()
            if let another = reader.next() { ahead.append(another) }
            completion = ahead.first.map { Self.completion(of: $0, completing) }
            try await give(taken, to: walkers)
            try await afterEach()
            if Task.isCancelled { throw .interrupted }
            progress(stretch.positions.upperBound - history.after, through - history.after)
        }
    }

    private static func completion<Stretch: Sendable>(
        of stretch: StretchReader.Stretch,
        _ complete: @escaping @Sendable (HistoryPage) async throws(ReplayError) -> Stretch
    ) -> Task<Result<Stretch, ReplayError>, Never> {
        Task {
            await Result { () async throws(ReplayError) in
                try await complete(stretch.page.value.get())
            }
        }
    }

    private static func give<Walker: LogWalker>(
        _ stretch: Walker.Stretch, to walkers: [Walker]
    ) async throws(ReplayError) {
        let results = await inParallel(walkers) { walker in
            await Result { () async throws(ReplayError) in try await walker.take(stretch) }
        }
        for result in results { try result.get() }
    }
}

/// Reads stretches of a log ahead, so many at once.
struct StretchReader {
    struct Stretch {
        let positions: ClosedRange<Int64>
        let page: Task<Result<HistoryPage, ReplayError>, Never>
    }

    private let history: History
    private let through: Int64
    private let atOnce: Int
    /// The newest ones, oldest first.
    private var running: [Stretch] = []
    private var position: Int64

    init(_ history: History, through: Int64, atOnce: Int) {
        self.history = history
        self.through = through
        self.atOnce = atOnce
        position = history.after
    }

    /// Begins to read the next stretch as soon as not too many others are being read.
    /// - Returns: nil at the end.
    mutating func next() -> Stretch? {
        guard position < through else { return nil }
        let positions = position + 1...min(position + history.stretchPositions, through)
        let before = running.count == atOnce ? running.removeFirst() : nil
        let stretch = Stretch(
            positions: positions,
            page: Task { [read = history.page, before = before?.page] in
                if case .failure(let error) = await before?.value { return .failure(error) }
                return await Result { () async throws(ReplayError) in try await read(positions) }
            })
        running.append(stretch)
        position = positions.upperBound
        return stretch
    }
}
