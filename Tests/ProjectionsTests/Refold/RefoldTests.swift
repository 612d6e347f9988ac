import Domain
import Foundation
import Projections
import Testing

struct RefoldTests {
    private func refolded(_ events: some Collection<RecordedEvent>, from snapshot: Snapshot? = nil)
        throws -> Snapshot
    {
        var rest = events[...]
        let refold: Refold
        if let snapshot {
            refold = try Refold(snapshot, catalog: .tested)
        } else {
            let first = rest.popFirst()
            refold = try Refold(try #require(first), catalog: .tested)
        }
        for event in rest { try refold.fold(event) }
        return refold.snapshot()
    }

    @Test(arguments: KindProbe.all, 0..<20)
    func `a refold gives the same bytes as the fold, from any snapshot on`(
        kind: KindProbe, seed: UInt64
    ) throws {
        var facts = RandomFacts(seed: 9000 + seed)
        var feed = LateFeed(seed: seed)
        let story = try feed.story(of: facts.events(of: kind, count: 25))
        let expected = try #require(story.snapshot)
        #expect(try refolded(story.events) == expected)
        let half = story.events.count / 2
        guard half > 0 else { return }
        let middle = story.changes[half - 1].snapshot
        #expect(try refolded(story.events[half...], from: middle) == expected)
    }

    @Test(arguments: KindProbe.all, 0..<20)
    func `a course gives the same bytes as the fold, and what each event was worth`(
        kind: KindProbe, seed: UInt64
    ) throws {
        var facts = RandomFacts(seed: 4000 + seed)
        var feed = LateFeed(seed: seed)
        let story = try feed.story(of: facts.events(of: kind, count: 25))
        let first = try #require(story.events.first)
        let course = try Course.tested(first)
        var changes = [course.first.own]
        for event in story.events.dropFirst() { changes.append(try course.fold(event)) }
        #expect(changes.map(\.assessment) == story.changes.map(\.assessment))
        #expect(changes.map(\.isVisible) == story.changes.map(\.isVisible))
        #expect(changes.map(\.alert) == story.changes.map(\.alert))
        #expect(
            changes.map(\.snapshot.contentState) == story.changes.map(\.snapshot.contentState))
        #expect(course.snapshot() == story.snapshot)
    }

    @Test(arguments: KindProbe.all, 0..<20)
    func `what a snapshot remembers of its writing changes no byte and nothing that is shown`(
        kind: KindProbe, seed: UInt64
    ) throws {
        var facts = RandomFacts(seed: 700 + seed)
        var feed = LateFeed(seed: seed)
        var stored: Snapshot?
        for event in try feed.story(of: facts.events(of: kind, count: 25)).events {
            let remembering = stored
            // As it comes back from the database.
            stored?.readState = Snapshot.Reading()
            let read = try ActivityCatalog.tested.fold(event, into: stored)
            let quick = try ActivityCatalog.tested.fold(event, into: remembering)
            #expect(quick.snapshot == read.snapshot)
            #expect(quick.isVisible == read.isVisible)
            #expect(quick.assessment == read.assessment)
            stored = quick.snapshot
            var forgetful = quick.snapshot
            forgetful.readState = Snapshot.Reading()
            let shown = try ActivityCatalog.tested.presentation(of: quick.snapshot)
            #expect(try ActivityCatalog.tested.presentation(of: forgetful) == shown)
        }
    }

    @Test func `an event that is refused leaves the activity as it was`() throws {
        let events = try Fixture.recorded(Fixture.pizzaOrders)
        let order = events.filter { $0.event.activityID == events[0].event.activityID }
        let refold = try Refold(order[0])
        let before = refold.snapshot()
        var broken = order[1]
        broken.event.data = Data("[]".utf8)
        #expect(throws: FoldError.self) { try refold.fold(broken) }
        #expect(refold.snapshot() == before)
    }

    @Test func `the clock does not begin an activity`() throws {
        let event = RecordedEvent(
            tenant: TenantID(rawValue: 1), position: 1, version: 1,
            recordedAt: Moment(unixSeconds: 0),
            event: NewEvent(
                id: "1", source: ActivityClock.source, type: ActivityClock.Event.dismissed.type,
                activityID: ActivityID(rawValue: "a"), occurredAt: Moment(unixSeconds: 0),
                data: Data("{}".utf8)))
        #expect(throws: FoldError.unknownKind(ActivityClock.Event.dismissed.type)) {
            try Refold(event)
        }
    }
}
