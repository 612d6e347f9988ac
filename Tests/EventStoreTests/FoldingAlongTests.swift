import Domain
import EventLoop
import Foundation
import Postgres
import TestSupport
import Testing

@testable import EventStore

struct FoldingAlongTests {
    private let database: TestDatabase
    private let node: CountingNode
    private let other: CountingNode

    /// The node knows the log's end, the checkpoint and one activity.
    init() async throws {
        database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("acme").id
        // However slow the machine is.
        let patient = AppendLimits(
            queuedEventsMax: 1_000, queueWaitSeconds: 60, foldedAlongCommitSeconds: 60)
        node = CountingNode(
            store: .postgres(pool: database.makePool(), appending: patient), tenant: tenant)
        other = CountingNode(
            store: .postgres(pool: database.makePool(), appending: patient), tenant: tenant)
        try await node.append("1")
        try await node.fold()
    }

    @Test func `is given events as the log holds them afterwards, and committed with them`()
        async throws
    {
        let seen = Lock<[RecordedEvent]>([])
        let stop = node.store.projections.foldAlong { batch in
            seen.withLock { $0 += batch.events }
            return CountingNode.count(batch)
        }
        defer { stop() }
        #expect(try await node.append("2") == [.recorded(position: 2, version: 2)])
        #expect(try await node.behind() == 0)
        // One begins, and one has two events.
        let events = [
            Samples.event("3"), Samples.event("4", "order-2"),
            Samples.event("5", expectedVersion: 3),
        ]
        let outcomes = try await node.store.log.append(node.tenant, events)
        #expect(
            outcomes == [
                .recorded(position: 3, version: 3), .recorded(position: 4, version: 1),
                .recorded(position: 5, version: 4),
            ])
        #expect(try await node.append("6", activity: "order-3").first?.position == 6)
        #expect(try await node.behind() == 0)
        #expect(try await node.state() == "4")
        #expect(try await node.state("order-2") == "1")
        #expect(try await node.state("order-3") == "1")
        var logged = try await node.store.log.read(node.tenant, 1, 10)
        // Postgres writes JSON in its own way; what it says is the same.
        for index in logged.indices { logged[index].event.data = Data(#"{"n": 1}"#.utf8) }
        #expect(seen.withLock { $0 } == logged)
        let rows = try await node.store.projections.decisions(
            node.tenant, ActivityID(rawValue: "order-1"), 0, 10)
        #expect(rows.map(\.decision.version) == [1, 2, 3, 4])
        #expect(try await node.store.projections.foldNext(100, CountingNode.count) == 0)
    }

    @Test func `is what followers and streams of events hear of`() async throws {
        let stop = node.store.projections.foldAlong(CountingNode.count)
        defer { stop() }
        _ = try await node.store.projections.changed(node.tenant, .init(position: 0), 50)
        try await node.append("2")
        let topics: Set<StoreNews.Topic> = [.appended, .appendedFolded, .folded]
        var news = node.store.news(about: topics).makeAsyncIterator()
        #expect(await news.next() == .resumed)
        #expect(try await node.behind() == 0)
        try await node.append("3")
        #expect(await news.next() == .folded(node.tenant))
        #expect(await news.next() == .appendedFolded(node.tenant))
        let place = ActivityChange.Place(position: 2)
        let told = try await node.store.projections.changed(node.tenant, place, 50)
        #expect(told.all.map(\.snapshot?.version) == [3])
        #expect(try await other.store.projections.changed(node.tenant, place, 50) == told)
    }

    @Test func `ends with whoever asked for it`() async throws {
        let stop = node.store.projections.foldAlong(CountingNode.count)
        try await node.append("2")
        #expect(try await node.behind() == 0)
        stop()
        try await node.append("3")
        #expect(try await node.behind() == 1)
    }

    @Test func `leaves many events, and those of unknown activities, to be folded later`()
        async throws
    {
        try await other.append("2", activity: "order-2")
        try await other.fold()
        try await node.append("3")
        try await node.fold()
        let stop = node.store.projections.foldAlong(CountingNode.count)
        defer { stop() }
        // To this node it looks like the first one.
        let known = try await node.append("4", activity: "order-2")
        #expect(known == [.recorded(position: 4, version: 2)])
        #expect(try await node.behind() == 1)
        try await node.fold()
        #expect(try await node.state("order-2") == "2")
        let many = (0...Limits.foldedAlongMax).map { Samples.event("many \($0)") }
        _ = try await node.store.log.append(node.tenant, many)
        #expect(try await node.behind() == Int64(many.count))
        try await node.fold()
        #expect(try await node.state() == "\(2 + many.count)")
    }

    @Test func `is not for a machine on which a commit takes long`() async throws {
        let hurried = AppendLimits(
            queuedEventsMax: 1_000, queueWaitSeconds: 60, foldedAlongCommitSeconds: 0)
        let store = EventStore.postgres(pool: database.makePool(), appending: hurried)
        let late = CountingNode(store: store, tenant: node.tenant)
        let stop = late.store.projections.foldAlong(CountingNode.count)
        defer { stop() }
        for number in 2...4 {
            try await late.append("\(number)")
            #expect(try await late.behind() == 1)
            try await late.fold()
        }
        #expect(try await late.state() == "4")
    }

    @Test func `records an event once, however often it is reported`() async throws {
        let stop = node.store.projections.foldAlong(CountingNode.count)
        defer { stop() }
        let first = try await node.append("2")
        #expect(try await node.append("2") == [.alreadyKnown(position: 2, version: 2)])
        #expect(first == [.recorded(position: 2, version: 2)])
        let conflict = Samples.event("3", expectedVersion: 7)
        #expect(
            try await node.store.log.append(node.tenant, [conflict])
                == [.versionConflict(actual: 2)])
        #expect(try await node.behind() == 0)
        #expect(try await node.state() == "2")
    }

