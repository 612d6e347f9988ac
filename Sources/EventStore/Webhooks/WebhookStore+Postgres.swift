import Domain
import Postgres

extension WebhookStore {
    static func postgres(_ wall: TenantWall) -> WebhookStore {
        let pool = wall.pool
        return WebhookStore(
            all: { (tenant, id) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await wall.count(
                        as: tenant,
                        [Statement(WebhookQueries.all, [.tenant(tenant), .text(id)])]
                    )[0].decoded { (row) throws(PostgresError) in
                        (try Webhook(row), try WebhookFigures(row, from: Webhook.columnCount))
                    }
                }
            },
            add: { (webhook, secret) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await !pool.batch([
                        Statement(WebhookQueries.lockTenant, [.tenant(webhook.tenant)]),
                        WebhookQueries.insert(webhook), WebhookQueries.insert(secret),
                    ])[1].isEmpty
                }
            },
            edit: { (tenant, id, edit) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await !pool.batch(WebhookQueries.edit(tenant, id, edit))[0].isEmpty
                }
            },
            remove: { (tenant, id) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await !pool.query(WebhookQueries.remove, [.tenant(tenant), .text(id)])
                        .isEmpty
                }
            },
            secrets: { (of) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await pool.query(
                        WebhookQueries.secrets, [.int4(of?.tenant.rawValue), .text(of?.id)]
                    ).decoded(WebhookSecret.init)
                }
            },
            rotate: { (secret, overlapSeconds) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    let place: [Parameter] = [.tenant(secret.tenant), .text(secret.webhookID)]
                    return try await !pool.batch([
                        Statement(
                            WebhookQueries.retireSecrets, place + [.float8(overlapSeconds)]),
                        Statement(WebhookQueries.removeOldSecrets, place),
                        WebhookQueries.insert(secret),
                    ])[2].isEmpty
                }
            },
            reseal: { (secret, sealed, masterKeyID) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await !pool.query(
                        WebhookQueries.reseal,
                        [
                            .tenant(secret.tenant), .text(secret.webhookID), .int8(secret.id),
                            .bytea(secret.sealed), .bytea(sealed), .text(masterKeyID),
                        ]
                    ).isEmpty
                }
            },
            feed: .postgres(pool))
    }
}
