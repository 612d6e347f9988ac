import Domain
import EventStore
import Postgres

extension FleetFacts {
    static func look(_ pool: Pool) async throws(PostgresError) -> FleetFacts {
        let results = try await pool.batch(FleetQueries.all.map { Statement($0) })
        let first = try results[0].row(with: "clock_timestamp")
        var facts = FleetFacts(time: try first.moment(0))
        facts.parked = try first.get(1)
        facts.transactionSeconds = max(0, try first.optional(2) ?? 0)
        facts.clockBehindSeconds = max(0, try first.optional(3) ?? 0)
        facts.unsent = try results[1].waiting()
        facts.owed = try results[2].waiting()
        facts.claims = try results[3].claims()
        if let row = results[4].first { facts.standbys = try .init(row) }
        for row in results[5] { facts.deadLetters[try row.choice(0)] = try row.get(1) }
        for row in results[6] { facts.stoppedApps[try row.choice(0)] = try row.get(1) }
        if let row = results[7].first { facts.webhooks = try .init(row) }
        facts.tables = try results[8].decoded { (row) throws(PostgresError) in
            FleetFacts.Table(
                name: try row.text(0), bytes: try row.get(1),
                rows: try row.optional(2) ?? 0)
        }
        facts.moves = try MovingTenant.moves(results[9], results[10])
        return facts
    }
}

/// Each ends at its bound, or goes through a table that has few rows for each tenant.
enum FleetQueries {
    static let all = [
        general, unsent, owed, claims, standbys, deadLetters, AppQueries.stopped, webhooks, tables,
        MovingTenant.all, MovingTenant.all,
    ]

    private static let most = "LIMIT \(Limits.fleetCountMax)"

    /// How far the clock is behind. A node leaves the time every few seconds, so that is as good as
    /// the last stamp of a push, which no index has.
    static let clockBehind = """
        extract(epoch FROM greatest(
            (SELECT max(h.recorded_at) FROM log_head h), (SELECT i.beat_at FROM log_identity i)
        ) - clock_timestamp())::float8
        """

    private static let general = """
        SELECT clock_timestamp(), (
            SELECT count(*) FROM (
                SELECT FROM parked_event p
                JOIN projection_checkpoint c
                    ON c.tenant = p.tenant AND c.generation = p.generation
                WHERE NOT p.is_skipped \(most)
            ) p
        ), coalesce((
            SELECT extract(epoch FROM clock_timestamp() - min(a.xact_start))
            FROM pg_stat_activity a
            WHERE a.datname = current_database() AND a.backend_type = 'client backend'
        ), 0)::float8, \(clockBehind)
        """

    /// A decision is due when it was made, or when its pace allows.
    static let unsent = """
        SELECT count(*), extract(epoch FROM clock_timestamp() - min(w.due_at))::float8 FROM (
            SELECT coalesce(d.send_after, s.decided_at) AS due_at FROM pending_decision d
            CROSS JOIN LATERAL (
                SELECT s.decided_at FROM decision s
                WHERE s.tenant = d.tenant AND s.activity_id = d.activity_id
                    AND s.version = d.version
                OFFSET 0
            ) s
            WHERE \(ClaimQueries.isDueByKey.replacing("$1", with: "NULL")) \(most)
        ) w
        """

    /// The epoch means at once, and says nothing of since when.
    private static let owed = """
        SELECT count(*), extract(
            epoch FROM clock_timestamp() - min(w.retry_at) FILTER (WHERE w.retry_at > 'epoch')
        )::float8 FROM (
            SELECT r.retry_at FROM registration r
            WHERE r.retry_at IS NOT NULL AND (
                r.last_failure IS NULL OR r.last_failure NOT IN (\(AppQueries.suspensions))
            ) \(most)
        ) w
        """

    static let claims = """
        SELECT substr(a.application_name, 7), count(*) FROM pg_locks l
        JOIN pg_stat_activity a ON a.pid = l.pid
        WHERE \(isClaim) AND a.application_name LIKE 'islet/%'
        GROUP BY 1 ORDER BY 2 DESC LIMIT \(Limits.fleetNodesMax)
        """

    /// A claim is a lock `l` with two keys, of which the first is a tenant's number; a rebuild's is
    /// a hash.
    static let isClaim = """
        l.locktype = 'advisory' AND l.objsubid = 2 AND l.granted
            AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
            AND l.classid::int8 <> (hashtext('islet rebuild')::int8 & 4294967295)
        """

    private static let standbys = """
        SELECT count(*), pg_has_role(session_user, 'pg_read_all_stats', 'USAGE'),
            count(*) FILTER (WHERE r.sync_state IN ('sync', 'quorum')),
            extract(epoch FROM max(r.replay_lag))::float8
        FROM pg_stat_replication r
        """

    /// Of all tenants, since every row has one. Each by the index of those that were given up.
    private static let deadLetters = DeadLetterQueries.counts(
        ofTenant: "IS NOT NULL", upTo: Limits.fleetCountMax)

    private static let webhooks = """
        SELECT count(*) FILTER (WHERE w.disabled_at IS NULL AND w.failing_since IS NULL),
            count(*) FILTER (WHERE w.disabled_at IS NULL AND w.failing_since IS NOT NULL),
            count(*) FILTER (WHERE w.disabled_at IS NOT NULL), (
                SELECT count(*) FROM (
                    SELECT FROM webhook_message m WHERE m.given_up_at IS NULL \(most)
                ) m
            )
        FROM webhook w
        """

    private static let tables = """
        SELECT c.relname, pg_total_relation_size(c.oid), greatest(c.reltuples, 0)::float8
        FROM pg_class c
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
            AND c.relname IN (
                'event', 'decision', 'snapshot', 'registration', 'delivery_state',
                'activity_word', 'card_start', 'start_device', 'webhook_message', 'parked_event',
                'channel', 'activity_notice'
            )
        ORDER BY c.relname
        """
}

extension Rows {
    func waiting() throws(PostgresError) -> FleetFacts.Waiting {
        guard let row = first else { return FleetFacts.Waiting() }
        return FleetFacts.Waiting(
            count: try row.get(0), seconds: Swift.max(0, try row.optional(1) ?? 0))
    }

    /// Activities that nodes have claimed, by the node's name.
    func claims() throws(PostgresError) -> [String: Int] {
        var claims: [String: Int] = [:]
        for row in self { claims[try row.text(0)] = try row.get(1) }
        return claims
    }
}

extension FleetFacts.Standbys: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        self.init()
        connected = try row.get()
        guard try row.get() else { return }
        synchronous = try row.get()
        replaySecondsMax = try row.optional()
    }
}

extension FleetFacts.Webhooks: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        self.init()
        working = try row.get()
        failing = try row.get()
        disabled = try row.get()
        messagesWaiting = try row.get()
    }
}
