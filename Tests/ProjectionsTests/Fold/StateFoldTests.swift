import Domain
import Foundation
import Projections
import TestSupport
import Testing

struct StateFoldTests {
    private func refolded(_ events: some Collection<RecordedEvent>, from snapshot: Snapshot? = nil)
        throws -> Snapshot
    {
        var rest = events[...]
        let fold: StateFold
        if let snapshot {
            fold = try StateFold(.stored(snapshot), catalog: .tested)
        } else {
            let first = rest.popFirst()
            fold = try StateFold(try #require(first), catalog: .tested)
        }
        for event in rest { try fold.fold(event) }
        return fold.snapshot()
    }

    @Test(arguments: KindProbe.all, 0..<20)
    func `a state fold gives the same bytes as the live fold, from any snapshot on`(
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
    func `one fold over many events gives the same bytes as one for each, and the same worth`(
        kind: KindProbe, seed: UInt64
    ) throws {
        var facts = RandomFacts(seed: 4000 + seed)
        var feed = LateFeed(seed: seed)
        let story = try feed.story(of: facts.events(of: kind, count: 25))
        let fold = try AssessingFold.tested(story.events)
        let changes = try story.events.map { try fold.fold(recorded: $0) }
        #expect(changes.map(\.assessment) == story.changes.map(\.assessment))
        #expect(changes.map(\.isVisible) == story.changes.map(\.isVisible))
        #expect(changes.map(\.alert) == story.changes.map(\.alert))
        #expect(
            changes.map(\.snapshot.contentState) == story.changes.map(\.snapshot.contentState))
        #expect(fold.snapshot() == story.snapshot)
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
            stored?.decodedState = Snapshot.DecodedValue()
            let read = try ActivityCatalog.tested.fold(event, into: stored)
            let quick = try ActivityCatalog.tested.fold(event, into: remembering)
            #expect(quick.snapshot == read.snapshot)
            #expect(quick.isVisible == read.isVisible)
            #expect(quick.assessment == read.assessment)
            stored = quick.snapshot
            var forgetful = quick.snapshot
            forgetful.decodedState = Snapshot.DecodedValue()
            let shown = try ActivityCatalog.tested.presentation(of: quick.snapshot)
            #expect(try ActivityCatalog.tested.presentation(of: forgetful) == shown)
        }
    }

    @Test func `an event that is refused leaves the activity as it was`() throws {
        let events = try Fixture.recorded(Fixture.pizzaOrders)
        let order = events.filter { $0.event.activityID == events[0].event.activityID }
        let fold = try StateFold(order[0])
        let before = fold.snapshot()
        var broken = order[1]
        broken.event.data = Data("[]".utf8)
        #expect(throws: FoldError.self) { try fold.fold(broken) }
        #expect(fold.snapshot() == before)
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
            try StateFold(event)
        }
    }
}
