import Domain
import EventStore
import Postgres

extension Overview {
    static func read(
        _ tenantPool: TenantScopedPool, _ tenant: TenantID, since: Moment, now: Moment
    ) async throws(PostgresError) -> Overview {
        let place: [Parameter] = [.tenant(tenant), .moment(since)]
        let most = Parameter.count(Limits.overviewActivitiesMax)
        let results = try await tenantPool.count(
            as: tenant,
            [
                Statement(OverviewQueries.log, place + [.moment(now.adding(seconds: -60))]),
                Statement(OverviewQueries.open, [.tenant(tenant), .moment(now), most]),
                Statement(OverviewQueries.changed, place + [most]),
                Statement(OverviewQueries.alerts, place + [most]),
                Statement(BoardQueries.blocked, [.tenant(tenant), most]),
                Statement(
                    OverviewQueries.tooLarge, [.tenant(tenant), .count(Domain.Limits.countedMax)]),
                Statement(AppQueries.deferredOf, [.tenant(tenant)]),
                Statement(AppQueries.alarmsOf, [.tenant(tenant)]),
            ])
        var overview = Overview(freshness: try results[0].freshness())
        if let row = results[0].first {
            overview.events = try row.get(2)
            overview.eventsInLastMinute = try row.get(3)
        }
        var kinds: [String: Kind] = [:]
        for row in results[1] { try kinds.count(open: row) }
        for row in results[2] { try overview.changed += kinds.count(changed: row) }
        overview.kinds = kinds.values.sorted { $0.name < $1.name }
        overview.alerts = try results[3].first?.get(0) ?? 0
        overview.blocked = try results[4].first?.get(0) ?? 0
        let open = overview.kinds.reduce(0) { $0 + $1.scheduled + $1.live }
        let counts = [overview.changed, overview.alerts, overview.blocked, open]
        overview.tooLarge = try results[5].first?.get(0) ?? 0
        overview.deferred = try results[6].decoded(DeferredPhones.init)
        let lookedAt: Int = try results[5].first?.get(1) ?? 0
        overview.isPartial =
            counts.contains { $0 >= Limits.overviewActivitiesMax }
            || lookedAt >= Domain.Limits.countedMax || overview.deferred.isPartial
        overview.alarms = try results[7].decoded(AppAlarm.init)
        return overview
    }
}

private enum OverviewQueries {
    static let log = """
        SELECT c.position, h.position, h.position - position_before($1, $2),
            h.position - position_before($1, $3)
        FROM projection_checkpoint c JOIN log_head h ON h.tenant = c.tenant WHERE c.tenant = $1
        """

    static let open = """
        SELECT kind, phase, count(*),
            count(*) FILTER (WHERE is_late(phase, promised_at, expected_at, actual_at, $2))
        FROM (
            SELECT kind, phase, promised_at, expected_at, actual_at FROM snapshot
            WHERE tenant = $1 AND generation = live_generation($1) AND phase <> 'ended' LIMIT $3
        ) bounded
        GROUP BY kind, phase
        """

    /// The latest changes first, since of too many only those are looked at.
    static let changed = """
        SELECT kind, count(*), count(*) FILTER (WHERE phase = 'ended'), count(delay),
            count(*) FILTER (WHERE delay <= 0),
            percentile_cont(0.5) WITHIN GROUP (ORDER BY delay),
            percentile_cont(0.9) WITHIN GROUP (ORDER BY delay)
        FROM (
            SELECT kind, phase, CASE WHEN phase = 'ended'
                THEN extract(epoch FROM actual_at - promised_at)::float8 END AS delay
            FROM snapshot
            WHERE tenant = $1 AND generation = live_generation($1)
                AND position > 0 AND position > (SELECT position_before($1, $2))
            ORDER BY position DESC LIMIT $3
        ) latest
        GROUP BY kind
        """

    static let alerts = """
        SELECT count(*) FROM (
            SELECT FROM decision
            WHERE tenant = $1 AND alert IS NOT NULL AND position > (SELECT position_before($1, $2))
            LIMIT $3
        ) bounded
        """

    /// Such decisions are few, and found by their index. And how many of them were looked at.
    static let tooLarge = """
        SELECT count(s.version), count(*) FROM (
            SELECT tenant, activity_id, version FROM decision
            WHERE tenant = $1 AND rule = 'too-large' LIMIT $2
        ) d
        LEFT JOIN LATERAL (
            SELECT s.version FROM snapshot s
            WHERE s.tenant = d.tenant AND s.generation = (SELECT live_generation($1))
                AND s.activity_id = d.activity_id LIMIT 1
        ) s ON s.version = d.version
        """
}

extension [String: Overview.Kind] {
    fileprivate mutating func count(open row: Row) throws(PostgresError) {
        let name: String = try row.get(0)
        let phase: Phase = try row.choice(1)
        let count: Int = try row.get(2)
        let late: Int = try row.get(3)
        var kind = self[name] ?? Overview.Kind(name: name)
        switch phase {
        case .scheduled: kind.scheduled = count
        case .live: kind.live = count
        case .ended: break
        }
        kind.late += late
        self[name] = kind
    }

    /// - Returns: how many changed.
    fileprivate mutating func count(changed row: Row) throws(PostgresError) -> Int {
        let name: String = try row.get(0)
        var kind = self[name] ?? Overview.Kind(name: name)
        kind.ended = try row.get(2)
        kind.measured = try row.get(3)
        kind.onTime = try row.get(4)
        kind.delaySecondsP50 = try row.optional(5)
        kind.delaySecondsP90 = try row.optional(6)
        self[name] = kind
        return try row.get(1)
    }
}
