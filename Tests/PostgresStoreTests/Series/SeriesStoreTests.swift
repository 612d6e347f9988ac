import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

struct `The store of series` {
    private static let begin = Moment(unixSeconds: 1_700_000_100 / 300 * 300)

    private func row(
        _ tenant: TenantID, _ minute: Int, _ amounts: [String: Int64]
    ) -> SeriesRow {
        SeriesRow(
            tenant: tenant, minute: Self.begin.adding(seconds: Double(minute) * 60),
            counts: SeriesCounts(amounts))
    }

    @Test func `adds what two nodes counted in one minute, and keeps the worst lag`()
        async throws
    {
        let database = try await TestDatabase.make()
        let series = database.store.series
        let tenant = try await database.store.tenants.ensure("shop").id
        try await series.add([row(tenant, 0, ["events": 3, "lagMillis": 40, "begun": 1])])
        try await series.add([row(tenant, 0, ["events": 4, "lagMillis": 15, "alerts": 2])])
        let read = try await series.read(tenant, Self.begin, 60)
        #expect(
            read == [
                row(tenant, 0, ["events": 7, "lagMillis": 40, "begun": 1, "alerts": 2])
            ])
    }

    @Test func `gives steps in their order, without those in which nothing was counted`()
        async throws
    {
        let database = try await TestDatabase.make()
        let series = database.store.series
        let tenant = try await database.store.tenants.ensure("shop").id
        try await series.add([
            row(tenant, 12, ["events": 5]), row(tenant, 0, ["events": 1, "lagMillis": 9]),
            row(tenant, 4, ["events": 2, "lagMillis": 7]), row(tenant, 5, ["events": 30]),
        ])
        let read = try await series.read(tenant, Self.begin, 300)
        #expect(
            read == [
                row(tenant, 0, ["events": 3, "lagMillis": 9]), row(tenant, 5, ["events": 30]),
                row(tenant, 10, ["events": 5]),
            ])
        let later = try await series.read(tenant, Self.begin.adding(seconds: 300), 300)
        #expect(later.map { $0.counts["events"] } == [30, 5])
    }

    @Test func `keeps tenants apart`() async throws {
        let database = try await TestDatabase.make()
        let series = database.store.series
        let one = try await database.store.tenants.ensure("one").id
        let other = try await database.store.tenants.ensure("other").id
        try await series.add([row(one, 0, ["events": 1]), row(other, 0, ["events": 2])])
        let read = try await series.read(one, Self.begin, 60)
        #expect(read == [row(one, 0, ["events": 1])])
    }

    @Test func `removes what is older than a fortnight, and nothing newer`() async throws {
        let database = try await TestDatabase.make()
        let series = database.store.series
        let tenant = try await database.store.tenants.ensure("shop").id
        try await series.add([row(tenant, 0, ["events": 1]), row(tenant, 1, ["events": 2])])
        let kept = Limits.seriesKeptSeconds
        try await series.prune(Self.begin.adding(seconds: kept))
        let all = try await series.read(tenant, Self.begin, 60)
        #expect(all.count == 2)
        try await series.prune(Self.begin.adding(seconds: kept + 1))
        let rest = try await series.read(tenant, Self.begin, 60)
        #expect(rest == [row(tenant, 1, ["events": 2])])
    }

    @Test func `takes minutes of many tenants from two nodes at once, in any order`()
        async throws
    {
        let database = try await TestDatabase.make()
        let series = database.store.series
        var tenants: [TenantID] = []
        for number in 0..<20 {
            tenants.append(try await database.store.tenants.ensure("shop-\(number)").id)
        }
        let rows = tenants.map { row($0, 0, ["events": 1]) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for node in 0..<6 {
                group.addTask {
                    try await series.add(node.isMultiple(of: 2) ? rows : rows.reversed())
                }
            }
            try await group.waitForAll()
        }
        for tenant in tenants {
            let read = try await series.read(tenant, Self.begin, 60)
            #expect(read == [row(tenant, 0, ["events": 6])])
        }
    }
}
