import Domain
import EventStore
import Foundation
import Pipeline
import PostgresStore
import Projections
import Replay
import TestSupport
import Testing

/// Logs of before identity was by bytes.
struct `A verification of subjects that were numbered together` {
    private static let pair = Lookalikes.cafe

    /// The versions that a node gave which took the two for one: a, b, a, b, b are 1 to 5.
    private func story() async throws -> RecordedStory {
        let story = try await RecordedStory()
        let pair = Self.pair
        for name in [pair.one, pair.other, pair.one, pair.other, pair.other] {
            try await story.report([
                RecordedStory.order(name, "DriverAssigned", #"{"driverName":"Ada"}"#)
            ])
        }
        // In two steps, since no two events may have one version in between either.
        try await story.tamper("UPDATE event SET version = position + 100")
        try await story.tamper("UPDATE event SET version = position")
        return story
    }

    @Test func `says so and finds nothing wrong`() async throws {
        let story = try await story()
        try await story.fold()
        for depth in [Verifier.Depth.states, .decisions] {
            let report = try await Verifier.verify(story.history, depth: depth)
            #expect(report.isSound, "\(report.defects)")
            #expect(report.notes.map(\.kind) == [.numberedTogether, .numberedTogether])
            #expect(report.notes.map(\.position) == [2, 3])
            let one = try #require(report.notes.first { $0.position == 3 })
            #expect(one.activityID?.hasBytes(of: Self.pair.one) == true)
            #expect(one.detail.contains(#"cafe\u{0301}"#), "\(one.detail)")
        }
    }

    @Test func `still finds an event of one of them that was lost`() async throws {
        let story = try await story()
        try await story.fold()
        try await story.tamper("DELETE FROM event WHERE position = 4")
        let report = try await Verifier.verify(story.history)
        #expect(!report.isSound)
        #expect(report.defects.contains { $0.kind == .positionHole && $0.position == 4 })
        #expect(report.defects.contains { $0.kind == .versionHole && $0.position == 5 })
    }

    @Test func `minds versions that no subject has`() async throws {
        let story = try await story()
        try await story.tamper("UPDATE event SET version = 9 WHERE position = 5")
        let report = try await Verifier.verify(story.history)
        #expect(report.defects.map(\.kind) == [.versionHole])
    }

    @Test func `is sound again after a rebuild`() async throws {
        let story = try await story()
        try await story.fold()
        // As a node left it that folded the two into one.
        try await story.tamper("DELETE FROM snapshot WHERE position = 5")
        #expect(try await !Verifier.verify(story.history).isSound)
        let (store, versions) = (story.store, ActivityCatalog.standard.foldVersions)
        _ = try await store.rebuilds.begin(story.tenant.id, "by hand", versions)
        let session = try #require(try await store.rebuilds.take(story.tenant.id, versions))
        #expect(try await Rebuilder(store: store) { _ in }.work(session) { _ in } == .finished)
        let report = try await Verifier.verify(story.history)
        #expect(report.isSound, "\(report.defects)")
        #expect(report.notes.count == 2)
    }

    @Test func `goes on with what comes later in the right versions`() async throws {
        let story = try await story()
        try await story.fold()
        // Another node knows nothing of either.
        let node = EventStore.postgres(pool: story.database.makePool())
        let pair = Self.pair
        let outcomes = try await node.log.append(
            story.tenant.id,
            [pair.one, pair.other].map {
                RecordedStory.order($0, "DriverAssigned", #"{"driverName":"Bo"}"#)
            })
        #expect(
            outcomes == [
                .recorded(position: 6, version: 4), .recorded(position: 7, version: 6),
            ])
        try await story.fold()
        #expect(try await Verifier.verify(story.history).isSound)
    }

    @Test func `shows the history of one from its first event on`() async throws {
        let story = try await story()
        try await story.fold()
        var reader = try await TimelineReader(
            story.history, activity: ActivityID(rawValue: Self.pair.other))
        #expect(try await reader.next().map(\.version) == [2, 4, 5])
    }
}
