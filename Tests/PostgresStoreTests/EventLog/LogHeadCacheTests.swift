import Domain
import EventLoop
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

private let acme = TenantID(rawValue: 1)
private let none: [(ActivityID, Int64)] = []
private let cup = ActivityID(rawValue: "cup-1")
private let order = ActivityID(rawValue: "order-1")

struct LogHeadCacheTests {
    @Test func `a head is relied on only while nobody else writes`() throws {
        var heads = LogHeadCache()
        #expect(heads.head(of: acme) == nil)
        heads.note(acme, before: 10, after: 11, tag: 5, versions: [(order, Int64(4))])
        let head = try #require(heads.head(of: acme))
        #expect(head.position == 11)
        #expect(head.version(of: order) == 4)
        // Somebody else wrote one event.
        heads.note(acme, before: 12, after: 13, tag: 6, versions: none)
        #expect(heads.head(of: acme) == nil)
        // And then nobody.
        heads.note(acme, before: 13, after: 14, tag: 7, versions: none)
        #expect(heads.head(of: acme)?.position == 14)
        #expect(heads.head(of: acme)?.version(of: order) == nil)
    }

    @Test func `an invalid head is valid again when an append finds it where it was left`() {
        var heads = LogHeadCache()
        heads.note(acme, before: 0, after: 1, tag: 5, versions: [(order, Int64(1))])
        heads.invalidate(acme)
        #expect(heads.head(of: acme) == nil)
        heads.note(acme, before: 1, after: 2, tag: 6, versions: none)
        #expect(heads.head(of: acme)?.version(of: order) == nil)
        #expect(heads.head(of: acme)?.position == 2)
    }

    @Test func `what is expected of an append under way is relied on by the next`() throws {
        var heads = LogHeadCache()
        heads.note(acme, before: 0, after: 1, tag: 1, versions: [(order, Int64(1))])
        heads.expect(acme, after: 4, tag: 2, versions: [(order, Int64(3))], lookedUp: [cup])
        let head = try #require(heads.head(of: acme))
        #expect((head.position, head.tag) == (4, 2))
        #expect(head.version(of: order) == 3)
        // It is being looked up, by two appends, of which the later one will know better.
        #expect(head.version(of: cup) == nil)
        heads.expect(acme, after: 5, tag: 3, versions: none, lookedUp: [cup])
        heads.confirm(acme, versions: [(cup, Int64(8))])
        #expect(head.version(of: cup) == nil)
        heads.confirm(acme, versions: [(cup, Int64(9))])
        #expect(head.version(of: cup) == 9)
    }

    @Test func `memory is bounded, and what is in use stays`() throws {
        var heads = LogHeadCache(tenantsMax: 2, versionsMax: 3)
        heads.note(acme, before: 0, after: 1, tag: 0, versions: none)
        for number in 1...Int64(8) {
            let activity = ActivityID(rawValue: "order-\(number)")
            heads.expect(
                acme, after: number + 1, tag: number,
                versions: [(activity, number), (order, 100 + number)], lookedUp: [])
        }
        let head = try #require(heads.head(of: acme))
        #expect(head.version(of: order) == 108)
        #expect(head.version(of: ActivityID(rawValue: "order-2")) == nil)
        for number in 2...Int32(4) {
            heads.note(TenantID(rawValue: number), before: 0, after: 1, tag: 5, versions: none)
        }
        #expect(heads.head(of: acme) == nil)
        #expect(heads.head(of: TenantID(rawValue: 4)) != nil)
    }

    @Test func `a thousand tenants share one bound, and what one of them uses stays`() throws {
        var heads = LogHeadCache(allVersionsMax: 100)
        heads.note(acme, before: 0, after: 1, tag: 0, versions: [(order, Int64(0))])
        let idle = (2...Int32(1_000)).map { TenantID(rawValue: $0) }
        let orders = (1...3).map { ActivityID(rawValue: "order-\($0)") }
        for (number, tenant) in zip(Int64(1)..., idle) {
            heads.note(
                tenant, before: 0, after: 3, tag: 0, versions: orders.map { ($0, Int64(1)) })
            heads.expect(
                acme, after: number + 1, tag: number, versions: [(order, number)], lookedUp: [])
            #expect(heads.head(of: acme)?.version(of: order) == number)
        }
        let kept = idle.map { tenant in
            orders.count { heads.head(of: tenant)?.version(of: $0) != nil }
        }
        #expect((1...100).contains(kept.reduce(0, +)))
        // Where each log ends is still known, and what was noted last.
        let known = idle.count { heads.head(of: $0) != nil }
        #expect(known == idle.count)
        #expect(kept.last == 3)
    }

    @Test func `a version that is looked up is not lost when what is known ages`() throws {
        var heads = LogHeadCache(allVersionsMax: 4)
        heads.note(acme, before: 0, after: 1, tag: 0, versions: none)
        heads.expect(acme, after: 2, tag: 1, versions: none, lookedUp: [cup])
        for number in 1...Int64(9) {
            heads.expect(
                acme, after: number + 2, tag: number,
                versions: [(ActivityID(rawValue: "order-\(number)"), Int64(1))], lookedUp: [])
        }
        let head = try #require(heads.head(of: acme))
        #expect(head.version(of: cup) == nil)
        heads.confirm(acme, versions: [(cup, Int64(8))])
        #expect(head.version(of: cup) == 8)
    }

    @Test func `an append goes on where another node or an import left the log`() async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("acme").id
        let nodes = [database.store, EventStore.postgres(pool: database.makePool())]
        // Runs of one node, so that it relies on what it knows, and changes between them.
        for (round, node) in [0, 0, 0, 1, 0, 0, 1, 1, 1, 0, 1, 0].enumerated() {
            let outcomes = try await nodes[node].log.append(
                tenant, [Samples.event("\(round)"), Samples.event("\(round)/new", "o-\(round)")])
            let position = Int64(round * 2 + 1)
            #expect(
                outcomes == [
                    .recorded(position: position, version: Int64(round + 1)),
                    .recorded(position: position + 1, version: 1),
                ])
        }
    }

    @Test func `an expected version is met without a look into the log, or not`() async throws {
        let database = try await TestDatabase.make()
        let log = database.store.log
        let tenant = try await database.store.tenants.ensure("acme").id
        for version in 0..<Int64(5) {
            let outcomes = try await log.append(
                tenant, [Samples.event("\(version)", expectedVersion: version)])
            #expect(outcomes == [.recorded(position: version + 1, version: version + 1)])
        }
        #expect(
            try await log.append(tenant, [Samples.event("late", expectedVersion: 4)])
                == [.versionConflict(actual: 5)])
        #expect(
            try await log.append(tenant, [Samples.event("5", expectedVersion: 5)])
                == [.recorded(position: 6, version: 6)])
        // Known already: its version has passed, and that is no conflict.
        #expect(
            try await log.append(tenant, [Samples.event("5", expectedVersion: 5)])
                == [.alreadyKnown(position: 6, version: 6)])
    }
}
