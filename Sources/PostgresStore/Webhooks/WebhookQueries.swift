import Domain
import EventStore
import Postgres

/// What is asked and written about webhooks.
enum WebhookQueries {
    /// Postgres' clock, or $N in tests and virtual time.
    static func clock(_ place: String) -> String {
        "coalesce(\(place)::timestamptz, statement_timestamp())"
    }

    /// Of a decision, as `isForWebhooks` has it.
    static let isForWebhooks = "(verdict <> 'hold' OR rule = '\(Decision.attributesRule)')"

    /// $1 tenant, $2 id or null.
    static let all = """
        SELECT \(Webhook.columns), \(WebhookFigures.columns) FROM webhook w
        WHERE w.tenant = $1 AND ($2::text IS NULL OR w.id = $2) ORDER BY w.created_at, w.id
        """

    /// $1 tenant. Until the commit nobody else adds one to it.
    static let lockTenant = "SELECT FROM tenant WHERE id = $1 FOR UPDATE"

    static func insert(_ webhook: Webhook) -> Statement {
        Statement(
            """
            INSERT INTO webhook (tenant, id, url, kinds, phases, position)
            SELECT $1, $2, $3, $4, $5, coalesce((
                SELECT position FROM projection_checkpoint WHERE tenant = $1
            ), 0)
            WHERE (SELECT count(*) FROM webhook WHERE tenant = $1) < $6
            RETURNING id
            """,
            [
                .tenant(webhook.tenant), .text(webhook.id), .text(webhook.url),
                .texts(webhook.kinds), .texts(webhook.phases.map(\.rawValue)),
                .count(Limits.webhooksPerTenantMax),
            ])
    }

    static func insert(_ secret: WebhookSecret) -> Statement {
        Statement(
            """
            INSERT INTO webhook_secret (tenant, webhook_id, sealed, master_key_id)
            SELECT w.tenant, w.id, $3, $4 FROM webhook w WHERE w.tenant = $1 AND w.id = $2
            RETURNING id
            """,
            [
                .tenant(secret.tenant), .text(secret.webhookID), .bytea(secret.sealed),
                .text(secret.masterKeyID),
            ])
    }

    /// Failures of one that is turned on are counted from zero, and what waits is due at once.
    static func edit(_ tenant: TenantID, _ id: String, _ edit: WebhookEdit) -> [Statement] {
        var statements = [
            Statement(
                """
                UPDATE webhook SET url = coalesce($3, url),
                    kinds = coalesce(string_to_array($4, ','), kinds),
                    phases = coalesce(string_to_array($5, ','), phases),
                    disabled_at = CASE $6::bool
                        WHEN true THEN NULL
                        WHEN false THEN coalesce(disabled_at, clock_timestamp())
                        ELSE disabled_at END,
                    disabled_by = CASE $6::bool
                        WHEN true THEN NULL
                        WHEN false THEN coalesce(disabled_by, 'owner')
                        ELSE disabled_by END,
                    failures = CASE WHEN $6 THEN 0 ELSE failures END,
                    failing_since = CASE WHEN $6 THEN NULL ELSE failing_since END,
                    paused_until = CASE WHEN $6 THEN NULL ELSE paused_until END,
                    rejection_retry_at = CASE WHEN $6 AND rejection_retry_at IS NOT NULL
                        THEN 'epoch' ELSE rejection_retry_at END
                WHERE tenant = $1 AND id = $2 RETURNING id
                """,
                [
                    .tenant(tenant), .text(id), .text(edit.url),
                    .text(edit.kinds?.joined(separator: ",")),
                    .text(edit.phases?.map(\.rawValue).joined(separator: ",")),
                    .bool(edit.isEnabled),
                ])
        ]
        if edit.isEnabled == true {
            statements.append(Statement(makeDue, [.tenant(tenant), .text(id)]))
        }
        return statements
    }

    /// $1 tenant, $2 id.
    static let makeDue = """
        UPDATE webhook_message SET retry_at = 'epoch'
        WHERE tenant = $1 AND webhook_id = $2 AND given_up_at IS NULL
        """

    /// $1 tenant, $2 id. One whose messages arrive is left alone, and one that is off.
    static let resume = """
        WITH resumed AS (
            UPDATE webhook SET failures = 0, failing_since = NULL, paused_until = NULL,
                rejection_retry_at = CASE WHEN rejection_retry_at IS NOT NULL
                    THEN 'epoch'::timestamptz END
            WHERE tenant = $1 AND id = $2 AND disabled_at IS NULL AND failing_since IS NOT NULL
            RETURNING tenant, id
        )
        UPDATE webhook_message m SET retry_at = 'epoch' FROM resumed r
        WHERE m.tenant = r.tenant AND m.webhook_id = r.id AND m.given_up_at IS NULL
        """

    /// $1 tenant, $2 id. Until the commit nobody else changes its secrets.
    static let lock = "SELECT FROM webhook WHERE tenant = $1 AND id = $2 FOR NO KEY UPDATE"

    /// $1 tenant, $2 id.
    static let remove = "DELETE FROM webhook WHERE tenant = $1 AND id = $2 RETURNING id"

    /// $1 tenant and $2 id, or null for all.
    static let secrets = """
        SELECT \(WebhookSecret.columns) FROM webhook_secret s
        WHERE ($1::int4 IS NULL OR (s.tenant = $1 AND s.webhook_id = $2))
            AND (s.ends_at IS NULL OR s.ends_at > clock_timestamp())
        ORDER BY s.tenant, s.webhook_id, s.id DESC
        """

    /// $1 tenant, $2 webhook, $3 seconds. One that signs for a while already does so for as long as
    /// was said: its receiver may know none of those after it, when an answer was lost. 0 seconds
    /// end all at once.
    static let retireSecrets = """
        UPDATE webhook_secret
        SET ends_at = clock_timestamp() + $3::float8 * interval '1 s'
        WHERE tenant = $1 AND webhook_id = $2 AND (ends_at IS NULL OR $3::float8 = 0)
        """

    /// $1 tenant, $2 webhook, $3 how many may stay, the newest.
    static let removeOldSecrets = """
        DELETE FROM webhook_secret s
        WHERE s.tenant = $1 AND s.webhook_id = $2 AND (
            s.ends_at <= clock_timestamp() OR s.id NOT IN (
                SELECT id FROM webhook_secret WHERE tenant = $1 AND webhook_id = $2
                ORDER BY id DESC LIMIT $3::int8
            )
        )
        """

    /// $1 tenant, $2 webhook, $3 id, $4 the seal as it was, $5 the new one, $6 its master key.
    static let reseal = """
        UPDATE webhook_secret SET sealed = $5, master_key_id = $6
        WHERE tenant = $1 AND webhook_id = $2 AND id = $3 AND sealed = $4 RETURNING id
        """
}
