import Domain
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Explaining
@testable import Replay

struct `Why a replay cannot be made` {
    private static let order = ActivityID(rawValue: "order-1")

    private static let sentences: [(ReplayError, String)] = [
        (.export("a segment is damaged"), "a segment is damaged"),
        (.trace("a line of it is damaged"), "a line of it is damaged"),
        (.noSuchActivity(order, similar: []), "there is no activity 'order-1'"),
        (
            .noSuchActivity(order, similar: [ActivityID(rawValue: "order-2"), order]),
            "there is no activity 'order-1'; did you mean order-2, order-1?"
        ),
        (
            .perhapsArchived(order, similar: [], places: ["/a", "s3://b"]),
            "there is no activity 'order-1' in the database; if it ended long ago it is archived: "
                + "read it with --from /a or s3://b, or with several that follow each other"
        ),
        (
            .perhapsArchived(order, similar: [ActivityID(rawValue: "order-2")], places: ["/a"]),
            "there is no activity 'order-1' in the database; did you mean order-2? If it ended "
                + "long ago it is archived: read it with --from /a"
        ),
        (.noSuchVersion(order, 9, versions: 3), "'order-1' has no version 9; it has 1 to 3"),
        (
            .beforeFirst(order, Moment(unixSeconds: 0), first: Moment(unixSeconds: 1)),
            "nothing was known of 'order-1' at 1970-01-01T00:00:00Z; its first event was recorded "
                + "at 1970-01-01T00:00:01Z"
        ),
        (
            .beginningMissing(order, version: 4),
            "'order-1' begins with version 4 here, so it cannot be folded: give the export before "
                + "this one too, by one more --from, or export it whole with islet events export "
                + "--activity order-1"
        ),
        (
            .policy(["/rules/gaol is none", "/texts is none"]),
            "/rules/gaol is none\n/texts is none"
        ),
        (.interrupted, "interrupted"),
        (
            .changedMeanwhile,
            "activities were dropped or erased while the log was read, so some of them were read "
                + "in part: run it again when islet archive or islet erase has ended"
        ),
    ]

    @Test(arguments: 0..<12)
    func `is said with what was asked for and what to do`(place: Int) {
        let (error, sentence) = Self.sentences[place]
        #expect("\(error)" == sentence)
    }

    @Test func `is known from what the store says`() async {
        let failure = EventStoreError.unavailable(detail: "no server")
        let head = { () async throws(EventStoreError) -> Int64 in throw failure }
        await #expect(throws: ReplayError.store(failure)) {
            try await asked(try await head())
        }
        #expect("\(ReplayError.store(failure))".hasPrefix("the store failed: "))
    }

    @Test func `is that an activity is not there, or perhaps was dropped`() async throws {
        let history = ShortLog.history([ShortLog.event(1, "order-1", 1)])
        try await history.require(Self.order)
        let (near, far) = (
            ActivityID(rawValue: "order-7"), ActivityID(rawValue: "world-cup-2022-final")
        )
        let meant = ReplayError.noSuchActivity(near, similar: [Self.order])
        await #expect(throws: meant) { try await history.require(near) }
        await #expect(throws: ReplayError.noSuchActivity(far, similar: [])) {
            try await history.require(far)
        }
        let shortened = try await shortened(history)
        let cases: [(ActivityID, [ActivityID])] = [(far, []), (near, [Self.order])]
        for (activity, similar) in cases {
            let error = ReplayError.perhapsArchived(
                activity, similar: similar, places: ["/archive"])
            await #expect(throws: error) { try await shortened.require(activity) }
        }
    }

    /// Two events of it were archived and dropped.
    private func shortened(_ history: History) async throws -> History {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("acme").id
        _ = try await database.pool.query(
            """
            WITH archived AS (INSERT INTO log_archive (tenant, after, through, place, chain)
                VALUES ($1, 0, 9, '/archive', 'c'))
            INSERT INTO log_dropped VALUES ($1, 2, 1)
            """, [.int4(tenant.rawValue)])
        var shortened = history
        shortened.database = History.Database(store: database.store, tenant: tenant)
        return shortened
    }

    @Test func `is that a part of a log begins in the middle of an activity`() async throws {
        let events = [ShortLog.event(11, "order-1", 4), ShortLog.event(12, "order-1", 5)]
        let part = ShortLog.history(events, after: 10)
        await #expect(throws: ReplayError.beginningMissing(Self.order, version: 4)) {
            try await Timeline.read(part, activity: Self.order)
        }
        // In a whole log the others stand under a subject that looks the same.
        let whole = try await Timeline.read(ShortLog.history(events), activity: Self.order)
        #expect(whole.entries.map(\.version) == [4, 5])
    }
}

struct `A place in a timeline` {
    private func timeline() -> Timeline {
        let events = [(2, 10), (3, 10), (5, 20)].map { (version: Int64, seconds: Int64) in
            ShortLog.event(version, at: seconds)
        }
        return Timeline(
            activityID: ActivityID(rawValue: "order-1"), entries: events.map { .init(event: $0) })
    }

    @Test func `is that of a version, or of what was known at a time`() throws {
        let timeline = timeline()
        #expect(try timeline.index(of: .number(5)) == 2)
        #expect(try timeline.index(of: .moment(Moment(unixSeconds: 10))) == 1)
        #expect(try timeline.index(of: .moment(Moment(unixSeconds: 19))) == 1)
        #expect(try timeline.index(of: .moment(Moment(unixSeconds: 99))) == 2)
    }

    @Test func `is nowhere before the first and for a version that is not there`() {
        let order = ActivityID(rawValue: "order-1")
        #expect(throws: ReplayError.noSuchVersion(order, 4, versions: 5)) {
            try timeline().index(of: .number(4))
        }
        let early = Moment(unixSeconds: 9)
        #expect(
            throws: ReplayError.beforeFirst(order, early, first: Moment(unixSeconds: 10))
        ) { try timeline().index(of: .moment(early)) }
        #expect(throws: ReplayError.noSuchVersion(order, 1, versions: 0)) {
            try Timeline(activityID: order, entries: []).index(of: .number(1))
        }
    }

    @Test func `is where a member changes, or something in it, and not in another like it`() {
        var timeline = timeline()
        timeline.entries[1].changes = [MemberChange(member: "homeScore", before: "0", after: "1")]
        timeline.entries[2].changes = [MemberChange(member: "home.name", before: nil, after: "1")]
        var walk = TimelineWalk(timeline)
        let found = walk.run(untilChanged: "home")
        #expect(found && walk.index == 2)
        let again = walk.run(untilChanged: "home")
        #expect(!again && walk.index == 2)
        #expect(walk.members == ["home.name", "homeScore"])
    }
}
