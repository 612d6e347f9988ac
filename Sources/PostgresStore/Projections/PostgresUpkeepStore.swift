import Domain
import EventStore
import Postgres

struct PostgresUpkeepStore: UpkeepStore {
    let tenantPool: TenantScopedPool
    private var pool: Pool { tenantPool.pool }

    func status() async throws(EventStoreError) -> [ProjectionStatus] {
        try await pool.rows(Self.status, [], ProjectionStatus.init)
    }

    func lags() async throws(EventStoreError) -> [ProjectionLag] {
        try await pool.rows(Self.lags, [], ProjectionLag.init)
    }

    func parked(
        _ tenant: TenantID, _ activity: ActivityID?, isSkipped: Bool?, _ after: Int64, _ limit: Int
    ) async throws(EventStoreError) -> [ParkedRow] {
        try await pool.rows(
            Self.parked(isSkipped),
            [.tenant(tenant), .text(activity?.rawValue), .int8(after), .count(limit)],
            ParkedRow.init)
    }

    func skipped(_ tenant: TenantID, _ activity: ActivityID, _ limit: Int)
        async throws(EventStoreError) -> [Int64]
    {
        try await tenantPool.rows(
            as: tenant, Self.skipped, [.tenant(tenant), .activity(activity), .count(limit)]
        ) { (row) throws(PostgresError) in try row.get(0) }
    }

    func refold(
        _ tenant: TenantID, _ activity: ActivityID, _ skipping: Int64?,
        _ fold: @Sendable (RefoldInput) -> FoldResult?
    ) async throws(EventStoreError) -> Bool {
        try await asked(
            try await Refolding.refold(pool, tenant, activity, skipping: skipping, fold))
    }

    /// Positions are dense, so the event after the checkpoint is the oldest that waits. It is
    /// looked up for each tenant: of a table that was never analyzed, the planner would join all
    /// events.
    private static let waiting = """
        LEFT JOIN LATERAL (
            SELECT e.recorded_at FROM event e
            WHERE e.tenant = c.tenant AND e.position = c.position + 1 LIMIT 1
        ) e ON true
        """

    static let status = """
        SELECT t.id, t.name, h.position, c.position,
            coalesce(extract(epoch FROM clock_timestamp() - e.recorded_at), 0)::float8,
            c.generation,
            (SELECT count(*) FROM parked_event p WHERE p.tenant = c.tenant
                AND p.generation = c.generation AND NOT p.is_skipped),
            (SELECT count(*) FROM parked_event p WHERE p.tenant = c.tenant
                AND p.generation = c.generation AND p.is_skipped),
            (SELECT count(*) FROM snapshot s WHERE s.tenant = c.tenant
                AND s.generation = c.generation AND s.fault IS NOT NULL),
            r.generation, r.position, r.is_paused, r.reason, r.started_at,
            r.fold_versions
        FROM tenant t
        JOIN log_head h ON h.tenant = t.id
        JOIN projection_checkpoint c ON c.tenant = t.id
        LEFT JOIN projection_rebuild r ON r.tenant = t.id
        \(waiting)
        ORDER BY t.id
        """

    static let lags = """
        SELECT c.tenant, c.position, h.position,
            coalesce(extract(epoch FROM clock_timestamp() - e.recorded_at), 0)::float8,
            extract(epoch FROM clock_timestamp() - c.moved_at)::float8
        FROM projection_checkpoint c
        JOIN log_head h ON h.tenant = c.tenant
        \(waiting)
        WHERE c.position < h.position
        """

    /// In the order of the index that leads to them.
    private static let skipped = """
        SELECT position FROM parked_event
        WHERE tenant = $1 AND generation = live_generation($1) AND activity_id = $2 AND is_skipped
        ORDER BY position LIMIT $3
        """

    /// Which are wanted is said for certain: what might be said leads to no index of skipped ones.
    /// As for the `OFFSET 0`, see `ActivityListing`.
    private static func parked(_ isSkipped: Bool?) -> String {
        let which = isSkipped.map { $0 ? "AND p.is_skipped" : "AND NOT p.is_skipped" } ?? ""
        return """
            SELECT p.position, p.activity_id, p.reason, e.type, e.version, p.parked_at,
                p.is_skipped
            FROM parked_event p
            CROSS JOIN LATERAL (
                SELECT * FROM event e
                WHERE e.tenant = p.tenant AND e.position = p.position OFFSET 0
            ) e
            WHERE p.tenant = $1 AND p.generation = live_generation($1)
                AND ($2::text IS NULL OR p.activity_id = $2::text) AND p.position > $3 \(which)
            ORDER BY p.position LIMIT $4
            """
    }
}

extension ProjectionStatus: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            tenant: Tenant(from: &row), head: row.get(), checkpoint: row.get(),
            lagSeconds: row.seconds(), generation: row.get(), parked: row.get(),
            skipped: row.get(), blocked: row.get(), rebuild: nil)
        guard let generation: Int32 = try row.optional() else { return }
        rebuild = RebuildProgress(
            tenant: tenant, generation: generation, position: try row.get(), target: checkpoint,
            isPaused: try row.get(), reason: try row.get(), startedAt: try row.moment(),
            foldVersions: try row.foldVersions())
    }
}

extension ProjectionLag: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            tenant: row.tenant(), checkpoint: row.get(), head: row.get(),
            waitedSeconds: row.seconds(), unmovedSeconds: row.seconds())
    }
}

extension ParkedRow: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            event: ParkedEvent(
                position: row.get(), activityID: row.activity(), reason: row.get()),
            type: row.get(), version: row.get(), parkedAt: row.moment(), isSkipped: row.get())
    }
}
