import Domain
import EventStore
import Postgres

/// Folding one activity again, under the lock that a projector folds its tenant under.
enum Refolding {
    static func refold(
        _ pool: Pool, _ tenant: TenantID, _ activity: ActivityID, skipping: Int64?,
        _ fold: (RefoldInput) -> FoldResult?
    ) async throws(PostgresError) -> Bool {
        try await pool.withTransaction { (connection) async throws(PostgresError) in
            try await connection.script(
                "SET LOCAL lock_timeout = '\(Limits.refoldLockSecondsMax)s'")
            _ = try await connection.batch([.acting])
            let isDone = try await refold(
                connection, tenant, activity, skipping: skipping, fold)
            // What is skipped is noted with its event.
            if isDone, skipping == nil {
                _ = try await connection.batch([
                    .note("activity.retried", activity.rawValue, .tenant(tenant))
                ])
            }
            return isDone
        }
    }

    /// In a transaction of the caller's.
    static func refold(
        _ connection: Connection, _ tenant: TenantID, _ activity: ActivityID, skipping: Int64?,
        _ fold: (RefoldInput) -> FoldResult?
    ) async throws(PostgresError) -> Bool {
        let locked = try await connection.query(
            lockCheckpoint, [.tenant(tenant)],
            timeout: .seconds(Limits.refoldLockSecondsMax + 1))
        guard let checkpoint = locked.first else { return false }
        let position = try checkpoint.int8(0)
        let one: [Parameter] = [.tenant(tenant), .activity(activity)]
        let results = try await connection.batch([
            Statement(readStream, one + [.int8(skipping)]), Statement(Snapshot.live, one),
            Statement(readVersions, one),
        ])
        let events = try results[0].decoded(RecordedEvent.init)
        let input = RefoldInput(
            events: events,
            stored: try results[1].decoded(Snapshot.init).first,
            decided: Set(try results[2].decoded { (row) throws(PostgresError) in try row.int8(0) }),
            policies: try await StoredPolicy.inForce(connection, tenant, for: events))
        guard let result = fold(input) else { return false }
        try await write(connection, result, one, tenant, skipping: skipping)
        if needsNotice(result.snapshots.first, after: input.stored) {
            _ = try await connection.batch([.writeNotices([activity: position], tenant)])
        }
        return true
    }

    /// Webhooks get the newest alert again with a notice: another fold that shows the same is none.
    private static func needsNotice(_ made: Snapshot?, after stored: Snapshot?) -> Bool {
        guard let made, let stored else { return made != stored }
        return !made.showsTheSame(as: stored)
    }

    /// What stays parked keeps the time at which it was.
    private static func write(
        _ connection: Connection, _ result: FoldResult, _ one: [Parameter], _ tenant: TenantID,
        skipping: Int64?
    ) async throws(PostgresError) {
        let parked = result.parked
        var statements = [
            Statement(skip, one + [.int8(skipping)]),
            Statement(
                unpark,
                one + [.int8s(parked.map(\.position)), .texts(parked.map(\.reason))]),
            .touchCheckpoint(tenant),
            .notify(.folded, tenant),
        ]
        statements.append(
            result.snapshots.isEmpty
                ? Statement(removeSnapshot, one) : .write(result.snapshots, tenant))
        if !result.decisions.isEmpty { statements.append(.write(result.decisions, tenant)) }
        _ = try await connection.batch(statements)
    }

    private static let lockCheckpoint = """
        SELECT position FROM projection_checkpoint WHERE tenant = $1 FOR UPDATE
        """

    private static let skip = """
        UPDATE parked_event SET is_skipped = true
        WHERE tenant = $1 AND generation = live_generation($1) AND activity_id = $2
            AND position = $3
        """

    /// Removes the snapshot of an activity that only had events which are skipped now.
    private static let removeSnapshot = """
        DELETE FROM snapshot
        WHERE tenant = $1 AND generation = live_generation($1) AND activity_id = $2
        """

    private static let readStream = """
        SELECT \(RecordedEvent.columns) FROM event e
        WHERE tenant = $1 AND activity_id = $2 AND position IS DISTINCT FROM $3
            AND position <= (SELECT c.position FROM projection_checkpoint c WHERE c.tenant = $1)
            AND NOT EXISTS (
                SELECT FROM parked_event p
                WHERE p.tenant = e.tenant AND p.generation = live_generation($1)
                    AND p.position = e.position AND p.is_skipped
            )
        ORDER BY version
        """

    private static let readVersions = """
        SELECT version FROM decision WHERE tenant = $1 AND activity_id = $2
        """

    private static let unpark = """
        WITH still AS (
            SELECT * FROM unnest($3::int8[], $4::text[]) AS i (position, reason)
        ), gone AS (
            DELETE FROM parked_event
            WHERE tenant = $1 AND generation = live_generation($1) AND activity_id = $2
                AND NOT is_skipped AND position NOT IN (SELECT position FROM still)
        )
        INSERT INTO parked_event (tenant, generation, position, activity_id, reason)
        SELECT $1, live_generation($1), position, $2, reason FROM still
        ON CONFLICT ON CONSTRAINT parked_event_key DO UPDATE SET reason = excluded.reason
        """
}

extension Statement {
    /// Shows nodes that keep snapshots in memory that theirs are not the newest.
    static func touchCheckpoint(_ tenant: TenantID) -> Statement {
        Statement(
            """
            UPDATE projection_checkpoint
            SET moved_at = greatest(moved_at + interval '1 microsecond', clock_timestamp())
            WHERE tenant = $1
            """, [.tenant(tenant)])
    }
}
