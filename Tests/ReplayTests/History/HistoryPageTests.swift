import Domain
import EventStore
import Synchronization
import TestSupport
import Testing

@testable import Replay

struct `A stretch of a log` {
    private static let pair = Lookalikes.cafe

    private func page() -> HistoryPage {
        HistoryPage([
            ShortLog.event(1, "order-2", 7), ShortLog.event(2, Self.pair.one, 1),
            ShortLog.event(3, "order-2", 9), ShortLog.event(4, Self.pair.other, 1),
            ShortLog.event(5, "order-2", 8), ShortLog.event(6, Self.pair.one, 2),
        ])
    }

    @Test func `names each activity once, in the order of their first events`() {
        let page = page()
        let names = ["order-2", Self.pair.one, Self.pair.other].map { ActivityID(rawValue: $0) }
        #expect(page.activities == names)
        #expect(page.indices.map { page.owner(of: $0) } == [0, 1, 0, 2, 0, 1])
    }

    @Test func `knows the lowest and the highest version, whatever their order`() {
        let parts = page().parts
        #expect(parts.map(\.versions) == [7...9, 1...2, 1...1])
        #expect(parts.map(\.activity) == page().activities)
    }

    @Test func `gives the events of some activities where they lie, in order`() throws {
        let page = page()
        var seen: [Int64] = []
        try page.forEachEvent(of: [true, false, true]) { (owner, event) throws(ReplayError) in
            #expect(page.activities[owner] == event.activityID)
            seen.append(event.position)
        }
        #expect(seen == [1, 3, 4, 5])
        #expect(page.place(4).version == 8)
        #expect(page.place(4).recordedAt == Moment(unixSeconds: 5))
    }

    @Test func `ends with the error that its reader throws`() {
        var seen = 0
        #expect(throws: ReplayError.interrupted) {
            try page().forEachEvent(of: [true, true, true]) { (_, _) throws(ReplayError) in
                seen += 1
                if seen == 3 { throw .interrupted }
            }
        }
        #expect(seen == 3)
    }

    @Test func `may be empty`() throws {
        let page = HistoryPage([])
        #expect(page.indices.isEmpty && page.activities.isEmpty && page.parts.isEmpty)
        #expect(page.areIn((index: 0, count: 4)).isEmpty)
        try page.forEachEvent(of: []) { (_, _) in Issue.record("there is no event") }
    }

    /// Orders are numbered in a row, and no core may be left without any.
    @Test(arguments: 1...8)
    func `has each activity in one share, and about as many in each`(count: Int) {
        let names = (0..<800).map { "order-\($0)" }
        let page = HistoryPage(
            names.enumerated().map { ShortLog.event(Int64($0.offset) + 1, $0.element, 1) })
        let reversed = HistoryPage(
            names.reversed().enumerated().map {
                ShortLog.event(Int64($0.offset) + 1, $0.element, 1)
            })
        var total = 0
        for index in 0..<count {
            let mine = page.areIn((index: index, count: count))
            #expect(mine == reversed.areIn((index: index, count: count)).reversed())
            let own = mine.count { $0 }
            #expect(own > 800 / count / 2 && own < 800 / count * 2, "\(own) of share \(index)")
            total += own
        }
        #expect(total == 800)
    }
}

/// Notes which positions it was given.
private actor Noting: LogWalker {
    private(set) var positions: [Int64] = []
    private let share: (index: Int, count: Int)

    init(_ index: Int, of count: Int) { share = (index, count) }

    func take(_ page: HistoryPage) throws(ReplayError) {
        try page.forEachEvent(of: page.areIn(share)) { (_, event) in
            positions.append(event.position)
        }
    }
}

struct `A walk through a log` {
    private static let events = (1...25_000).map { ShortLog.event($0, "order-\($0 % 50)", $0) }

    private func walk(
        _ history: History, _ walkers: [Noting], through: Int64,
        progress: @escaping ReplayProgress = { _, _ in }
    ) async throws {
        try await LogWalk.run(
            walkers, over: history, through: through, completing: { $0 }, progress: progress)
    }

    @Test(arguments: [1, 2, 5])
    func `gives every event to one walker, each activity's in order`(atOnce: Int) async throws {
        let asked = Mutex<[ClosedRange<Int64>]>([])
        var history = ShortLog.history(Self.events) { (range) throws(ReplayError) in
            asked.withLock { $0.append(range) }
        }
        history.readsAtOnceMax = atOnce
        let walkers = (0..<3).map { Noting($0, of: 3) }
        try await walk(history, walkers, through: 25_000)
        let ranges = asked.withLock { $0.sorted { $0.lowerBound < $1.lowerBound } }
        #expect(ranges == [1...10_000, 10_001...20_000, 20_001...25_000])
        var all: [Int64] = []
        for walker in walkers {
            let own = await walker.positions
            #expect(own == own.sorted())
            all += own
        }
        #expect(all.sorted() == Array(1...25_000))
    }

    @Test func `begins behind what the log lacks, and says how far it is`() async throws {
        let history = ShortLog.history(Array(Self.events[20_000...]), after: 20_000)
        let told = Mutex<[Int64]>([])
        let walker = Noting(0, of: 1)
        try await walk(history, [walker], through: 25_000) { done, total in
            told.withLock { $0 += [done, total] }
        }
        #expect(told.withLock { $0 } == [5000, 5000])
        #expect(await walker.positions.count == 5000)
    }

    @Test func `is none through an empty log`() async throws {
        let walker = Noting(0, of: 1)
        try await walk(ShortLog.history([]), [walker], through: 0) { _, _ in
            Issue.record("nothing was done")
        }
        #expect(await walker.positions.isEmpty)
    }

    @Test func `ends where the log cannot be read, after what could be`() async throws {
        let failure = ReplayError.store(.unavailable(detail: "gone"))
        let history = ShortLog.history(Self.events) { (range) throws(ReplayError) in
            if range.lowerBound > 10_000 { throw failure }
        }
        let walker = Noting(0, of: 1)
        await #expect(throws: failure) { try await walk(history, [walker], through: 25_000) }
        #expect(await walker.positions == Array(1...10_000))
    }

    @Test func `ends early when its caller gives up`() async throws {
        let walker = Noting(0, of: 1)
        let walking = Task {
            await #expect(throws: ReplayError.interrupted) {
                try await walk(ShortLog.history(Self.events), [walker], through: 25_000) { _, _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
        }
        _ = await walking.value
        #expect(await walker.positions.count < 25_000)
    }
}
