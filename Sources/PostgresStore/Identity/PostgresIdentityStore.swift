import Domain
import EventStore
import Postgres

struct PostgresIdentityStore: IdentityStore {
    let pool: Pool

    func look() async throws(EventStoreError) -> LogSighting {
        try await asked(try LogSighting(await pool.query(Self.look).row(with: "log_identity")))
    }

    func heads(_ tenants: [TenantID]) async throws(EventStoreError) -> [TenantID: Int64] {
        try await withStoreErrors { () async throws(PostgresError) in
            let rows = try await pool.query(Self.heads, [.int4s(tenants.map(\.rawValue))])
            var heads = Dictionary(tenants.map { ($0, Int64(0)) }, uniquingKeysWith: { $1 })
            for row in rows { heads[try row.tenant(0)] = try row.int8(1) }
            return heads
        }
    }

    func beat(_ epoch: Int64, in run: String) async throws(EventStoreError) -> Moment? {
        try await asked(
            try await pool.query(Self.beat, [.int8(epoch), .text(run)]).first?.moment(0))
    }

    func vouch(_ epoch: Int64, in run: String) async throws(EventStoreError) {
        try await pool.run(Self.vouch, [.int8(epoch), .text(run)])
    }

    func hold(_ why: LogHold, in run: String?) async throws(EventStoreError) {
        try await pool.run(Self.hold, [.text(why.rawValue), .text(run)])
    }

    func accept(_ acceptance: LogAcceptance) async throws(EventStoreError) -> Int64? {
        try await withStoreErrors { () async throws(PostgresError) in
            try await pool.withTransaction { (connection) async throws(PostgresError) in
                try await Self.accept(acceptance, connection)
            }
        }
    }

    /// It touches every phone of every living activity, and waits for another one that does.
    private static func accept(
        _ acceptance: LogAcceptance, _ connection: Connection
    ) async throws(PostgresError) -> Int64? {
        let timeout = Duration.seconds(Limits.acceptSecondsMax)
        try await connection.script(
            "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0")
        // A statement of its own: what comes after it sees what the one that was waited for did.
        _ = try await connection.query(lock, timeout: timeout)
        let found = try await connection.query(state).row(with: "log_identity")
        let before = LogStatus(epoch: try found.int8(0), hold: try found.optionalChoice(1))
        if let seen = acceptance.seen, seen != before { return nil }
        let epoch = try await connection.query(
            "SELECT accept_log($1, $2)",
            [.bool(acceptance.isComplete), .int4(Int32(clamping: acceptance.aheadSeconds))],
            timeout: timeout
        ).row(with: "accept_log").int8(0)
        // Of a log that was not held nothing has changed.
        if before.hold != nil || epoch != before.epoch {
            _ = try await connection.query(
                noteAcceptance,
                [
                    .int8(epoch), .int8(before.epoch), .text(before.hold?.rawValue),
                    .bool(acceptance.isComplete),
                ])
        }
        return epoch
    }

    func kept(_ tenant: TenantID, _ since: Int64) async throws(EventStoreError) -> Int64? {
        try await asked(
            try await pool.query(Self.kept, [.tenant(tenant), .int8(since)]).first?.optional(0))
    }

    /// What is hidden must not be taken for lost: a backup would be restored over it.
    func inconsistencies() async throws(EventStoreError) -> [LogInconsistency] {
        let found = try await pool.rows(Self.inconsistencies, [], LogInconsistency.init)
        guard !found.isEmpty else { return [] }
        let hidden = try await asked(try await TenantWalls.look(pool)).hiddenLog
        guard hidden.isEmpty else {
            throw .failed(
                sqlState: SQLState.insufficientPrivilege, detail: LogExplanation.hidden(hidden))
        }
        return found
    }

    /// A tenant that was removed has not lost what was acknowledged.
    private static let heads = """
        SELECT tenant, position FROM log_head WHERE tenant = ANY ($1::int4[])
        UNION ALL
        SELECT tenant, 9223372036854775807 FROM removed_tenant WHERE tenant = ANY ($1::int4[])
        """

    private static let look = """
        SELECT epoch, log_hold(), beat_at,
            extract(epoch FROM clock_timestamp() - beat_at)::float8,
            \(run)
        FROM log_identity
        """

    private static let run =
        "concat_ws(' ', pg_postmaster_start_time(), database_timeline(), marker)"

    /// $1 epoch, $2 run.
    private static let beat = """
        UPDATE log_identity
        SET beat_at = greatest(beat_at + interval '1 microsecond', clock_timestamp())
        WHERE epoch = $1 AND \(run) = $2 AND log_hold() IS NULL RETURNING beat_at
        """

