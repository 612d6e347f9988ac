import EventStore
import Explaining
import Foundation
import Projections
import Replay
import Synchronization
import Testing

struct `Two folds of one log` {
    /// Lines of a trace without their ends, one at a time.
    private final class Lines {
        private var rest: ArraySlice<Data>

        init(_ lines: [Data]) { rest = lines[...] }

        func next() -> Data? { rest.popFirst() }
    }

    private func trace(_ story: RecordedStory) async throws -> [Data] {
        let written = Mutex(Data())
        try await FoldTrace.write(
            story.history, program: "test",
            to: { (lines) throws(ReplayError) in written.withLock { $0 += lines } })
        return written.withLock { $0 }.split(separator: UInt8(ascii: "\n")).map { Data($0) }
    }

    private func compare(
        _ first: [Data], _ second: [Data]
    ) throws -> FoldComparison.Report {
        let (first, second) = (Lines(first), Lines(second))
        return try FoldComparison.compare(first.next, second.next)
    }

    @Test func `by the same program are equal, however many cores`() async throws {
        let story = try await RecordedStory("world-cup-2022-final", "pizza-orders")
        let (first, second) = (try await trace(story), try await trace(story))
        #expect(first.count == 100)
        #expect(first == second)
        let report = try compare(first, second)
        #expect(report.isEqual)
        #expect(report.events == 99)
    }

    @Test func `that differ name the first event that made them differ`() async throws {
        let story = try await RecordedStory.worldCupFinal()
        let lines = try await trace(story)
        // A fold that counts the third goal for nobody.
        let other = lines.enumerated().map { index, line in
            guard index >= 20 else { return line }
            let text = String(decoding: line, as: UTF8.self)
            return Data(text.replacing(#"\"homeScore\":2"#, with: #"\"homeScore\":1"#).utf8)
        }
        let report = try compare(lines, other)
        #expect(!report.isEqual)
        #expect(report.activitiesDiffering == 1)
        let difference = try #require(report.differences.first)
        let first = zip(lines, other).enumerated().first { $0.element.0 != $0.element.1 }
        #expect(difference.position == Int64(try #require(first?.offset)))
        let change = try #require(difference.shown.first)
        #expect(change.member == "homeScore")
        #expect(change.before == "2" && change.after == "1")
        #expect(difference.events == report.eventsDiffering)
    }

    @Test func `of other logs, or of none, are refused`() async throws {
        let story = try await RecordedStory.worldCupFinal()
        let lines = try await trace(story)
        #expect(throws: ReplayError.self) { try compare(lines, [Data("{}".utf8)]) }
        #expect(throws: ReplayError.self) { try compare(lines, []) }
        var without = lines
        without.remove(at: 5)
        #expect(throws: ReplayError.self) { try compare(lines, without) }
    }
}
