import Domain
import EventStore
@testable import Replay
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `A verification beside a projector` {
    /// Three orders are folded, and two more events of the first are recorded.
    /// - Parameter last: of those.
    private func story(last: String = #"{"driverName":"Bo"}"#) async throws -> RecordedStory {
        let story = try await RecordedStory()
        try await story.report(
            (1...3).map { RecordedStory.order("order-\($0)", "OrderAccepted", "{}") })
        try await story.fold()
        for data in [#"{"driverName":"Ada"}"#, last] {
            try await story.report([RecordedStory.order("order-1", "DriverAssigned", data)])
        }
        return story
    }

    /// Each event is a stretch of its own. Something happens before the fourth is read, which is
    /// not before the first is taken with its snapshot.
    private func report(
        on story: RecordedStory, _ depth: Verifier.Depth = .states,
        meanwhile: @escaping @Sendable () async throws -> Void
    ) async throws -> VerificationReport {
        var history = story.history
        history.stretchPositions = 1
        let read = history.page
        let hasHappened = Mutex(false)
        history.page = { (positions) async throws(ReplayError) in
            let isDue = hasHappened.withLock { (hasHappened) -> Bool in
                guard positions.contains(4), !hasHappened else { return false }
                hasHappened = true
                return true
            }
            if isDue {
                do { try await meanwhile() } catch { throw .export("\(error)") }
            }
            return try await read(positions)
        }
        return try await Verifier.verify(history, depth: depth)
    }

    @Test(arguments: [Verifier.Depth.states, .decisions])
    func `is sound when an activity goes on after it was compared`(
        depth: Verifier.Depth
    ) async throws {
        let story = try await story()
        let report = try await report(on: story, depth) { try await story.fold() }
        #expect(report.isSound, "\(report.defects)")
        #expect(report.events == 5)
        #expect(report.activities == 3)
        #expect(report.notFolded == 2)
        let again = try await Verifier.verify(story.history, depth: depth)
        #expect(again.isSound, "\(again.defects)")
        #expect(again.activities == 3)
    }

    @Test func `is sound when an activity is parked after it was compared`() async throws {
        let story = try await story(last: #"{"driverName":7}"#)
        let report = try await report(on: story) { try await story.fold() }
        #expect(report.isSound, "\(report.defects)")
        #expect(report.activities == 3)
    }

    @Test func `is sound when nothing is folded`() async throws {
        let report = try await report(on: try await story()) {}
        #expect(report.isSound, "\(report.defects)")
        #expect(report.activities == 3)
    }

    @Test func `finds an event that was lost after it was folded`() async throws {
        let story = try await story()
        let report = try await report(on: story) {
            try await story.fold()
            try await story.tamper("DELETE FROM event WHERE position = 4")
        }
        #expect(Set(report.defects.map(\.kind)) == [.positionHole, .versionHole])
        let gap = try #require(report.defects.first { $0.kind == .versionHole })
        #expect(gap.activityID == "order-1")
        #expect(gap.position == 5)
        #expect(gap.detail.hasPrefix("version 2 is missing, 3 follows"), "\(gap.detail)")
        #expect(report.activities == 3)
    }

    @Test func `finds that the first events of an activity were lost`() async throws {
        let story = try await story()
        try await story.tamper("DELETE FROM event WHERE position = 1")
        let report = try await report(on: story) { try await story.fold() }
        let gap = try #require(report.defects.first { $0.kind == .versionHole })
        #expect(gap.position == 4)
        #expect(gap.detail.hasPrefix("version 1 is missing, 2 follows"), "\(gap.detail)")
    }
}