    @Test(arguments: ["parked", "refused by Postgres", "of a newer program"])
    func `keeps no event from being recorded`(trouble: String) async throws {
        let stop = node.store.projections.foldAlong { batch in
            var outcome = CountingNode.count(batch)
            switch trouble {
            case "parked":
                let event = batch.events[0]
                outcome.parked = [
                    ParkedEvent(
                        position: event.position, activityID: event.event.activityID, reason: "no")
                ]
            case "refused by Postgres": outcome.snapshots[0].state = Data("{".utf8)
            default: outcome.isOvertaken = true
            }
            return outcome
        }
        defer { stop() }
        for number in 2...3 {
            let outcome = try await node.append("\(number)")
            #expect(outcome == [.recorded(position: Int64(number), version: Int64(number))])
        }
        #expect(try await node.behind() == 2)
        try await node.fold()
        #expect(try await node.state() == "3")
    }

    @Test func `waits for nobody who holds the checkpoint, and overwrites nobody's changes`()
        async throws
    {
        let stop = node.store.projections.foldAlong(CountingNode.count)
        defer { stop() }
        try await database.pool.withTransaction { (connection) async throws(PostgresError) in
            try await connection.script("SELECT FROM projection_checkpoint FOR UPDATE")
            let outcomes = try? await node.append("2")
            #expect(outcomes == [.recorded(position: 2, version: 2)])
        }
        #expect(try await node.behind() == 1)
        try await node.fold()
        // A hand on the snapshots says so by the checkpoint.
        _ = try await database.pool.query("UPDATE snapshot SET state = '100'")
        _ = try await database.pool.query(
            "UPDATE projection_checkpoint SET moved_at = clock_timestamp()")
        try await node.append("3")
        #expect(try await node.behind() == 1)
        try await node.fold()
        #expect(try await node.state() == "101")
        try await node.append("4")
        #expect(try await node.behind() == 0)
        #expect(try await node.state() == "102")
    }

