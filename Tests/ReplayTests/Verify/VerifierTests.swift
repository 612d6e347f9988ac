import Domain
import EventStore
import Foundation
import Pipeline
import Replay
import Synchronization
import Testing

struct `A verification` {
    /// Of decisions.
    /// - Parameter unseen: what a verification of states does not find; all else it must.
    private func report(
        on story: RecordedStory, unseen: Set<Defect.Kind> = [.decisionDiffers]
    ) async throws -> VerificationReport {
        let report = try await Verifier.verify(story.history, depth: .decisions)
        let ofStates = try await Verifier.verify(story.history)
        #expect(
            Set(ofStates.defects.map(\.kind))
                == Set(report.defects.map(\.kind)).subtracting(unseen))
        return report
    }

    /// The final, tampered with.
    private func report(
        after sql: String, unseen: Set<Defect.Kind> = [.decisionDiffers]
    ) async throws -> VerificationReport {
        let story = try await RecordedStory.worldCupFinal()
        try await story.tamper(sql)
        return try await report(on: story, unseen: unseen)
    }

    @Test func `of a real log is sound`() async throws {
        let story = try await RecordedStory("world-cup-2022-final", "pizza-orders")
        let report = try await report(on: story)
        #expect(report.isSound)
        #expect(report.defects == [])
        #expect(report.tenant == "feed")
        // 52 and 50 lines, of which one and two say again what is known.
        #expect(report.events == 99)
        #expect(report.decisions == 99)
        #expect(report.activities == 6)
        #expect(report.notFolded == 0)
    }

    @Test func `of an empty log is sound`() async throws {
        let report = try await report(on: try await RecordedStory())
        #expect(report.isSound)
        #expect(report.events == 0)
    }

    @Test func `does not mind what the projector has not come to yet`() async throws {
        let story = try await RecordedStory.worldCupFinal()
        try await story.report([RecordedStory.order("order-1", "OrderAccepted", "{}")])
        let report = try await report(on: story)
        #expect(report.isSound, "\(report.defects)")
        #expect(report.events == 52)
        #expect(report.decisions == 51)
        #expect(report.notFolded == 1)
    }

    @Test func `finds an event that was deleted`() async throws {
        let report = try await report(
            after: "DELETE FROM event WHERE event_id = 'final-goal-3'")
        #expect(!report.isSound)
        let hole = try #require(report.defects.first { $0.kind == .positionHole })
        let gap = try #require(report.defects.first { $0.kind == .versionHole })
        #expect(hole.position == 18)
        #expect(gap.activityID == RecordedStory.match.rawValue)
        #expect(gap.position == 19)
        // One goal less gives another state.
        #expect(report.defects.contains { $0.kind == .snapshotDiffers })
        #expect(report.defects.contains { $0.kind == .decisionDiffers })
    }

    @Test func `finds that the end of the log was cut off`() async throws {
        let report = try await report(
            after: "DELETE FROM event WHERE position > 49; UPDATE log_head SET position = 49")
        let defect = try #require(report.defects.first { $0.kind == .checkpointPastHead })
        #expect(defect.position == 51)
        #expect(defect.detail.contains("49"))
    }

    @Test func `finds that the end of the log was cut off before it was folded`() async throws {
        let story = try await RecordedStory.worldCupFinal()
        try await story.report([RecordedStory.order("order-1", "OrderAccepted", "{}")])
        try await story.tamper("DELETE FROM event WHERE activity_id = 'order-1'")
        let report = try await report(on: story)
        #expect(report.defects.map(\.kind) == [.positionHole])
        #expect(report.defects.first?.position == 52)
    }

    @Test func `finds a fact that was altered`() async throws {
        let report = try await report(
            after: """
                UPDATE event SET data = jsonb_set(data, '{team}', '"home"')
                WHERE event_id = 'final-goal-3'
                """)
        #expect(report.defects.contains { $0.kind == .snapshotDiffers })
        #expect(report.defects.contains { $0.kind == .decisionDiffers })
        #expect(!report.defects.contains { $0.kind == .positionHole })
    }

    @Test func `finds a fact that cannot be folded`() async throws {
        let report = try await report(
            after: "UPDATE event SET data = '{}' WHERE event_id = 'final-goal-3'")
        let defect = try #require(report.defects.first)
        #expect(defect.kind == .unfoldable)
        #expect(defect.position == 18)
        #expect(report.defects.count == 1)
    }

    @Test(arguments: [
        ("version", "version = version - 1"), ("phase", "phase = 'ended'"),
        ("state", "state = '{}'"), ("attributes", #"attributes = '{"sport":"chess"}'"#),
        ("content state", "content_state = (content_state::jsonb || '{\"homeScore\":4}')::json"),
        // The same value in other bytes: equal states are equal bytes.
        ("content state", "content_state = (content_state::text || ' ')::json"),
        ("dispatch", "dispatch = '{\"hasEnded\":false}'"),
    ])
    func `finds an altered snapshot and names the member`(
        member: String, assignment: String
    ) async throws {
        // What decisions left behind is compared with them.
        let report = try await report(
            after: "UPDATE snapshot SET \(assignment)",
            unseen: member == "dispatch" ? [.snapshotDiffers] : [])
        #expect(report.defects.map(\.kind) == [.snapshotDiffers])
        let defect = try #require(report.defects.first)
        #expect(defect.activityID == RecordedStory.match.rawValue)
        #expect(defect.detail.hasPrefix("\(member) differ"), "\(defect.detail)")
        #expect(defect.detail.contains("or raise foldVersion"), "\(defect.detail)")
    }

    @Test func `finds a snapshot that is missing`() async throws {
        let report = try await report(after: "DELETE FROM snapshot")
        #expect(report.defects.map(\.kind) == [.snapshotMissing])
    }

    @Test func `finds a snapshot that no event accounts for`() async throws {
        let report = try await report(
            after: """
                INSERT INTO snapshot (tenant, activity_id, kind, version, position, phase, state,
                    attributes, content_state, dispatch, fault, updated_at)
                SELECT tenant, 'ghost', kind, version, position, phase, state,
                    attributes, content_state, dispatch, fault, updated_at FROM snapshot
                """)
        #expect(report.defects.map(\.kind) == [.snapshotWithoutEvents])
        #expect(report.defects.first?.activityID == "ghost")
    }

    @Test func `finds a decision that was deleted`() async throws {
        let report = try await report(after: "DELETE FROM decision WHERE version = 4")
        #expect(report.defects.map(\.kind) == [.decisionMissing])
        #expect(report.defects.first?.position == 4)
    }

    @Test func `finds a decision that no event accounts for`() async throws {
        let report = try await report(
            after: """
                INSERT INTO decision (tenant, activity_id, version, position, verdict, rule,
                    reason, content_state, decided_at)
                SELECT tenant, activity_id, 99, 51, verdict, rule, reason, content_state,
                    decided_at FROM decision WHERE version = 4
                """)
        #expect(report.defects.map(\.kind) == [.decisionWithoutEvent])
        #expect(report.defects.first?.position == 51)
    }

    @Test(arguments: [
        ("verdict", "verdict = 'hold'"), ("rule", "rule = 'other'"), ("alert", "alert = NULL"),
        ("alert", #"alert = '{"title":"Goal","body":"Ours","sound":"default"}'"#),
        ("significance", "significance = 'ambient'"), ("news", "news = NULL"),
    ])
    func `finds an altered decision and names the member`(
        member: String, assignment: String
    ) async throws {
        let report = try await report(
            after: "UPDATE decision SET \(assignment) WHERE rule = 'goal' AND version = 4")
        #expect(report.defects.map(\.kind) == [.decisionDiffers])
        let defect = try #require(report.defects.first)
        #expect(defect.position == 4)
        #expect(defect.detail.hasPrefix("\(member) differ"), "\(defect.detail)")
    }

    @Test func `does not mind decisions of before significances were kept`() async throws {
        let report = try await report(after: "UPDATE decision SET significance = NULL")
        #expect(report.isSound, "\(report.defects)")
        #expect(report.decisionsOfOtherRules == 0)
    }

    @Test func `finds a checkpoint that is ahead of the log`() async throws {
        let report = try await report(after: "UPDATE projection_checkpoint SET position = 60")
        #expect(report.defects.map(\.kind) == [.checkpointPastHead])
        #expect(report.defects.first?.position == 60)
    }

    @Test func `names a hundred defects and counts the rest`() async throws {
        let story = try await RecordedStory()
        try await story.report(
            (1...150).map { RecordedStory.order("order-\($0)", "OrderAccepted", "{}") })
        try await story.fold()
        try await story.tamper("DELETE FROM snapshot")
        let report = try await report(on: story)
        #expect(!report.isSound)
        #expect(report.defects.count == 100)
        #expect(report.defectsUnnamed == 50)
    }

    @Test func `does not look at other tenants`() async throws {
        let story = try await RecordedStory.worldCupFinal()
        let other = try await story.store.tenants.ensure("other")
        try await story.tamper("DELETE FROM snapshot")
        let report = try await Verifier.verify(
            History(story.store, of: other), depth: .decisions)
        #expect(report.isSound)
        #expect(report.events == 0)
    }

    @Test func `takes what was parked and folded later for what it is`() async throws {
        let story = try await RecordedStory()
        try await story.report([
            RecordedStory.order("order-1", "OrderAccepted", "{}"),
            RecordedStory.order("order-1", "DriverAssigned", #"{"driverName":"Ada"}"#),
            RecordedStory.order("order-1", "OrderDelivered", "{}"),
            RecordedStory.order("order-1", "OrderPickedUp", "{}"),
        ])
        _ = try await story.store.projections.foldNext(nil, 500) { batch in
            var batch = batch
            batch.events[1].event.data = Data("[]".utf8)
            return BatchFolder.fold(batch)
        }
        // Of what is parked no decision is due yet.
        #expect(try await !report(on: story, unseen: [.decisionMissing]).isSound)
        let repair = Repair(story.store, tenant: story.tenant.id)
        #expect(try await repair.retry(nil).first?.remaining == 0)
        let verified = try await report(on: story)
        #expect(verified.isSound, "\(verified.defects)")
        #expect(verified.decisions == 4)
    }

    @Test func `leaves out what was skipped`() async throws {
        let story = try await RecordedStory()
        try await story.report([
            RecordedStory.order("order-1", "OrderAccepted", "{}"),
            RecordedStory.order("order-1", "DriverAssigned", #"{"driverName":7}"#),
            RecordedStory.order("order-1", "OrderDelivered", "{}"),
        ])
        try await story.fold()
        let found = try await report(on: story)
        #expect(found.defects.first?.detail.contains("islet projections parked") == true)
        _ = try await Repair(story.store, tenant: story.tenant.id).skip(2)
        let verified = try await report(on: story)
        #expect(verified.isSound, "\(verified.defects)")
        #expect(verified.events == 3 && verified.decisions == 2)
        let timeline = try await Timeline.read(
            story.history, activity: ActivityID(rawValue: "order-1"))
        #expect(timeline.entries.map(\.isSkipped) == [false, true, false])
        #expect(timeline.entries.map { $0.recomputed != nil } == [true, false, true])
    }

    @Test func `of states finds altered states and missing decisions, and no altered decisions`()
        async throws
    {
        let story = try await RecordedStory("world-cup-2022-final", "pizza-orders")
        let sound = try await Verifier.verify(story.history)
        #expect(sound.isSound, "\(sound.defects)")
        #expect(sound.events == 99 && sound.decisions == 99 && sound.activities == 6)
        try await story.tamper("UPDATE decision SET rule = 'other' WHERE version = 3")
        let unseen = try await Verifier.verify(story.history)
        #expect(unseen.isSound)
        try await story.tamper(
            """
            DELETE FROM decision WHERE activity_id = 'order-1001' AND version = 2;
            UPDATE snapshot SET state = '{}' WHERE activity_id = 'order-1002'
            """)
        let found = try await Verifier.verify(story.history)
        #expect(Set(found.defects.map(\.kind)) == [.decisionMissing, .snapshotDiffers])
        #expect(found.defects.first { $0.kind == .decisionMissing }?.activityID == "order-1001")
    }

    @Test func `of states finds decisions that no event accounts for`() async throws {
        let story = try await RecordedStory("world-cup-2022-final", "pizza-orders")
        for version in [9, 99] {
            // One stands between the versions that there are, the other after them.
            try await story.tamper(
                """
                DELETE FROM decision WHERE activity_id = 'order-1001' AND version = 2;
                INSERT INTO decision (tenant, activity_id, version, position, verdict, rule,
                    reason, content_state, decided_at)
                SELECT tenant, 'order-1001', \(version), 1, verdict, rule, reason,
                    content_state, decided_at FROM decision
                    WHERE activity_id = 'order-1002' AND version = 1
                ON CONFLICT DO NOTHING
                """)
        }
        let found = try await Verifier.verify(story.history)
        #expect(found.defects.contains { $0.kind == .decisionMissing })
        #expect(found.defects.contains { $0.detail.contains("row for version 99") })
    }

    @Test func `finds that time runs backwards`() async throws {
        let report = try await report(
            after: """
                UPDATE event SET recorded_at = recorded_at - interval '1 hour' WHERE position = 20
                """)
        let defect = try #require(report.defects.first { $0.kind == .timeRunsBackwards })
        #expect(defect.position == 20)
    }

    @Test func `finds a snapshot that stands still`() async throws {
        let story = try await RecordedStory()
        try await story.report([RecordedStory.order("order-1", "OrderAccepted", "{}")])
        try await story.fold()
        try await story.report([RecordedStory.order("order-1", "OrderDelivered", "{}")])
        try await story.tamper(
            """
            CREATE TABLE kept AS SELECT * FROM snapshot
            """)
        try await story.fold()
        try await story.tamper("DELETE FROM snapshot; INSERT INTO snapshot SELECT * FROM kept")
        let report = try await report(on: story)
        #expect(report.defects.map(\.kind) == [.snapshotDiffers])
        #expect(report.defects.first?.detail.contains("ends at version 1") == true)
    }

    @Test func `reports how far it is, to the end`() async throws {
        let story = try await RecordedStory.worldCupFinal()
        let told = Mutex<[Int64]>([])
        _ = try await Verifier.verify(story.history) { done, total in
            told.withLock { $0.append(done * 1000 + total) }
        }
        let last = told.withLock { $0.last }
        #expect(last == 51_051)
    }
}