    /// $1 epoch, $2 run.
    private static let vouch = """
        UPDATE log_identity SET timeline = database_timeline(),
            beat_at = greatest(beat_at + interval '1 microsecond', clock_timestamp())
        WHERE epoch = $1 AND \(run) = $2 AND log_hold() = 'timeline'
        """

    /// $1 why, $2 run or null.
    private static let hold = """
        WITH held AS (
            UPDATE log_identity SET held_since = clock_timestamp(), held_why = $1
            WHERE held_why IS NULL AND ($2::text IS NULL OR \(run) = $2::text)
            RETURNING epoch, held_why
        )
        INSERT INTO audit_entry (tenant, actor, act, subject, after)
        SELECT t.id, acting(), 'log.held', h.epoch::text, jsonb_build_object('why', h.held_why)
        FROM held h, \(concerned)
        """

    private static let lock = "SELECT FROM log_identity FOR UPDATE"

    private static let state = "SELECT epoch, log_hold() FROM log_identity"

    /// $1 epoch, $2 the one before, $3 why it was held or null, $4 whether nothing was missing.
    private static let noteAcceptance = """
        INSERT INTO audit_entry (tenant, actor, act, subject, before, after)
        SELECT t.id, acting(), 'log.accepted', $1::int8::text,
            jsonb_build_object('epoch', $2::int8, 'held', $3::text),
            jsonb_build_object('epoch', $1::int8, 'complete', $4::bool)
        FROM \(concerned)
        """

    /// Acts are of tenants, and what is done to the log is done to each. Of one that moves nothing
    /// is written where it is not, or not any more.
    private static let concerned = """
        (
            SELECT n.id FROM tenant n WHERE NOT EXISTS (
                SELECT FROM tenant_move m
                WHERE m.tenant = n.id AND (m.state <> 'leaving' OR m.is_fenced)
            )
        ) t
        """

    /// $1 tenant, $2 epoch. An epoch that this log does not come from has nothing in common that
    /// anybody knows of. A tenant without a row had an empty log.
    private static let kept = """
        SELECT coalesce((
            SELECT min(k.position) FROM log_epoch_kept k WHERE k.tenant = $1 AND k.epoch > $2
        ), 0)
        FROM log_identity i
        WHERE i.epoch > $2 AND (
            $2 = 1 OR EXISTS (SELECT FROM log_epoch_kept k WHERE k.epoch = $2)
        )
        """

    private static let inconsistencies = """
        SELECT 'head', t.name, h.position, e.position FROM log_head h
        JOIN tenant t ON t.id = h.tenant
        CROSS JOIN LATERAL (
            SELECT greatest(coalesce((
                SELECT position FROM event WHERE tenant = h.tenant ORDER BY position DESC LIMIT 1
            ), 0), archived_through(h.tenant)) AS position
        ) e
        WHERE h.position <> e.position
        UNION ALL
        SELECT 'checkpoint', t.name, c.position, coalesce(h.position, 0)
        FROM projection_checkpoint c JOIN tenant t ON t.id = c.tenant
        LEFT JOIN log_head h ON h.tenant = c.tenant WHERE c.position > coalesce(h.position, 0)
        UNION ALL
        SELECT 'webhook', t.name, max(w.position), coalesce(h.position, 0)
        FROM webhook w JOIN tenant t ON t.id = w.tenant LEFT JOIN log_head h ON h.tenant = w.tenant
        WHERE w.position > coalesce(h.position, 0) GROUP BY t.name, h.position
        UNION ALL
        SELECT 'timestamp', t.name, max(s.last_timestamp), 0 FROM delivery_state s
        JOIN tenant t ON t.id = s.tenant
        WHERE s.last_timestamp > extract(epoch FROM clock_timestamp())
            + \(Limits.timestampAheadSecondsMax)
        GROUP BY t.name
        UNION ALL
        SELECT 'clock', '', extract(epoch FROM beat_at - clock_timestamp())::int8, 0
        FROM log_identity
        WHERE beat_at > clock_timestamp() + \(Limits.timestampAheadSecondsMax) * interval '1 s'
        LIMIT \(Limits.findingsListedMax)
        """
}

extension LogSighting: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            epoch: row.get(), hold: row.optionalChoice(), beatAt: row.moment(),
            silenceSeconds: row.get(), run: row.get())
    }
}

extension LogInconsistency: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        let (part, tenant): (String, String) = (try row.get(), try row.get())
        let (position, end): (Int64, Int64) = (try row.get(), try row.get())
        self =
            switch part {
            case "head": .head(tenant: tenant, position: position, last: end)
            case "checkpoint": .checkpoint(tenant: tenant, position: position, head: end)
            case "webhook": .webhook(tenant: tenant, position: position, head: end)
            case "timestamp": .timestamp(tenant: tenant, seconds: position)
            default: .clock(seconds: position)
            }
    }
}