    @Test func `never goes by another policy than the one in force`() async throws {
        let seen = Lock<[Int]>([])
        let stop = node.store.projections.foldAlong { batch in
            seen.withLock { $0.append(batch.policies.epoch) }
            return CountingNode.count(batch)
        }
        defer { stop() }
        _ = try await other.store.policies.put(node.tenant, "A", nil, Data("{}".utf8))
        try await node.append("2")
        #expect(try await node.behind() == 1)
        try await node.fold()
        try await Task.sleep(for: .seconds(Limits.foldAlongRestSeconds))
        // The log's end has to be known again first.
        try await node.append("3")
        try await node.fold()
        try await node.append("4")
        #expect(try await node.behind() == 0)
        #expect(seen.withLock { $0 } == [0, 1])
    }

    @Test func `gives no event a time before another's, or far from the clock of Postgres`()
        async throws
    {
        let stop = node.store.projections.foldAlong(CountingNode.count)
        defer { stop() }
        try await node.append("2")
        let clock = try await database.pool.query("SELECT clock_timestamp()").first?.moment(0)
        let recorded = try await node.store.log.read(node.tenant, 0, 10).map(\.recordedAt)
        #expect(recorded == recorded.sorted())
        let age = try #require(clock).seconds(since: recorded[1])
        #expect(0..<1 ~= age)
        // As if the clock had been set back.
        let ahead = "UPDATE log_head SET recorded_at = recorded_at + interval '1 hour'"
        _ = try await database.pool.query(ahead)
        try await node.append("3")
        #expect(try await node.behind() == 1)
        let times = try await node.store.log.read(node.tenant, 0, 10).map(\.recordedAt)
        #expect(times[2].seconds(since: times[1]) > 3_599)
    }

    @Test(arguments: 1...4)
    func `together with another node that does the same folds each event once`(seed: UInt64)
        async throws
    {
        var generator = SeededGenerator(seed: seed)
        let stops = [node, other].map { $0.store.projections.foldAlong(CountingNode.count) }
        defer { for stop in stops { stop() } }
        let nodes = [node, other]
        var number = 1
        for _ in 0..<40 {
            let chosen = nodes[Int.random(in: 0...1, using: &generator)]
            // Runs of one node, so that it can rely on what it knows, in between both at once.
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                number += 1
                try await chosen.append("\(number)")
            }
            if Bool.random(using: &generator) {
                let next = number + 1
                number += 2
                async let one = node.append("\(next)")
                async let two = other.append("\(next + 1)")
                _ = try await (one, two)
            }
            if Bool.random(using: &generator) { try await chosen.fold() }
        }
        try await node.fold()
        #expect(try await node.state() == "\(number)")
        let events = try await node.store.log.read(node.tenant, 0, 1_000)
        #expect(events.map(\.version) == (1...Int64(number)).map { $0 })
        #expect(events.map(\.recordedAt) == events.map(\.recordedAt).sorted())
        let rows = try await node.store.projections.decisions(
            node.tenant, ActivityID(rawValue: "order-1"), 0, 1_000)
        #expect(rows.map(\.decision.version) == events.map(\.version))
    }
}

struct ForeseenClockTests {
    @Test func `goes on from what it was last told, never ahead of it, and not for ever`() {
        var clock = ForeseenClock()
        let start = ContinuousClock.now
        #expect(clock.now(at: start) == nil)
        let time = Moment(unixSeconds: 1_700_000_000)
        clock.note(time, at: start)
        #expect(clock.now(at: start + .milliseconds(300)) == time.adding(seconds: 0.3))
        // An answer that was long on its way says less than the one before; a quick one more.
        clock.note(time.adding(seconds: 0.2), at: start + .milliseconds(300))
        #expect(clock.now(at: start + .milliseconds(300)) == time.adding(seconds: 0.3))
        clock.note(time.adding(seconds: 0.35), at: start + .milliseconds(300))
        #expect(clock.now(at: start + .milliseconds(300)) == time.adding(seconds: 0.35))
        // After a while what is newer counts.
        clock.note(time.adding(seconds: 2), at: start + .milliseconds(2_300))
        #expect(clock.now(at: start + .milliseconds(2_300)) == time.adding(seconds: 2))
        let late = start + .seconds(3 + Limits.foreseenSecondsMax)
        #expect(clock.now(at: late) == nil)
    }
}
