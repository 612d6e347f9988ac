import Domain
import EventStore
import Replay
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `A verification beside a drop or an erasure` {
    private static let first = ActivityID(rawValue: "order-1001")
    private static let second = ActivityID(rawValue: "order-1002")

    /// Five orders with 48 events, of which the first has 11, and has ended.
    private static func orders() async throws -> RecordedStory {
        let story = try await RecordedStory("pizza-orders")
        try await story.end(first)
        return story
    }

    @Test(arguments: [Verifier.Depth.states, .decisions])
    func `is sound when an activity goes after its events were read`(
        depth: Verifier.Depth
    ) async throws {
        let story = try await Self.orders()
        let report = try await Verifier.verify(
            story.disturbedHistory { read in
                let page = try await read()
                try await story.drop(Self.first)
                return page
            }, depth: depth)
        #expect(report.isSound, "\(report.defects)")
        #expect(report.events == 48)
        let again = try await Verifier.verify(story.history, depth: depth)
        #expect(again.isSound, "\(again.defects)")
        #expect(again.events == 37)
    }

    @Test(arguments: [Verifier.Depth.states, .decisions])
    func `is sound when an activity goes before its events are read`(
        depth: Verifier.Depth
    ) async throws {
        let story = try await Self.orders()
        let report = try await Verifier.verify(
            story.disturbedHistory { read in
                try await story.drop(Self.first)
                return try await read()
            }, depth: depth)
        #expect(report.isSound, "\(report.defects)")
        #expect(report.events == 37)
    }

    /// Of two stretches that are read at once the later one may be there first.
    @Test(arguments: [Verifier.Depth.states, .decisions])
    func `is sound when an activity goes while a part of its events is read`(
        depth: Verifier.Depth
    ) async throws {
        let story = try await Self.orders()
        let events = try await story.store.log.read(story.tenant.id, 0, 1_000)
        let rest = events.filter { $0.event.activityID != Self.first || $0.version > 1 }
        let report = try await Verifier.verify(
            story.disturbedHistory { _ in
                try await story.drop(Self.first)
                return HistoryPage(rest)
            }, depth: depth)
        #expect(report.isSound, "\(report.defects)")
    }

    @Test func `is sound when a dropped activity begins again at once`() async throws {
        let story = try await Self.orders()
        let report = try await Verifier.verify(
            story.disturbedHistory { read in
                let page = try await read()
                try await story.drop(Self.first)
                try await story.report([
                    RecordedStory.order(Self.first.rawValue, "OrderAccepted", "{}")
                ])
                try await story.fold()
                return page
            }, depth: .decisions)
        #expect(report.isSound, "\(report.defects)")
    }

    @Test func `finds what was altered beside a drop`() async throws {
        let story = try await Self.orders()
        let report = try await Verifier.verify(
            story.disturbedHistory { read in
                let page = try await read()
                try await story.drop(Self.first)
                try await story.tamper(
                    "UPDATE snapshot SET state = '{}' WHERE activity_id = 'order-1002'")
                return page
            })
        #expect(report.defects.map(\.kind) == [.snapshotDiffers])
        #expect(report.defects.first?.activityID == Self.second.rawValue)
    }

    @Test func `finds what was lost beside a drop`() async throws {
        let story = try await Self.orders()
        let report = try await Verifier.verify(
            story.disturbedHistory { read in
                try await story.drop(Self.first)
                // The first event of the second order.
                try await story.tamper("DELETE FROM event WHERE position = 3")
                return try await read()
            })
        let holes = report.defects.filter { $0.kind == .positionHole }
        #expect(holes.map(\.position) == [48])
        let detail = holes.first?.detail ?? ""
        let start = "12 of the archived events up to 48 are not there, and 11 were dropped"
        #expect(detail.hasPrefix(start), "\(detail)")
        #expect(report.defects.contains { $0.kind == .versionHole && $0.position == 4 })
    }

    @Test(arguments: [Verifier.Depth.states, .decisions])
    func `is sound when a person's data go after the events were read`(
        depth: Verifier.Depth
    ) async throws {
        let story = try await RecordedStory("pizza-orders")
        let report = try await Verifier.verify(
            story.disturbedHistory { read in
                let page = try await read()
                try await story.erase(Self.first)
                try await story.erase(Self.second)
                return page
            }, depth: depth)
        #expect(report.isSound, "\(report.defects)")
        #expect(report.activitiesErased == 2)
    }

    @Test func `finds what was altered beside an erasure, in what was erased as well`()
        async throws
    {
        let story = try await RecordedStory("pizza-orders")
        let report = try await Verifier.verify(
            story.disturbedHistory { read in
                let page = try await read()
                try await story.erase(Self.first)
                try await story.tamper(
                    """
                    UPDATE decision SET rule = 'other'
                    WHERE activity_id = 'order-1001' AND version = 3
                    """)
                return page
            }, depth: .decisions)
        #expect(report.defects.map(\.kind) == [.decisionDiffers])
        #expect(report.defects.first?.activityID == Self.first.rawValue)
        #expect(report.defectsUnnamed == 0)
    }

    @Test func `finds once what is wrong with an activity that was erased before`() async throws {
        let story = try await RecordedStory("pizza-orders")
        try await story.erase(Self.first)
        try await story.tamper(
            """
            UPDATE decision SET rule = 'other'
            WHERE activity_id = 'order-1001' AND version IN (3, 5);
            UPDATE snapshot SET state = '{}' WHERE activity_id = 'order-1001'
            """)
        let report = try await Verifier.verify(story.history, depth: .decisions)
        #expect(
            report.defects.map(\.kind).map(\.rawValue).sorted()
                == ["decision-differs", "decision-differs", "snapshot-differs"])
        #expect(report.defectsUnnamed == 0)
    }
}
