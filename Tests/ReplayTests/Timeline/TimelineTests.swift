import Domain
import EventStore
@testable import Explaining
import Foundation
import Projections
import Testing

@testable import Replay

struct `A timeline` {
    @Test func `of the final tells every event, state and decision from the log`() async throws {
        let story = try await RecordedStory.worldCupFinal()
        let timeline = try await Timeline.read(
            story.history, activity: RecordedStory.match)
        let log = try await story.store.log.read(story.tenant.id, 0, 500)
        #expect(timeline.activityID == RecordedStory.match)
        #expect(timeline.entries.map(\.event) == log)
        #expect(timeline.entries.map(\.event.version) == Array(1...Int64(log.count)))
        #expect(
            timeline.entries.map(\.recomputed) == timeline.entries.compactMap(\.ledger?.decision))
        let stored = try await story.store.projections.snapshot(
            story.tenant.id, RecordedStory.match)
        #expect(timeline.entries.last?.snapshot == stored)
        let shown = timeline.entries.last?.presentation?.lockScreen.map(\.text)
        #expect(shown?.prefix(3) == ["Argentina 3–3 France", "Full time", "4–2 on penalties"])
    }

    @Test func `names the members that an event changed`() async throws {
        let story = try await RecordedStory.worldCupFinal()
        let timeline = try await Timeline.read(
            story.history, activity: RecordedStory.match)
        let goal = try #require(timeline.entries.first { $0.event.event.id == "final-goal-1" })
        #expect(
            goal.changes.first { $0.member == "homeScore" }
                == MemberChange(member: "homeScore", before: "0", after: "1"))
        #expect(!goal.changes.contains { $0.member == "awayScore" })
        #expect(goal.decision?.verdict == .alert)
        #expect(goal.latenessSeconds > 0)
        #expect(timeline.entries.first?.changes.allSatisfy { $0.before == nil } == true)
    }

    @Test func `does not trust the stored snapshot`() async throws {
        let story = try await RecordedStory.worldCupFinal()
        try await story.tamper(#"UPDATE snapshot SET content_state = '{"homeScore":9}'"#)
        let timeline = try await Timeline.read(
            story.history, activity: RecordedStory.match)
        #expect(
            timeline.entries.last?.presentation?.lockScreen.first?.text == "Argentina 3–3 France")
    }

    @Test func `shows events that the projector has not come to yet`() async throws {
        let story = try await RecordedStory()
        try await story.report([RecordedStory.order("order-1", "OrderAccepted", "{}")])
        let timeline = try await Timeline.read(
            story.history, activity: ActivityID(rawValue: "order-1"))
        #expect(timeline.entries.count == 1)
        #expect(timeline.entries.first?.ledger == nil)
    }

    @Test func `has the decisions that were made, beside those that the log gives today`()
        async throws
    {
        let story = try await RecordedStory()
        try await story.reportReleased()
        let timeline = try await Timeline.read(
            story.history, activity: RecordedStory.released)
        let released = try #require(timeline.entries.first { $0.version == 3 })
        #expect(released.decision?.verdict == .hold && released.decision?.rule == "history")
        #expect(released.recomputed?.verdict == .alert)
        #expect(released.today == released.recomputed && released.restated.isEmpty)
        #expect(timeline.entries.filter { $0.version != 3 }.allSatisfy { $0.today == nil })
        var walk = TimelineWalk(timeline)
        let hasAlert = walk.runToAlert() && walk.entry.version == 3
        #expect(!hasAlert)
    }

    @Test func `says what the card shows today that phones were not to be shown`() async throws {
        let story = try await RecordedStory.worldCupFinal()
        try await story.tamper(
            #"UPDATE decision SET content_state = '{"homeScore":9}' WHERE version = 2"#)
        let timeline = try await Timeline.read(story.history, activity: RecordedStory.match)
        let entry = timeline.entries[1]
        #expect(entry.today?.verdict == entry.decision?.verdict)
        #expect(
            entry.restated.first { $0.member == "homeScore" }
                == MemberChange(member: "homeScore", before: "9", after: "0"))
        let why = try await story.history.explain(3, of: timeline.activityID)
        #expect(why.changes.contains { $0.member == "homeScore" && $0.before == "9" })
    }

    @Test func `is whole when it is longer than a page`() async throws {
        let story = try await RecordedStory()
        let count = 1001
        let events = (1...count).map {
            RecordedStory.order("order-1", "DriverLocated", #"{"distanceMeters":\#($0)}"#)
        }
        try await story.report(events)
        try await story.fold()
        let timeline = try await Timeline.read(
            story.history, activity: ActivityID(rawValue: "order-1"))
        #expect(timeline.entries.map(\.event.version) == Array(1...Int64(count)))
        #expect(timeline.entries.allSatisfy { $0.ledger?.decision == $0.recomputed })
    }

    @Test func `of an unknown activity suggests what was probably meant`() async throws {
        let story = try await RecordedStory("world-cup-2022-final", "pizza-orders")
        for (asked, meant) in [
            ("world-cup-2022-finale", ["world-cup-2022-final"]), ("Order-1002", ["order-1002"]),
            ("something else entirely", []),
        ] {
            let error = await #expect(throws: ReplayError.self) {
                try await Timeline.read(
                    story.history, activity: ActivityID(rawValue: asked))
            }
            guard case .noSuchActivity(let activity, let similar) = error else {
                Issue.record("\(asked): \(String(describing: error))")
                continue
            }
            #expect(activity.rawValue == asked)
            #expect(similar.map(\.rawValue).prefix(1) == meant.prefix(1))
            #expect(similar.isEmpty == meant.isEmpty)
        }
    }

    @Test func `of another tenant's activity is not told`() async throws {
        let story = try await RecordedStory.worldCupFinal()
        let stranger = try await story.store.tenants.ensure("stranger")
        await #expect(throws: ReplayError.noSuchActivity(RecordedStory.match, similar: [])) {
            try await Timeline.read(
                History(story.store, of: stranger), activity: RecordedStory.match)
        }
    }

    @Test func `keeps what came before an event that cannot be folded`() async throws {
        let story = try await RecordedStory()
        try await story.report([
            RecordedStory.order("order-1", "OrderAccepted", "{}"),
            RecordedStory.order("order-1", "DriverAssigned", #"{"driverName":7}"#),
            RecordedStory.order("order-1", "OrderDelivered", "{}"),
        ])
        try await story.fold()
        let timeline = try await Timeline.read(
            story.history, activity: ActivityID(rawValue: "order-1"))
        let entries = timeline.entries
        #expect(entries.map(\.event.version) == [1, 2, 3])
        #expect(entries[0].parked == nil && entries[0].decision != nil)
        let cause = try #require(entries[1].parked)
        #expect(cause.hasPrefix("/data/driverName: must be a string"), "\(cause)")
        #expect(cause.hasSuffix("; parked from here on"))
        #expect(entries[2].parked == "an earlier event of the activity is parked")
        #expect(entries[2].decision == nil && entries[2].changes.isEmpty)
        #expect(entries[2].presentation == entries[0].presentation)
        let why = try await story.history.explain(2, of: timeline.activityID)
        let reason = cause.replacing("; parked from here on", with: "")
        #expect(why.sentences.contains("It is parked: \(reason)."))
    }

    @Test func `shows what was skipped in its place, and folds what comes after it`() async throws {
        let story = try await RecordedStory()
        try await story.reportReleased()
        let timeline = try await Timeline.read(
            story.history, activity: RecordedStory.released)
        let entries = timeline.entries
        #expect(entries.map(\.isSkipped) == [false, true, false, false])
        #expect(entries.map(\.parked) == [nil, nil, nil, nil])
        #expect(entries[1].decision == nil && entries[1].changes.isEmpty)
        #expect(entries[1].presentation == entries[0].presentation)
        #expect(entries[2].snapshot?.version == 3)
        let why = try await story.history.explain(2, of: timeline.activityID)
        #expect(why.sentences.contains { $0.hasPrefix("It is skipped: ") })
        #expect(why.sentences.last?.contains("no phone was sent anything") == true)
    }

    @Test func `passes over an event of another kind`() async throws {
        let story = try await RecordedStory()
        var stranger = RecordedStory.order("order-1", "OrderAccepted", "{}")
        stranger.type = "Match.PeriodStarted"
        try await story.report([
            RecordedStory.order("order-1", "OrderAccepted", "{}"), stranger,
            RecordedStory.order("order-1", "OrderDelivered", "{}"),
        ])
        try await story.fold()
        let timeline = try await Timeline.read(
            story.history, activity: ActivityID(rawValue: "order-1"))
        let entries = timeline.entries
        #expect(
            entries.map(\.parked) == [
                nil, "the activity is a PizzaDelivery, the event belongs to Match", nil,
            ])
        #expect(entries[2].decision?.verdict == .end)
        #expect(entries.map { $0.ledger != nil } == [true, false, true])
        let why = try await story.history.explain(3, of: timeline.activityID)
        #expect(why.changes.contains { $0.member == "stage" && $0.before != nil })
    }

    @Test func `of a log that only was exported explains without a word of sending`() async throws {
        let story = try await RecordedStory.worldCupFinal()
        var export = story.history
        export.database = nil
        let why = try await export.explain(3, of: RecordedStory.match)
        let whole = try await story.history.explain(3, of: RecordedStory.match)
        #expect(why.sentences.last == "An export does not say what phones were sent.")
        #expect(why.sentences.prefix(4) == whole.sentences.prefix(4))
        let newest = try await export.explain(nil, of: RecordedStory.match)
        #expect(newest.sentences.contains { $0.hasPrefix("It was decided to ") })
    }

    @Test func `of an unknown version names those that there are`() async throws {
        let story = try await RecordedStory.worldCupFinal()
        await #expect(
            throws: ReplayError.noSuchVersion(RecordedStory.match, 99, versions: 51)
        ) { _ = try await story.history.explain(99, of: RecordedStory.match) }
    }
}
