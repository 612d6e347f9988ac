import Domain
import EventLoop
import EventStore
import Foundation
import Postgres
import StoreTestSupport
import TestSupport
import Testing

@testable import PostgresStore

struct BufferedFoldTests {
    private let database: TestDatabase
    private let nodes: [CountingNode]

    init() async throws {
        database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("acme").id
        nodes = [
            CountingNode(store: database.store, tenant: tenant),
            CountingNode(store: .postgres(pool: database.makePool()), tenant: tenant),
        ]
    }

    @Test func `what a node has recorded itself is folded as it stands in the log`() async throws {
        let node = nodes[0]
        #expect(try await node.fold() == nil)
        try await node.append("1")
        // Nothing is known of the checkpoint at first, of whatever was recorded.
        #expect(try await node.fold() == .log)
        try await node.append("2", "3")
        try await node.append("4", activity: "order-2")
        let seen = Lock<[FoldBatch]>([])
        let folded = try await node.store.projections.foldNext(node.tenant, 100) { batch in
            seen.withLock { $0.append(batch) }
            return CountingNode.count(batch)
        }
        #expect(folded?.count == 3)
        let batch = try #require(seen.withLock { $0.first })
        var events = try await node.store.log.read(node.tenant, 1, 10)
        // Postgres writes JSON in its own way; what it says is the same.
        for index in events.indices { events[index].event.data = Data(CountingNode.data.utf8) }
        #expect(batch.events == events)
        #expect(batch.snapshots.mapValues(\.version) == [ActivityID(rawValue: "order-1"): 1])
        #expect(try await node.store.projections.checkpoint(node.tenant) == 4)
        #expect(try await node.state() == "3")
        #expect(try await node.state("order-2") == "1")
        let rows = try await node.store.projections.decisions(
            node.tenant, ActivityID(rawValue: "order-1"), 0, 10)
        #expect(rows.map(\.decision.version) == [1, 2, 3])
    }

    @Test func `events that were recorded together are folded together`() async throws {
        let node = nodes[0]
        try await node.append("first")
        try await node.fold()
        // More than are written as rows; one of the two activities begins among them.
        let ids = (0..<10).map { "\($0)" }
        let events = ids.flatMap { [Samples.event("a\($0)"), Samples.event("b\($0)", "order-2")] }
        _ = try await node.store.log.append(node.tenant, events)
        let sizes = Lock<[Int]>([])
        let folded = try await node.store.projections.foldNext(node.tenant, 100) { batch in
            sizes.withLock { $0.append(batch.events.count) }
            return CountingNode.count(batch)
        }
        #expect(folded?.count == 20)
        #expect(sizes.withLock { $0 } == [20])
        #expect(try await node.state() == "11")
        #expect(try await node.state("order-2") == "10")
        #expect(try await node.store.projections.checkpoint(node.tenant) == 21)
    }

