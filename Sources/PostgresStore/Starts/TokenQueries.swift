import Domain
import EventStore
import Postgres

/// What a phone's token and topics read and write.
enum TokenQueries {
    /// The one that comes second sees the other: an audience sees a token that was put before, and
    /// a token sees the audience. So nobody is forgotten between the two. What follows gets generic
    /// plans, which take the tenant for one like others: of one that it does not know yet the
    /// planner expects nothing, and would go through all that there is of it.
    static let meet = """
        SELECT set_config('plan_cache_mode', 'force_generic_plan', true)
        FROM pg_advisory_xact_lock_shared(hashtextextended('starts', $1))
        """

    /// In one transaction. Parameters: $1 tenant, $2 installation, $3 bundle id, $4 kind, $5 token,
    /// $6 topics, then those of `upsert`.
    static func put(_ tenant: TenantID, _ wish: StartWish) -> [Statement] {
        let device: [Parameter] = [
            .tenant(tenant), .text(wish.installation), .text(wish.bundleID),
        ]
        let token = device + [.text(wish.kind), .text(wish.token.hex)]
        let topics = token + [.texts(wish.topics.map(\.rawValue))]
        return [
            Statement(meet, [.tenant(tenant)]),
            Statement(rename, token),
            Statement(insertDevice, device),
            Statement(removeTwins, token),
            Statement(
                upsert,
                token + [
                    .text(wish.environment.rawValue), .text(wish.locale),
                    .bool(wish.frequentUpdates), .text(wish.appBuild),
                    .int2(wish.osMajor.map { Int16(clamping: $0) }),
                ]),
            Statement(removeTopics, topics), Statement(insertTopics, topics),
            Statement(want, topics), .notify(.phonesWaiting, tenant),
        ]
    }

    /// Place of `upsert` in `put`.
    static let answer = 4

    private static let isDevice = """
        d.tenant = $1 AND d.installation = $2 AND d.bundle_id = $3
        """

    /// An app that has forgotten its installation is known by its token: it is the same phone, with
    /// the same cards.
    private static let rename = """
        UPDATE start_device d SET installation = $2
        WHERE d.tenant = $1 AND d.id = (
                SELECT o.id FROM start_token t
                JOIN start_device o ON o.tenant = t.tenant AND o.id = t.device_id
                WHERE t.tenant = $1 AND t.push_token = $5 AND t.kind = $4 AND o.bundle_id = $3
                ORDER BY o.id LIMIT 1
            )
            AND NOT EXISTS (SELECT FROM start_device d WHERE \(isDevice))
        """

    private static let insertDevice = """
        INSERT INTO start_device (tenant, installation, bundle_id) VALUES ($1, $2, $3)
        ON CONFLICT ON CONSTRAINT start_device_installation_is_unique DO NOTHING
        """

    /// No phone is served twice.
    private static let removeTwins = """
        DELETE FROM start_token t USING start_device d
        WHERE t.tenant = $1 AND t.push_token = $5 AND t.kind = $4
            AND d.tenant = t.tenant AND d.id = t.device_id AND d.bundle_id = $3
            AND d.installation <> $2
        """

    /// $6 environment, $7 locale, $8 frequent, $9 build, $10 system.
    private static let upsert = """
        INSERT INTO start_token AS t (
            tenant, device_id, kind, push_token, environment, locale, frequent, app_build, os_major,
            put_at, changed_at
        )
        SELECT d.tenant, d.id, $4, $5, $6, $7, $8, $9, $10, clock_timestamp(), clock_timestamp()
        FROM start_device d WHERE \(isDevice)
        ON CONFLICT ON CONSTRAINT start_token_key DO UPDATE SET
            push_token = excluded.push_token, environment = excluded.environment,
            token_version = t.token_version + 1, locale = excluded.locale,
            frequent = excluded.frequent, app_build = excluded.app_build,
            os_major = excluded.os_major, put_at = excluded.put_at,
            changed_at = CASE WHEN t.push_token = excluded.push_token THEN t.changed_at
                ELSE excluded.changed_at END,
            dead_at = NULL, last_failure = NULL
        RETURNING token_version = 1
        """

    private static let removeTopics = """
        DELETE FROM start_topic s USING start_device d
        WHERE \(isDevice) AND s.tenant = d.tenant AND s.device_id = d.id AND s.kind = $4
            AND s.topic <> ALL ($6::text[])
        """

    private static let insertTopics = """
        INSERT INTO start_topic (tenant, kind, topic, device_id)
        SELECT d.tenant, $4, w.topic, d.id
        FROM start_device d, unnest($6::text[]) AS w (topic) WHERE \(isDevice)
        ON CONFLICT ON CONSTRAINT start_topic_key DO NOTHING
        """

    /// Starts for activities that live, whether or not their audience was looked through already;
    /// and once more where another token was surely refused. As for the `OFFSET 0`, see
    /// `ActivityListing`.
    private static let want = """
        INSERT INTO card_start AS c (
            tenant, activity_id, device_id, state, due_at, put_version
        )
        SELECT DISTINCT a.tenant, a.activity_id, d.id, 'waiting', coalesce(a.not_before, 'epoch'),
            a.put_version
        FROM start_device d
        CROSS JOIN unnest($6::text[]) AS f (topic)
        CROSS JOIN LATERAL (
            SELECT w.activity_id FROM audience_topic w
            WHERE w.tenant = $1 AND w.topic = f.topic OFFSET 0
        ) w
        CROSS JOIN LATERAL (
            SELECT * FROM activity_audience a
            WHERE a.tenant = $1 AND a.activity_id = w.activity_id AND a.closed_at IS NULL OFFSET 0
        ) a
        LEFT JOIN LATERAL (
            SELECT p.kind, p.phase FROM snapshot p
            WHERE p.tenant = $1 AND p.generation = (SELECT live_generation($1))
                AND p.activity_id = w.activity_id
            OFFSET 0
        ) p ON true
        WHERE \(isDevice) AND coalesce(p.kind = $4 AND p.phase <> 'ended', true)
        ON CONFLICT ON CONSTRAINT card_start_key DO UPDATE SET
            state = 'waiting', due_at = excluded.due_at, put_version = excluded.put_version,
            attempts = 0, first_tried_at = NULL, reason = NULL, changed_at = clock_timestamp()
        WHERE c.state = 'refused' AND c.changed_at < (
            SELECT t.changed_at FROM start_token t
            WHERE t.tenant = c.tenant AND t.device_id = c.device_id AND t.kind = $4
        )
        """

    /// $1 tenant, $2 installation, $3 kind.
    static let remove = """
        DELETE FROM start_token t USING start_device d
        WHERE d.tenant = $1 AND d.installation = $2
            AND t.tenant = d.tenant AND t.device_id = d.id AND t.kind = $3
        RETURNING t.device_id
        """

    static let show = """
        SELECT d.bundle_id, t.environment,
            ARRAY(
                SELECT s.topic FROM start_topic s
                WHERE s.tenant = t.tenant AND s.device_id = t.device_id AND s.kind = t.kind
                ORDER BY s.topic
            ),
            t.locale, t.frequent, t.app_build, t.os_major, t.put_at, t.dead_at IS NOT NULL
        FROM start_device d
        JOIN start_token t ON t.tenant = d.tenant AND t.device_id = d.id
        WHERE d.tenant = $1 AND d.installation = $2 AND t.kind = $3
        ORDER BY d.bundle_id
        """
}
