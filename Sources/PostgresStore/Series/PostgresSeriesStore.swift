import Domain
import EventStore
import Foundation
import Postgres

struct PostgresSeriesStore: SeriesStore {
    let tenantPool: TenantScopedPool

    func add(_ rows: [SeriesRow]) async throws(EventStoreError) {
        guard !rows.isEmpty else { return }
        try await tenantPool.pool.run(
            Self.add,
            [
                .int4s(rows.map(\.tenant.rawValue)), .timestamps(rows.map(\.minute.timestamp)),
                .jsonbs(rows.map { try? JSONEncoder().encode($0.counts.amounts) }),
            ])
    }

    func read(_ tenant: TenantID, _ since: Moment, _ stepSeconds: Int)
        async throws(EventStoreError) -> [SeriesRow]
    {
        try await tenantPool.rows(
            as: tenant, Self.read, [.tenant(tenant), .moment(since), .count(stepSeconds)]
        ) { (row) throws(PostgresError) in
            SeriesRow(
                tenant: tenant, minute: try row.moment(0), counts: try Self.counts(row.get(1)))
        }
    }

    func prune(_ now: Moment) async throws(EventStoreError) {
        try await tenantPool.pool.run(
            "DELETE FROM series_minute WHERE minute < $1",
            [.moment(now.adding(seconds: -Limits.seriesKeptSeconds))])
    }

    private static func counts(_ json: Data) throws(PostgresError) -> SeriesCounts {
        guard let amounts = try? JSONDecoder().decode([String: Int64].self, from: json) else {
            throw .decoding(column: "counts", expected: "whole numbers by name")
        }
        return SeriesCounts(amounts)
    }

    /// In one order, so that two nodes never wait for each other. Without those of tenants that are
    /// not worked for here: when one has moved or was removed, nodes still have figures of it, and
    /// rows of these would stay.
    private static let add = """
        INSERT INTO series_minute AS s (tenant, minute, counts)
        SELECT i.tenant, i.minute, i.counts
        FROM unnest($1::int4[], $2::timestamptz[], $3::jsonb[]) AS i (tenant, minute, counts)
        WHERE EXISTS (SELECT FROM projection_checkpoint c WHERE c.tenant = i.tenant)
        ORDER BY 1, 2
        ON CONFLICT ON CONSTRAINT series_minute_key
            DO UPDATE SET counts = add_counts(s.counts, excluded.counts)
        """

    /// $1 tenant, $2 since, $3 seconds of a step.
    private static let read = """
        SELECT g.step, jsonb_object_agg(g.key, g.amount)
        FROM (
            SELECT e.step, e.key, CASE e.key WHEN 'lagMillis' THEN max(e.amount)
                ELSE sum(e.amount)::int8 END AS amount
            FROM (
                SELECT date_bin(make_interval(secs => $3::int8), s.minute, 'epoch') AS step,
                    c.key, c.value::int8 AS amount
                FROM series_minute s, jsonb_each_text(s.counts) c
                WHERE s.tenant = $1 AND s.minute >= $2
            ) e
            GROUP BY e.step, e.key
        ) g
        GROUP BY g.step ORDER BY g.step
        """
}
