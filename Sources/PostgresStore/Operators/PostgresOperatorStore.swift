import Domain
import EventStore
import Postgres

struct PostgresOperatorStore: OperatorStore {
    let tenantPool: TenantScopedPool
    private var pool: Pool { tenantPool.pool }

    func appKeys(_ tenant: TenantID) async throws(EventStoreError) -> [AppKeyRecord] {
        try await pool.rows(AppQueries.keysOf, [.tenant(tenant)], AppKeyRecord.init)
    }

    func appAlarms(_ tenant: TenantID) async throws(EventStoreError) -> [AppAlarm] {
        try await tenantPool.rows(as: tenant, AppQueries.alarmsOf, [.tenant(tenant)], AppAlarm.init)
    }

    func deferredPhones(_ tenant: TenantID) async throws(EventStoreError) -> [DeferredPhones] {
        try await tenantPool.counted(
            as: tenant, AppQueries.deferredOf, [.tenant(tenant)], DeferredPhones.init)
    }

    func channels(_ tenant: TenantID, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [Channel]
    {
        try await tenantPool.rows(
            as: tenant, Self.channels, [.tenant(tenant), .int8(after), .count(limit)], Channel.init)
    }

    func attempts(_ tenant: TenantID, _ webhookID: String, _ limit: Int)
        async throws(EventStoreError) -> [WebhookAttempt]
    {
        try await tenantPool.rows(
            as: tenant, Self.attempts, [.tenant(tenant), .text(webhookID), .count(limit)],
            WebhookAttempt.init)
    }

    func nodes(_ tenant: TenantID) async throws(EventStoreError) -> [NodeSighting] {
        // As the service: a caller that acts for a tenant does not see others' sessions.
        try await pool.rows(
            Self.nodes, [.tenant(tenant), .count(Domain.Limits.countedMax)], NodeSighting.init)
    }

    private static let channels = """
        SELECT \(Channel.columns) FROM channel c
        WHERE c.tenant = $1 AND c.closed_at IS NULL AND c.id > $2 ORDER BY c.id LIMIT $3
        """

    /// $1 tenant, $2 webhook, $3 limit. Only so many are looked at, by their indexes: of those that
    /// wait the ones that are due last, most of which were tried last. As for the `OFFSET 0`, see
    /// `ActivityListing`.
    private static let attempts = """
        SELECT m.id, \(WaitingMessage.columns), s.kind, m.tried_at, m.retry_at, m.given_up_at,
            m.last_failure
        FROM (
            (
                SELECT * FROM webhook_message
                WHERE tenant = $1 AND webhook_id = $2 AND given_up_at IS NULL
                ORDER BY retry_at DESC LIMIT \(Domain.Limits.countedMax)
            ) UNION ALL (
                SELECT * FROM webhook_message
                WHERE tenant = $1 AND webhook_id = $2 AND given_up_at IS NOT NULL
                LIMIT \(Domain.Limits.countedMax)
            )
        ) m
        LEFT JOIN LATERAL (
            SELECT s.kind FROM snapshot s
            WHERE s.tenant = $1 AND s.generation = (SELECT live_generation($1))
                AND s.activity_id = m.activity_id
            OFFSET 0
        ) s ON true
        ORDER BY m.tried_at DESC, m.id DESC LIMIT $3
        """

    /// $1 tenant, $2 how many activities with something to send are looked at.
    private static let nodes = """
        SELECT coalesce(n.name, c.name), coalesce(n.connections, 0)::int8, n.since,
            coalesce(c.claims, 0)::int8
        FROM (
            SELECT substr(a.application_name, 7) AS name, count(*) AS connections,
                min(a.backend_start) AS since
            FROM pg_stat_activity a
            WHERE a.datname = current_database() AND a.application_name LIKE 'islet/%'
            GROUP BY 1
        ) n
        FULL JOIN (
            SELECT d.claimed_by AS name, count(*) AS claims
            FROM (
                SELECT DISTINCT p.activity_id FROM pending_decision p
                WHERE p.tenant = $1 LIMIT $2
            ) p
            JOIN delivery_state d ON d.tenant = $1 AND d.activity_id = p.activity_id
            WHERE d.claimed_by IS NOT NULL
            GROUP BY 1
        ) c ON c.name = n.name
        ORDER BY 1
        """
}

extension WebhookAttempt: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            id: row.get(), message: WaitingMessage(from: &row), kind: row.optional(),
            triedAt: row.moment(), retryAt: row.optionalMoment(),
            givenUpAt: row.optionalMoment(), lastFailure: row.get())
    }
}

extension NodeSighting: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            name: row.get(), connections: row.get(), since: row.optionalMoment(),
            claims: row.get())
    }
}
