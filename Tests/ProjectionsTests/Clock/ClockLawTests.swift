import Domain
import Foundation
import Projections
import TestSupport
import Testing

/// What time alone brings about, for every kind of the catalogue.
struct ClockLawTests {
    private func types(_ story: Story) -> [String] {
        story.events.map(\.event.type).filter { $0.hasPrefix("ActivityClock.") }
    }

    @Test(arguments: KindProbe.all, 0..<12)
    func `an activity of which nothing is heard any more ends, and then nothing is due`(
        kind: KindProbe, seed: UInt64
    ) throws {
        var facts = RandomFacts(seed: 7000 + seed)
        var story = try Story(facts.events(of: kind, count: 12))
        let hadEnded = story.snapshot?.phase == .ended
        let hasPendingEnd = try story.lifetime()?.pendingEnd != nil
        let reports = story.changes.count
        try story.waitForEver()
        #expect(story.snapshot?.phase == .ended)
        #expect(try story.lifetime()?.isDismissed == true)
        let expected = [
            ActivityClock.Event.wentStale.type, ActivityClock.Event.timeLimitReached.type,
            ActivityClock.Event.dismissed.type,
        ]
        let overdue = types(story).count { $0 == ActivityClock.Event.promiseBroken.type }
        #expect(overdue <= 5)
        let others = types(story).filter { $0 != ActivityClock.Event.promiseBroken.type }
        if hasPendingEnd {
            #expect(others == [ActivityClock.Event.endGracePassed.type, expected[2]])
        } else {
            #expect(others == (hadEnded ? [expected[2]] : expected))
        }
        let endings = story.changes.map(\.assessment).filter { $0.ending != nil }
        #expect(endings.count == 1)
        #expect(story.changes.count <= reports + 3 + overdue)
    }

    @Test(arguments: KindProbe.all, 0..<6)
    func `the clock changes neither the facts nor the card`(kind: KindProbe, seed: UInt64) throws {
        var facts = RandomFacts(seed: 7100 + seed)
        var story = try Story(facts.events(of: kind, count: 6))
        while let before = story.snapshot, let change = try story.waitForClock() {
            #expect(!change.isVisible)
            #expect(change.snapshot.contentState == before.contentState)
            #expect(change.snapshot.attributes == before.attributes)
            #expect(try kind.facts(change.snapshot) == kind.facts(before))
            #expect(try kind.survivesCoding(change.snapshot))
        }
    }

    @Test(arguments: KindProbe.all)
    func `a report makes a stale activity fresh, and it goes stale again`(kind: KindProbe) throws {
        var story = try Story([try #require(RandomFacts.beginning(of: kind))])
        try story.waitForClock()
        #expect(try story.lifetime()?.isStale == true)
        #expect(story.changes.last?.assessment.significance == Significance.none)
        #expect(story.rule == "stale")
        try story.tell(try #require(RandomFacts.beginning(of: kind)))
        #expect(try story.lifetime()?.isStale == false)
        #expect(story.due?.type == ActivityClock.Event.wentStale.type)
        try story.waitForClock()
        #expect(try story.lifetime()?.isStale == true)
    }

    @Test(arguments: KindProbe.all)
    func `eight hours after going live the card ends, and late facts only correct the record`(
        kind: KindProbe
    ) throws {
        let beginning = try #require(RandomFacts.beginning(of: kind))
        var story = try Story([beginning])
        while story.due?.type != ActivityClock.Event.timeLimitReached.type {
            try story.waitForClock()
        }
        let end = try #require(try story.waitForClock())
        #expect(end.assessment.rule == "timeLimit")
        #expect(end.assessment.significance == .timely)
        #expect(end.assessment.ending != nil)
        #expect(end.snapshot.phase == .ended)
        if let liveSince = try story.lifetime()?.liveSince {
            #expect(story.events.last?.event.occurredAt == liveSince.adding(seconds: 8 * 3600))
        }
        for event in RandomFacts.largest(of: kind) {
            let change = try story.tell(event)
            #expect(change.assessment.significance == .none)
            #expect(change.assessment.rule == "afterEnd")
            #expect(change.assessment.ending == nil)
            #expect(change.snapshot.phase == .ended)
        }
        #expect(story.snapshot?.contentState != end.snapshot.contentState)
        let inTime = try Story([beginning] + RandomFacts.largest(of: kind))
        #expect(story.snapshot?.contentState == inTime.snapshot?.contentState)
        #expect(story.due?.type == ActivityClock.Event.dismissed.type)
    }

    @Test(arguments: KindProbe.all, 0..<6)
    func `an ended card leaves the Lock Screen within four hours`(
        kind: KindProbe, seed: UInt64
    ) throws {
        var facts = RandomFacts(seed: 7200 + seed)
        var story = try Story(facts.events(of: kind, count: 40))
        try story.waitForEver()
        let end = try #require(try story.lifetime()?.end)
        #expect((0...4 * 3600).contains(end.dismissAt.seconds(since: end.at)))
        #expect(story.rule == "dismissed")
    }

    @Test(arguments: KindProbe.all, 0..<6)
    func `what is due next says its time and the version that it follows`(
        kind: KindProbe, seed: UInt64
    ) throws {
        var facts = RandomFacts(seed: 7300 + seed)
        var story = try Story(facts.events(of: kind, count: 10))
        try story.waitForEver()
        for (event, change) in zip(story.events, story.changes) {
            guard let due = change.due else { continue }
            #expect(due.occurredAt == change.snapshot.dueAt)
            #expect(due.expectedVersion == event.version)
            #expect(due.source == "/islet/clock")
        }
        let ids = story.changes.compactMap(\.due?.id)
        #expect(Set(ids).count == ids.count)
    }

    @Test(arguments: KindProbe.all)
    func `what is due of an activity that was dropped and reported again has another id`(
        kind: KindProbe
    ) throws {
        let story = try Story([try #require(RandomFacts.beginning(of: kind))])
        let first = try #require(story.snapshot)
        // The same version of it, further on in the log.
        var second = first
        second.position += 100
        func due(_ snapshot: Snapshot, after streamVersion: Int64? = nil) throws -> NewEvent {
            try #require(try ActivityCatalog.tested.nextDue(snapshot, after: streamVersion))
        }
        #expect(try due(first).occurredAt == due(second).occurredAt)
        #expect(try due(first).id != due(second).id)
        #expect(try due(first, after: 9).id != due(second, after: 9).id)
        #expect(try due(first, after: 1) == due(first))
    }

    @Test(arguments: KindProbe.all, 0..<6)
    func `a log with the clock's events in it folds to equal bytes`(
        kind: KindProbe, seed: UInt64
    ) throws {
        var facts = RandomFacts(seed: 7400 + seed)
        var story = try Story(facts.events(of: kind, count: 3))
        try story.waitForClock()
        for event in facts.events(of: kind, count: 3) { try story.tell(event) }
        try story.waitForEver()
        var snapshot: Snapshot?
        for (event, change) in zip(story.events, story.changes) {
            let again = try ActivityCatalog.tested.fold(event, into: snapshot)
            #expect(again == change)
            snapshot = again.snapshot
        }
    }
}
