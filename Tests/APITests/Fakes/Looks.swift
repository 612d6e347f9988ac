import Domain
import EventLoop
import EventStore

/// Counts how often readers who wait have looked whether there is something for them.
struct Looks {
    let log = Lock(0)
    let reads = Lock(0)

    func counted(_ store: EventStore) -> EventStore {
        var store = store
        store.log = CountedLog(base: store.log, looks: log)
        store.reads = CountedReads(base: store.reads, looks: reads)
        return store
    }
}

private struct CountedLog: ForwardingEventLog {
    let base: any EventLog
    let looks: Lock<Int>

    func head(_ tenant: TenantID) async throws(EventStoreError) -> Int64 {
        let head = try await base.head(tenant)
        looks.withLock { $0 += 1 }
        return head
    }
}

private struct CountedReads: ReadStore {
    let base: any ReadStore
    let looks: Lock<Int>

    func freshness(_ tenant: TenantID) async throws(EventStoreError) -> Freshness {
        let freshness = try await base.freshness(tenant)
        looks.withLock { $0 += 1 }
        return freshness
    }

    func activity(
        _ tenant: TenantID, _ activity: ActivityID, _ rowVersion: String?
    ) async throws(EventStoreError) -> ActivityReading {
        try await base.activity(tenant, activity, rowVersion)
    }

    func list(
        _ tenant: TenantID, _ filter: ActivityFilter, _ after: ActivityPage.Place?, _ limit: Int,
        _ now: Moment
    ) async throws(EventStoreError) -> ActivityPage {
        try await base.list(tenant, filter, after, limit, now)
    }

    func scoreboard(
        _ tenant: TenantID, _ competition: String?, _ after: ScoreboardPage.Place?, _ limit: Int
    ) async throws(EventStoreError) -> ScoreboardPage {
        try await base.scoreboard(tenant, competition, after, limit)
    }

    func overview(
        _ tenant: TenantID, _ since: Moment, _ now: Moment
    ) async throws(EventStoreError) -> Overview {
        try await base.overview(tenant, since, now)
    }
}
