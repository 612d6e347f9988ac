import Domain
import EventStore
import Postgres

struct PostgresIdentityStore: IdentityStore {
    let pool: Pool

    func look() async throws(EventStoreError) -> LogSighting {
        try await asked(try LogSighting(await pool.query(Self.look).row(with: "log_identity")))
    }

    func heads(_ tenants: [TenantID]) async throws(EventStoreError) -> [TenantID: Int64] {
        try await storing { () async throws(PostgresError) in
            let rows = try await pool.query(Self.heads, [.int4s(tenants.map(\.rawValue))])
            var heads = Dictionary(tenants.map { ($0, Int64(0)) }, uniquingKeysWith: { $1 })
            for row in rows { heads[try row.tenant(0)] = try row.int8(1) }
            return heads
        }
    }

    func beat(_ epoch: Int64) async throws(EventStoreError) -> Moment? {
        try await asked(try await pool.query(Self.beat, [.int8(epoch)]).first?.moment(0))
    }

    func vouch(_ epoch: Int64) async throws(EventStoreError) {
        try await pool.run(Self.vouch, [.int8(epoch)])
    }

    func hold(_ why: LogHold) async throws(EventStoreError) {
        try await pool.run(Self.hold, [.text(why.rawValue)])
    }

    func accept(isComplete: Bool, aheadSeconds: Int) async throws(EventStoreError) -> Int64 {
        try await storing { () async throws(PostgresError) in
            try await pool.withConnection { (connection) async throws(PostgresError) in
                // It touches every phone of every living activity.
                try await connection.script("SET statement_timeout = 0")
                return try await connection.query(
                    "SELECT accept_log($1, $2)",
                    [.bool(isComplete), .int4(Int32(clamping: aheadSeconds))],
                    timeout: .seconds(Limits.acceptSecondsMax)
                ).row(with: "accept_log").int8(0)
            }
        }
    }

    func kept(_ tenant: TenantID, _ since: Int64) async throws(EventStoreError) -> Int64? {
        try await asked(
            try await pool.query(Self.kept, [.tenant(tenant), .int8(since)]).first?.optional(0))
    }

    func faults() async throws(EventStoreError) -> [LogFault] {
        try await pool.rows(Self.faults, [], LogFault.init)
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
            concat_ws(' ', pg_postmaster_start_time(), database_timeline(), marker)
        FROM log_identity
        """

    /// $1 epoch.
    private static let beat = """
        UPDATE log_identity
        SET beat_at = greatest(beat_at + interval '1 microsecond', clock_timestamp())
        WHERE epoch = $1 AND log_hold() IS NULL RETURNING beat_at
        """

    /// $1 epoch.
    private static let vouch = """
        UPDATE log_identity SET timeline = database_timeline(),
            beat_at = greatest(beat_at + interval '1 microsecond', clock_timestamp())
        WHERE epoch = $1 AND log_hold() = 'timeline'
        """

    /// $1 why.
    private static let hold = """
        UPDATE log_identity SET held_since = clock_timestamp(), held_why = $1
        WHERE held_why IS NULL
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

    private static let faults = """
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
        LIMIT \(Limits.faultsListedMax)
        """
}

extension LogSighting: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            epoch: row.int8(), hold: row.optionalChoice(), beatAt: row.moment(),
            silenceSeconds: row.get(), run: row.get())
    }
}

extension LogFault: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        let (part, tenant) = (try row.text(), try row.text())
        let (position, end) = (try row.int8(), try row.int8())
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
