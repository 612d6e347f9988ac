import Domain
import Postgres

/// $1 is the tenant everywhere.
enum RebuildQueries {
    /// Parameters `$2` and `$3`: names of kinds and the versions of their folds; `$4` the reason.
    /// A pause was of the rebuild that newer folds take the place of, and ends with it.
    static let begin = """
        WITH mine AS (\(foldVersions))
        INSERT INTO projection_rebuild AS r (tenant, generation, reason, fold_versions)
        SELECT $1, \(nextGeneration), $4, mine.versions FROM mine
        ON CONFLICT ON CONSTRAINT projection_rebuild_key DO UPDATE
        SET generation = excluded.generation, position = 0, is_paused = false,
            reason = excluded.reason, fold_versions = excluded.fold_versions,
            started_at = clock_timestamp(), moved_at = clock_timestamp()
        WHERE \(isOlder(than: "excluded.fold_versions"))
        """

    /// That one ended by itself is no act: so this is written down here, and not by a trigger.
    static let cancel = """
        WITH gone AS (
            DELETE FROM projection_rebuild WHERE tenant = $1 RETURNING tenant, generation
        )
        INSERT INTO audit_entry (tenant, actor, act, subject)
        SELECT tenant, acting(), 'rebuild.cancelled', generation FROM gone
        """

    /// Begins one by older folds again. Parameters `$2` and `$3` as above.
    static let renew = """
        WITH mine AS (\(foldVersions))
        UPDATE projection_rebuild r
        SET generation = \(nextGeneration), position = 0, fold_versions = mine.versions,
            moved_at = clock_timestamp()
        FROM mine WHERE r.tenant = $1 AND \(isOlder(than: "mine.versions"))
        """

    /// Not a number that anything is left of, so that what a cancelled rebuild left is never taken
    /// for new. One that left nothing behind has its number used again.
    private static let nextGeneration = """
        greatest(
            (SELECT generation FROM projection_checkpoint WHERE tenant = $1),
            (SELECT max(generation) FROM snapshot WHERE tenant = $1),
            (SELECT generation FROM projection_rebuild WHERE tenant = $1)
        ) + 1
        """

    private static let foldVersions = """
        SELECT coalesce(jsonb_object_agg(k.kind, k.version), '{}') AS versions
        FROM unnest($2::text[], $3::int4[]) AS k (kind, version)
        """

    /// Of the rebuild `r`: no fold that it was begun with is newer than these, and some are older.
    private static func isOlder(than versions: String) -> String {
        """
        r.fold_versions <> \(versions) AND NOT EXISTS (
            SELECT FROM jsonb_each_text(r.fold_versions) AS begun
            WHERE begun.value::int4 > coalesce((\(versions) ->> begun.key)::int4, 0)
        )
        """
    }

    private static let progress = """
        SELECT r.tenant, t.name, r.generation, r.position, c.position, r.is_paused, r.reason,
            r.started_at, r.fold_versions
        FROM projection_rebuild r
        JOIN tenant t ON t.id = r.tenant
        JOIN projection_checkpoint c ON c.tenant = r.tenant
        """

    static let all = "\(progress) ORDER BY r.started_at, r.tenant"
    /// Those that have stood still longest first.
    static let byTurn = "\(progress) ORDER BY r.moved_at, r.started_at, r.tenant"
    static let one = "\(progress) WHERE r.tenant = $1"
    /// If it is by these folds. Parameters `$2` and `$3` as above.
    static let mine = "\(one) AND r.fold_versions = (\(foldVersions))"

    /// Of the session, so that a worker that dies leaves nothing behind.
    static let lock = "SELECT pg_try_advisory_lock(hashtext('islet rebuild'), $1)"
    static let unlock = "SELECT pg_advisory_unlock(hashtext('islet rebuild'), $1)"

    /// Not beyond the live generation, from which the dispatch states are taken.
    static let read = """
        SELECT \(PostgresLogPage.columns) FROM event
        WHERE tenant = $1 AND position > $2
            AND position <= (SELECT position FROM projection_checkpoint WHERE tenant = $1)
        ORDER BY position LIMIT $3
        """

    static let skipped = """
        SELECT position FROM parked_event
        WHERE tenant = $1 AND generation = live_generation($1) AND is_skipped
        """

    /// Of what is skipped by now: `$2` was known, but only behind the position `$3`.
    static let skippedSince = """
        SELECT DISTINCT activity_id FROM parked_event
        WHERE tenant = $1 AND generation = live_generation($1) AND is_skipped
            AND (position <= $3 OR position <> ALL ($2::int8[]))
        """

