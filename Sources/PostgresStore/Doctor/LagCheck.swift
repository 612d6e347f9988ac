public import Domain
public import EventStore
import Postgres

/// Whether each tenant's log is folded.
public enum LagCheck {
    static let check = DoctorCheck("lag", needs: .work) {
        (scene) async throws(PostgresError) in
        let lags = try await scene.pool.query(PostgresUpkeepStore.lags)
            .decoded(ProjectionLag.init)
        let events = lags.reduce(0) { $0 + $1.events }
        let stalled = lags.filter { $0.isStalled(secondsMax: scene.lagSecondsMax) }
        let isStalled = !stalled.isEmpty
        // Only those whose log stands still are named.
        let tenants =
            try await isStalled
            ? scene.pool.query(PostgresTenantStore.tenants).decoded(Tenant.init) : []
        let sessions = try await isStalled ? LagCheck.sessions(scene.pool) : []
        let newer = try await isStalled ? LagCheck.newer(stalled, scene) : []
        return .init(
            findings(
                lags, of: tenants, sessions, newer: newer, secondsMax: scene.lagSecondsMax),
            fine: events == 0
                ? "nothing waits"
                : events.counted("event waits", "events wait") + ", none for too long")
    }

    /// Those that lock a checkpoint come first, then those whose transaction is merely old.
    private static func sessions(_ pool: Pool) async throws(PostgresError) -> [BlockingSession] {
        var sessions = try await BlockingSession.lasting(BlockingSession.checkpoints, pool)
        let known = Set(sessions.map(\.processID))
        for row in try await pool.query(oldTransactions) {
            let session = BlockingSession(
                processID: try row.get(0), name: try row.get(1), seconds: try row.seconds(2))
            if !known.contains(session.processID) { sessions.append(session) }
        }
        return sessions
    }

    /// Those whose next events are of activities that a newer program has folded.
    private static func newer(
        _ lags: [ProjectionLag], _ scene: DoctorScene
    ) async throws(PostgresError) -> Set<TenantID> {
        let parameters = Parameter.columns(of: scene.foldVersions)
        let rows = try await scene.pool.query(
            foldedByNewer, parameters + [.int4s(lags.map { $0.tenant.rawValue })])
        return Set(try rows.decoded { (row) throws(PostgresError) in try row.tenant(0) })
    }

    /// - Parameter newer: tenants that programs as old as this one do not fold.
    public static func findings(
        _ lags: [ProjectionLag], of tenants: [Tenant], _ sessions: [BlockingSession],
        newer: Set<TenantID> = [], secondsMax: Double
    ) -> [Finding] {
        let names = Dictionary(tenants.map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
        return lags.filter { $0.isStalled(secondsMax: secondsMax) }
            .sorted { $0.waitedSeconds > $1.waitedSeconds }
            .map { lag in
                let name = names[lag.tenant] ?? "\(lag.tenant.rawValue)"
                return Finding(
                    what: "the log of \(name) stands still: "
                        + lag.events.counted("event waits", "events wait")
                        + ", the first for \(Int(lag.waitedSeconds)) s",
                    meaning: "What this tenant reports is recorded, but no phone gets it.",
                    remedy: newer.contains(lag.tenant) ? newerRemedy : remedy(sessions))
            }
    }

    private static let newerRemedy =
        "a newer version of Islet than this program has folded what these events belong to, and "
        + "nodes as old as this program leave it alone: start that version with --role projector, "
        + "or see docs/how-to/roll-back.md"

    private static func remedy(_ sessions: [BlockingSession]) -> String {
        guard let first = sessions.first else {
            return "start a node with --role projector, or bring up to date the one whose /readyz "
                + "says at folds that a newer version folds this database; islet projections list "
                + "shows how far it is"
        }
        let others = sessions.dropFirst().map { "\($0.processID)" }
        let more = others.isEmpty ? "" : " (further old ones: \(others.joined(separator: ", ")))"
        let since = first.seconds.map { " for \(Int($0)) s" } ?? ""
        return "a session (\(first.name)) has had a transaction open\(since) and may have locked "
            + "the checkpoint: psql -c 'SELECT pg_terminate_backend(\(first.processID))'\(more)"
    }

    /// `$1` and `$2` are kinds and their folds here, `$3` tenants. What is blocked is not folded by
    /// anybody. By LIMIT the planner knows how few events are looked at, of however many that wait.
    private static let foldedByNewer = """
        SELECT c.tenant FROM projection_checkpoint c
        WHERE c.tenant = ANY ($3::int4[]) AND EXISTS (
            SELECT FROM (
                SELECT activity_id FROM event
                WHERE tenant = c.tenant AND position > c.position
                ORDER BY position LIMIT \(Limits.foldedAtOnceMax)
            ) e
            JOIN snapshot s ON s.tenant = c.tenant AND s.generation = c.generation
                AND s.activity_id = e.activity_id AND s.fault IS NULL
            JOIN unnest($1::text[], $2::int4[]) AS k (kind, fold_version)
                ON k.kind = s.kind AND k.fold_version < s.fold_version
        )
        """

    /// A role that may not see when others' transactions began gets no row here.
    private static let oldTransactions = """
        SELECT pid, coalesce(nullif(application_name, ''), 'no application name'),
            extract(epoch FROM clock_timestamp() - xact_start)::float8
        FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
            AND backend_type = 'client backend' AND xact_start < now() - interval '5 s'
        ORDER BY xact_start LIMIT 5
        """
}
