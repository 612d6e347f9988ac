import Domain
import EventStore
import Postgres

struct PostgresWebhookStore: WebhookStore {
    let tenantPool: TenantScopedPool
    private var pool: Pool { tenantPool.pool }

    func all(_ tenant: TenantID, _ id: String?) async throws(EventStoreError) -> [(
        Webhook, WebhookFigures
    )] {
        try await tenantPool.counted(
            as: tenant, WebhookQueries.all, [.tenant(tenant), .text(id)]
        ) { (row) throws(PostgresError) in
            var row = RowReader(row)
            return (try Webhook(from: &row), try WebhookFigures(from: &row))
        }
    }

    func add(_ webhook: Webhook, _ secret: WebhookSecret) async throws(EventStoreError) -> Bool {
        try await asked(
            try await !pool.act([
                Statement(WebhookQueries.lockTenant, [.tenant(webhook.tenant)]),
                WebhookQueries.insert(webhook), WebhookQueries.insert(secret),
            ])[1].isEmpty)
    }

    func edit(_ tenant: TenantID, _ id: String, _ edit: WebhookEdit) async throws(EventStoreError)
        -> Bool
    {
        try await asked(try await !pool.act(WebhookQueries.edit(tenant, id, edit))[0].isEmpty)
    }

    func resume(_ tenant: TenantID, _ id: String) async throws(EventStoreError) {
        try await pool.run(WebhookQueries.resume, [.tenant(tenant), .text(id)])
    }

    func remove(_ tenant: TenantID, _ id: String) async throws(EventStoreError) -> Bool {
        try await asked(
            try await !pool.act(WebhookQueries.remove, [.tenant(tenant), .text(id)]).isEmpty)
    }

    func secrets(_ of: (tenant: TenantID, id: String)?) async throws(EventStoreError)
        -> [WebhookSecret]
    {
        try await pool.rows(
            WebhookQueries.secrets, [.int4(of?.tenant.rawValue), .text(of?.id)], WebhookSecret.init)
    }

    func rotate(_ secret: WebhookSecret, _ overlapSeconds: Double) async throws(EventStoreError)
        -> Bool
    {
        try await withStoreErrors { () async throws(PostgresError) in
            let place: [Parameter] = [.tenant(secret.tenant), .text(secret.webhookID)]
            return try await !pool.act([
                Statement(WebhookQueries.lock, place),
                Statement(
                    WebhookQueries.retireSecrets, place + [.float8(overlapSeconds)]),
                Statement(
                    WebhookQueries.removeOldSecrets,
                    place + [.count(Limits.secretsPerWebhookMax - 1)]),
                WebhookQueries.insert(secret),
            ])[3].isEmpty
        }
    }

    func reseal(_ secret: WebhookSecret, _ sealed: [UInt8], _ masterKeyID: String)
        async throws(EventStoreError) -> Bool
    {
        try await asked(
            try await !pool.query(
                WebhookQueries.reseal,
                [
                    .tenant(secret.tenant), .text(secret.webhookID), .int8(secret.id),
                    .bytea(secret.sealed), .bytea(sealed), .text(masterKeyID),
                ]
            ).isEmpty)
    }

    var feed: any WebhookFeed { PostgresWebhookFeed(pool: pool) }
}