    /// $2 and $3 are generation and start of the rebuild that a worker has: with the same number
    /// another may have begun since, of which the worker has folded nothing.
    private static let isSame = "tenant = $1 AND generation = $2 AND started_at = $3"

    /// $2 and $3 as above, $4 the position.
    static let move = """
        UPDATE projection_rebuild SET position = $4, moved_at = clock_timestamp()
        WHERE \(isSame) RETURNING is_paused
        """

    /// Thousands of rows with some kilobyte each stay in memory, and `write` notes words.
    static let prepareToWrite = """
        SELECT set_config('work_mem', '64MB', true),
            set_config('islet.words_are_noted', 'yes', true)
        """

    /// What phones were sent does not change when the log is folded again, so dispatch states are
    /// those of the live generation. Its words have been noted, and are most times the same.
    /// - Parameters: `$2` generation, from `$3` on snapshots.
    static let write = """
        WITH part AS MATERIALIZED (
            SELECT i.*, live.dispatched AS live_dispatched, live.words AS noted
            FROM \(Snapshot.list.unnested(from: 3)) AS i (\(Snapshot.list.names))
            LEFT JOIN LATERAL (
                SELECT \(Snapshot.dispatched.source("s.")), s.words FROM snapshot s
                WHERE s.tenant = $1 AND s.activity_id = i.activity_id
                    AND s.generation = (SELECT live_generation($1))
                LIMIT 1
            ) live ON true
        ), words AS (
            INSERT INTO activity_word (tenant, word, activity_id)
            SELECT $1, word, activity_id FROM part, unnest(string_to_array(words, ' ')) AS word
            WHERE words <> '' AND words IS DISTINCT FROM noted
            ON CONFLICT DO NOTHING
        )
        INSERT INTO snapshot (tenant, generation, \(Snapshot.list.names))
        SELECT $1, $2, \(columnsWithLiveDispatch) FROM part
        \(Snapshot.replaceStored)
        """

    private static let columnsWithLiveDispatch = Snapshot.list.names.replacing(
        "dispatched", with: "coalesce(live_dispatched, dispatched)")

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

    /// What an operator left out stays on record: it is in the older generation only, and may be
    /// in one before it that nobody has dropped.
    static let keepSkipped = """
        INSERT INTO parked_event (
            tenant, generation, position, activity_id, reason, parked_at, is_skipped
        )
        SELECT DISTINCT ON (position)
            tenant, live_generation($1), position, activity_id, reason, parked_at, true
        FROM parked_event WHERE tenant = $1 AND is_skipped
        ORDER BY position, generation DESC
        ON CONFLICT ON CONSTRAINT parked_event_key DO UPDATE SET is_skipped = true
        """

    /// $2 and $3 as above.
    static let end = "DELETE FROM projection_rebuild WHERE \(isSame) AND NOT is_paused"

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
    // How many were found counts, and not how many were deleted: an erasure may be ahead by some.
    private static let dropSome = """
        WITH dead AS MATERIALIZED (
            SELECT s.ctid FROM snapshot s
            WHERE s.tenant = $1 AND s.generation <> (SELECT live_generation($1))
                AND s.generation <> coalesce(
                    (SELECT generation FROM projection_rebuild WHERE tenant = $1), 0)
            LIMIT \(droppedAtOnce)
        ), dropped AS (
            DELETE FROM snapshot WHERE ctid IN (SELECT ctid FROM dead)
        )
        SELECT count(*) FROM dead
        """

    private static let droppedAtOnce: Int64 = 50_000

    private static let dropParked = """
        DELETE FROM parked_event
        WHERE tenant = $1 AND generation <> (SELECT live_generation($1))
            AND generation <> coalesce(
                (SELECT generation FROM projection_rebuild WHERE tenant = $1), 0)
        """

    /// Some rows at a time, each of which passes by those of before: nobody waits for it. To find
    /// that there are no more goes through all snapshots, so that it is done once.
    static func dropDeadGenerations(
        of tenant: TenantID, _ connection: Connection
    ) async throws(PostgresError) {
        _ = try await connection.query(dropParked, [.tenant(tenant)])
        var found = droppedAtOnce
        while found == droppedAtOnce {
            found = try await connection.query(dropSome, [.tenant(tenant)])
                .row(with: "count").int8(0)
        }
    }
}