    @Test func `what cannot be folded whole from memory is folded from the log`()
        async throws
    {
        let node = nodes[0]
        try await node.append("first")
        try await node.fold()
        _ = try await node.store.log.append(
            node.tenant, (2..<22).map { Samples.event("\($0)", "order-\($0)") })
        let sizes = Lock<[Int]>([])
        let folded = try await node.store.projections.foldNext(node.tenant, 100) { batch in
            sizes.withLock { $0.append(batch.events.count) }
            var result = CountingNode.count(batch)
            result.parked = [
                ParkedEvent(
                    position: 10, activityID: batch.events[0].event.activityID, reason: "no")
            ]
            return result
        }
        #expect(folded?.count == 20)
        #expect(sizes.withLock { $0 } == [20, 20])
        #expect(try await node.store.projections.checkpoint(node.tenant) == 21)
        for order in 2..<22 { #expect(try await node.state("order-\(order)") == "1") }
    }

    @Test func `observers get each fold that was committed, and no other`()
        async throws
    {
        let told = Lock<[[Int64]]>([])
        let node = CountingNode(
            store: database.store.observed(by: [FoldNotes(told: told)]), tenant: nodes[0].tenant)
        try await node.append("first")
        try await node.fold()
        _ = try await node.store.log.append(
            node.tenant, (2..<22).map { Samples.event("\($0)", "order-\($0)") })
        try await node.fold()
        #expect(told.value.map(\.count) == [1, 20])
        #expect(told.value.flatMap { $0 } == [Int64](1...21))
        // What was folded from memory is not written, and folded again from the log.
        told.withLock { $0 = [] }
        _ = try await node.store.log.append(
            node.tenant, (22..<42).map { Samples.event("\($0)", "order-\($0)") })
        _ = try await node.store.projections.foldNext(node.tenant, 100) { batch in
            var outcome = CountingNode.count(batch)
            if let event = batch.events.first(where: { $0.position == 30 }) {
                outcome.parked = [
                    ParkedEvent(
                        position: 30, activityID: event.event.activityID, reason: "no")
                ]
            }
            return outcome
        }
        #expect(told.value.map(\.count) == [20])
        #expect(told.value.flatMap { $0 } == [Int64](22...41))
        // Another node is quicker with what this one recorded.
        told.withLock { $0 = [] }
        try await node.append("42", "43")
        try await nodes[1].fold()
        try await nodes[1].append("44")
        try await node.fold()
        #expect(told.value == [[44]])
    }

    @Test func `what a fold leaves of a batch comes from the log, and observers get each once`()
        async throws
    {
        let told = Lock<[[Int64]]>([])
        let node = CountingNode(
            store: database.store.observed(by: [FoldNotes(told: told)]), tenant: nodes[0].tenant)
        try await node.append("first")
        try await node.fold()
        told.withLock { $0 = [] }
        _ = try await node.store.log.append(node.tenant, (2...11).map { Samples.event("\($0)") })
        let fold = { @Sendable (batch: FoldBatch) in
            var part = batch
            part.events = Array(batch.events.prefix(4))
            var outcome = CountingNode.count(part)
            if part.events.count < batch.events.count {
                outcome.foldedCount = part.events.count
            }
            return outcome
        }
        var counts: [Int] = []
        while let folded = try await node.store.projections.foldNext(node.tenant, 100, fold) {
            counts.append(folded.count)
        }
        #expect(counts == [4, 4, 2])
        #expect(told.value == [[2, 3, 4, 5], [6, 7, 8, 9], [10, 11]])
        #expect(try await node.state() == "11")
    }

    @Test func `two nodes that record and fold in any order fold each event once`() async throws {
        var generator = SeededGenerator(seed: 20)
        var origins: Set<CountingNode.Origin?> = []
        for round in 0..<60 {
            try await nodes[Int.random(in: 0...1, using: &generator)].append("\(round)")
            if Int.random(in: 0..<3, using: &generator) > 0 {
                origins.insert(try await nodes[Int.random(in: 0...1, using: &generator)].fold())
            }
        }
        try await nodes[0].fold()
        #expect(origins.isSuperset(of: [.memory, .log]))
        #expect(try await nodes[1].state() == "60")
    }

    @Test func `nothing is written when somebody else has locked or touched the checkpoint`()
        async throws
    {
        let node = nodes[0]
        try await node.append("1")
        #expect(try await node.fold() == .log)
        try await node.append("2")
        #expect(try await node.fold() == .memory)
        try await node.append("3")
        try await database.pool.withTransaction { (connection) async throws(PostgresError) in
            try await connection.script("SELECT FROM projection_checkpoint FOR UPDATE")
            do {
                let folded = try await node.store.projections.foldNext(
                    node.tenant, 100, CountingNode.count)
                #expect(folded?.count == nil)
            } catch { Issue.record("folding failed: \(error)") }
        }
        #expect(try await node.state() == "2")
        #expect(try await node.fold() == .log)
        // A hand on the snapshots says so by the checkpoint.
        try await database.alter("UPDATE snapshot SET state = '100'")
        _ = try await database.pool.query(
            "UPDATE projection_checkpoint SET moved_at = clock_timestamp()")
        try await node.append("4")
        #expect(try await node.fold() == .log)
        #expect(try await node.state() == "101")
        try await node.append("5")
        #expect(try await node.fold() == .memory)
        #expect(try await node.state() == "102")
    }

    @Test func `words are noted when they come, and found as long as they stay`() async throws {
        let node = nodes[0]
        try await node.append("0", activity: "order-0")
        try await node.fold()
        for (version, names) in ["Ada", "Ada", "Ada Ben", "Ben", "Ben"].enumerated() {
            try await node.append("named-\(version)")
            let folded = try await node.store.projections.foldNext(node.tenant, 100) { batch in
                var outcome = CountingNode.count(batch)
                for index in outcome.snapshots.indices {
                    outcome.snapshots[index].facts.words = SearchWords(names)
                }
                return outcome
            }
            #expect(folded?.count == 1)
            let id = ActivityID(rawValue: "order-1")
            let stored = try await node.store.projections.snapshot(node.tenant, id)
            #expect(stored?.facts.words == SearchWords(names))
            let noted = try await database.pool.query(
                "SELECT word FROM activity_word WHERE activity_id = 'order-1' ORDER BY word"
            ).map { try $0.get(0, as: String.self) }
            #expect(noted == (version < 2 ? ["ada"] : ["ada", "ben"]))
        }
    }

    @Test func `followers get from memory what they would get from the database`() async throws {
        let node = nodes[0]
        // What others do is heard.
        var notifications = node.store.notifications(about: [.foldedElsewhere]).makeAsyncIterator()
        #expect(await notifications.next() == .resumed)
        try await node.append("0")
        try await node.fold()
        _ = try await node.store.projections.changes(
            node.tenant, after: .init(position: 0), 50, isFollowing: true)
        for round in 1...6 {
            try await node.append("\(round)", activity: "order-\(round % 3)")
            try await node.fold()
        }
        for position in Int64(2)...7 {
            let place = ActivityChange.Place(position: position)
            let told = try await node.store.projections.changes(
                node.tenant, after: place, 50, isFollowing: true)
            let stored = try await nodes[1].store.projections.changes(
                node.tenant, after: place, 50, isFollowing: false)
            #expect(told == stored)
            #expect(told.all.count == min(3, Int(7 - position)))
        }
    }
}

/// The positions of what was folded.
private struct FoldNotes: StoreObserver {
    let told: Lock<[[Int64]]>

    func folded(_ fold: FoldedBatch) {
        told.withLock { $0.append(fold.batch.events.map(\.position)) }
    }
}
