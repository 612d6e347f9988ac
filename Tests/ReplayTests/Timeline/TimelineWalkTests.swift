import Domain
import Explaining
import Projections
import Replay
import Testing

struct `A walk through a timeline` {
    private func walk() async throws -> TimelineWalk {
        let story = try await RecordedStory.worldCupFinal()
        return TimelineWalk(
            try await Timeline.read(story.history, activity: RecordedStory.match))
    }

    @Test func `goes on and back and stops at both ends`() async throws {
        var walk = try await walk()
        let atStart = walk.back()
        #expect(!atStart && walk.index == 0)
        let moved = walk.next()
        #expect(moved && walk.entry.version == 2)
        _ = walk.back()
        #expect(walk.index == 0)
        while walk.next() {}
        #expect(walk.entry.version == walk.timeline.entries.last?.version)
    }

    @Test func `runs to the next alert and to the next change of a field`() async throws {
        var walk = try await walk()
        var alerts = 0
        while walk.runToAlert() {
            #expect(walk.entry.decision?.alert != nil)
            alerts += 1
        }
        let all = walk.timeline.entries.dropFirst().count { $0.decision?.alert != nil }
        #expect(alerts == all)
        try walk.jump(to: .number(1))
        var goals = 0
        while walk.run(untilChanged: "homeScore") { goals += 1 }
        #expect(goals == 3)
        #expect(walk.members.contains("homeScore"))
        let isFound = walk.run(untilChanged: "nothing")
        #expect(!isFound)
    }

    @Test func `jumps to a version and to what was known at a time`() async throws {
        var walk = try await walk()
        try walk.jump(to: .number(10))
        #expect(walk.entry.version == 10)
        let between = walk.entry.event.recordedAt.adding(seconds: 0.5)
        try walk.jump(to: .number(1))
        try walk.jump(to: .moment(between))
        #expect(walk.entry.event.recordedAt <= between)
        #expect(walk.timeline.entries[walk.index + 1].event.recordedAt > between)
        #expect(throws: ReplayError.noSuchVersion(RecordedStory.match, 999, versions: 51)) {
            try walk.jump(to: .number(999))
        }
        let early = Moment(unixSeconds: 0)
        #expect(throws: ReplayError.self) { try walk.jump(to: .moment(early)) }
    }

    @Test func `can be asked why, in sentences`() async throws {
        let story = try await RecordedStory.worldCupFinal()
        let timeline = try await Timeline.read(story.history, activity: RecordedStory.match)
        let goal = try #require(timeline.entries.first { $0.event.event.id == "final-goal-1" })
        let why = try await story.history.explain(goal.version, of: timeline.activityID)
        #expect(why.sentences.first?.hasPrefix("Version \(goal.version) is the event") == true)
        #expect(why.sentences.contains { $0.contains("homeScore from 0 to 1") })
        #expect(why.sentences.contains { $0.contains("It has not been sent yet") })
    }
}
