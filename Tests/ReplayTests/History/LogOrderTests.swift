import Domain
import Testing

@testable import Replay

struct `The order of a log` {
    /// What is found in pages of positions, each recorded at so many seconds.
    private func found(
        _ pages: [[(position: Int64, seconds: Int64)]], after: Int64 = 0, isDense: Bool = true,
        archived: History.Archived = .nothing, checkpoint: Int64? = nil, head: Int64? = nil
    ) async throws -> [Defect] {
        let order = LogOrder(after: after, isDense: isDense, archived: archived)
        for page in pages {
            try await order.take(
                HistoryPage(page.map { ShortLog.event($0.position, at: $0.seconds) }))
        }
        let last = await order.position
        try await order.end(checkpoint: checkpoint ?? last, head: head ?? last)
        return await order.defects.named
    }

    @Test func `is sound where positions are dense and times never run backwards`() async throws {
        #expect(try await found([]).isEmpty)
        #expect(try await found([[(1, 5), (2, 5)], [], [(3, 6)]]).isEmpty)
        #expect(try await found([[(11, 5), (12, 5)]], after: 10).isEmpty)
    }

    @Test func `has a gap named by its first position and its last`() async throws {
        let defects = try await found([[(1, 1), (2, 2)], [(5, 3), (7, 4)]])
        #expect(defects.map(\.kind) == [.positionHole, .positionHole])
        #expect(defects.map(\.position) == [3, 6])
        #expect(defects.first?.detail.hasPrefix("positions 3 to 4 are missing: ") == true)
        #expect(defects.last?.detail.contains("restore them from a backup") == true)
        #expect(try await found([[(2, 1)]]).map(\.position) == [1])
    }

    @Test func `has no gaps between the events of one activity alone`() async throws {
        #expect(try await found([[(3, 1), (70, 2)]], isDense: false).isEmpty)
    }

    @Test func `notes the event that was recorded before the one in front of it`() async throws {
        let defects = try await found([[(1, 10), (2, 12)], [(3, 11), (4, 11), (5, 10)]])
        #expect(defects.map(\.kind) == [.timeRunsBackwards, .timeRunsBackwards])
        #expect(defects.map(\.position) == [3, 5])
        #expect(defects.first?.detail.contains("1970-01-01T00:00:11Z") == true)
        let alone = try await found([[(3, 12), (70, 11)]], isDense: false)
        #expect(alone.map(\.kind) == [.timeRunsBackwards])
    }

    @Test func `may lack what was archived and dropped, and no more`() async throws {
        func archived(_ through: Int64, dropped: Int64) -> History.Archived {
            History.Archived(through: through, dropped: dropped, places: ["/archive"])
        }
        let pages: [[(position: Int64, seconds: Int64)]] = [[(1, 1), (4, 4)], [(7, 7)]]
        #expect(try await found(pages, archived: archived(6, dropped: 4)).isEmpty)
        let fewer = try await found(pages, archived: archived(6, dropped: 3))
        #expect(fewer.map(\.kind) == [.positionHole])
        #expect(fewer.first?.position == 6)
        #expect(
            fewer.first?.detail.hasPrefix(
                "4 of the archived events up to 6 are not there, and 3 were dropped") == true)
        // Position 6 is beyond what was archived.
        let beyond = try await found(pages, archived: archived(5, dropped: 3))
        #expect(beyond.map(\.position) == [6])
        #expect(beyond.first?.detail.hasPrefix("positions 6 to 6 are missing") == true)
    }

    @Test func `is sound where all of it was dropped`() async throws {
        let all = History.Archived(through: 5, dropped: 5, places: ["/archive"])
        #expect(try await found([], archived: all, checkpoint: 5, head: 5).isEmpty)
        let events = try await found([[(6, 1)]], archived: all, checkpoint: 6, head: 6)
        #expect(events.isEmpty)
    }

    @Test func `is not sound where its end is lost`() async throws {
        let defects = try await found([[(1, 1), (2, 2)]], checkpoint: 4, head: 3)
        #expect(defects.map(\.kind) == [.positionHole, .checkpointPastHead])
        #expect(defects.map(\.position) == [3, 4])
        #expect(defects[0].detail.hasPrefix("positions 3 to 3 are missing at the end") == true)
        #expect(defects[1].detail.hasPrefix("the checkpoint is at 4, the log ends at 2") == true)
        #expect(try await found([[(1, 1), (2, 2)]], checkpoint: 1, head: 2).isEmpty)
    }

    @Test func `counts what was looked at`() async throws {
        let order = LogOrder(after: 10, isDense: true)
        #expect(await order.position == 10)
        try await order.take(HistoryPage([ShortLog.event(11), ShortLog.event(12)]))
        try await order.take(HistoryPage([]))
        #expect(await order.events == 2)
        #expect(await order.position == 12)
    }
}
