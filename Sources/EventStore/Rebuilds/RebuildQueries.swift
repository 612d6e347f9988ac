import Domain
import Postgres

/// $1 is the tenant everywhere.
enum RebuildQueries {
    /// Numbers are not used twice, so that what a cancelled rebuild left is never taken for new.
    static let begin = """
        INSERT INTO projection_rebuild (tenant, generation, reason)
        SELECT c.tenant, greatest(c.generation, coalesce(
            (SELECT max(generation) FROM snapshot WHERE tenant = $1), 0)) + 1, $2
        FROM projection_checkpoint c WHERE c.tenant = $1
        ON CONFLICT ON CONSTRAINT projection_rebuild_key DO NOTHING
        """

    private static let progress = """
        SELECT r.tenant, t.name, r.generation, r.position, c.position, r.is_paused, r.reason,
            r.started_at
        FROM projection_rebuild r
        JOIN tenant t ON t.id = r.tenant
        JOIN projection_checkpoint c ON c.tenant = r.tenant
        """

    static let all = "\(progress) ORDER BY r.started_at, r.tenant"
    static let one = "\(progress) WHERE r.tenant = $1"

    /// Of the session, so that a worker that dies leaves nothing behind.
    static let lock = "SELECT pg_try_advisory_lock(hashtext('islet rebuild'), $1)"
    static let unlock = "SELECT pg_advisory_unlock(hashtext('islet rebuild'), $1)"

    /// Not beyond the live generation, from which the dispatch states are taken.
    static let read = """
        SELECT \(LogPage.columns) FROM event
        WHERE tenant = $1 AND position > $2
            AND position <= (SELECT position FROM projection_checkpoint WHERE tenant = $1)
        ORDER BY position LIMIT $3
        """

    static let skipped = """
        SELECT position FROM parked_event
        WHERE tenant = $1 AND generation = live_generation($1) AND is_skipped
        """

    static let snapshots = """
        SELECT \(Snapshot.columns) FROM snapshot
        WHERE tenant = $1 AND generation = $2 AND activity_id = ANY ($3::text[])
        """

    static let move = """
        UPDATE projection_rebuild SET position = $3, moved_at = clock_timestamp()
        WHERE tenant = $1 AND generation = $2 RETURNING is_paused
        """

    static let liveDispatch = """
        SELECT activity_id, dispatch FROM snapshot
        WHERE tenant = $1 AND generation = live_generation($1) AND activity_id = ANY ($2::text[])
            AND dispatch::text <> '{}'
        """

    /// What the planner should know of the new generation by the time that it is read: as much as
    /// questions select and sort by.
    static let analyze = """
        ANALYZE snapshot (tenant, generation, activity_id, position, phase, due_at, kind)
        """

    static let lockLive = "SELECT FROM projection_checkpoint WHERE tenant = $1 FOR UPDATE"

    static let switchOver = """
        UPDATE projection_checkpoint SET generation = $2, moved_at = clock_timestamp()
        WHERE tenant = $1
        """

    /// What an operator left out stays on record: it is in the older generation only.
    static let keepSkipped = """
        INSERT INTO parked_event (
            tenant, generation, position, activity_id, reason, parked_at, is_skipped
        )
        SELECT tenant, live_generation($1), position, activity_id, reason, parked_at, true
        FROM parked_event WHERE tenant = $1 AND is_skipped
        ON CONFLICT ON CONSTRAINT parked_event_key DO UPDATE SET is_skipped = true
        """

    static let end = """
        DELETE FROM projection_rebuild WHERE tenant = $1 AND generation = $2 AND NOT is_paused
        """

    static let outdated = """
        SELECT t.id FROM tenant t
        WHERE EXISTS (
            SELECT FROM unnest($1::text[], $2::int4[]) AS k (kind, fold_version)
            JOIN snapshot s ON s.kind = k.kind AND s.fold_version < k.fold_version
            WHERE s.tenant = t.id AND s.generation = live_generation(t.id)
        )
        ORDER BY t.id
        """

    // The live generation is asked for in a subquery, which is answered once: a function that reads
    // a table would be called for every row.
    private static let dropSome = """
        DELETE FROM snapshot WHERE ctid IN (
            SELECT s.ctid FROM snapshot s
            WHERE s.tenant = $1 AND s.generation <> (SELECT live_generation($1))
                AND s.generation <> coalesce(
                    (SELECT generation FROM projection_rebuild WHERE tenant = $1), 0)
            LIMIT 5000
        )
        """

    private static let dropParked = """
        DELETE FROM parked_event
        WHERE tenant = $1 AND generation <> (SELECT live_generation($1))
            AND generation <> coalesce(
                (SELECT generation FROM projection_rebuild WHERE tenant = $1), 0)
        """

    /// A few rows at a time: nobody waits for it.
    static func dropDeadGenerations(
        of tenant: TenantID, _ pool: Pool
    ) async throws(PostgresError) {
        try await pool.withConnection { (connection) async throws(PostgresError) in
            try await dropDeadGenerations(of: tenant, connection)
        }
    }

    static func dropDeadGenerations(
        of tenant: TenantID, _ connection: Connection
    ) async throws(PostgresError) {
        _ = try await connection.query(dropParked, [.tenant(tenant)])
        while try await connection.query(dropSome, [.tenant(tenant)]).affectedCount > 0 {}
    }
}
