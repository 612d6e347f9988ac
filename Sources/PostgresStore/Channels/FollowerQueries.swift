import Domain

/// Who follows an activity with which app.
///
/// Phones name their apps and may make up any number of them, and there may be a million phones:
/// each question ends at bounds of what it reads. An `OFFSET 0` keeps what is found by its key from
/// being joined in any other order.
enum FollowerQueries {
    /// $1 tenant, $2 activity, $3 followers. Those count that are sent each change one by one, and
    /// those on whose phones the card is about to appear, if they can listen to a channel.
    static let wantChannels = """
        WITH RECURSIVE \(walk), \(coming), many AS (
            SELECT w.bundle_id, w.environment FROM walk w
            WHERE (w.far_bundle_id, w.far_environment) = (w.bundle_id, w.environment)
            UNION
            SELECT c.bundle_id, c.environment FROM coming c
            CROSS JOIN LATERAL (
                SELECT count(*) AS phones FROM (
                    SELECT FROM \(living)
                        AND r.bundle_id = c.bundle_id AND r.environment = c.environment
                    LIMIT $3::int8
                ) r
            ) n
            WHERE c.phones + n.phones >= $3::int8
        )
        INSERT INTO channel (
            tenant, activity_id, bundle_id, environment, storage, state, retry_at, wanted_at
        )
        SELECT $1, $2, m.bundle_id, m.environment, 'none', 'wanted', 'epoch', clock_timestamp()
        FROM many m WHERE NOT \(hasChannel("m"))
        ON CONFLICT DO NOTHING RETURNING 1
        """

    /// As `registration_of_app` has them, in its order.
    private static let living = """
        registration r
        WHERE r.tenant = $1 AND r.activity_id = $2 AND r.dead_at IS NULL AND r.closed_at IS NULL
        """

    /// Apps of the activity's phones, each with the app of the phone that is last of $3 from its
    /// first on: the same one if so many phones have it. If not, none in between has so many
    /// either, and the walk goes on with that one. So apps of few phones, which may be made up,
    /// cost no more than their phones.
    private static let walk = """
        walk AS (
            SELECT a.*, \(far), 1 AS step FROM (
                SELECT r.bundle_id, r.environment FROM \(living) ORDER BY 1, 2 LIMIT 1
            ) a
            LEFT JOIN LATERAL (\(lastOfMany("a"))) f ON true
            UNION ALL
            SELECT n.*, \(far), w.step + 1 FROM walk w
            CROSS JOIN LATERAL (
                SELECT w.far_bundle_id AS bundle_id, w.far_environment AS environment
                WHERE (w.far_bundle_id, w.far_environment) > (w.bundle_id, w.environment)
                UNION ALL
                (
                    SELECT r.bundle_id, r.environment FROM \(living)
                        AND (r.bundle_id, r.environment) > (w.bundle_id, w.environment)
                    ORDER BY 1, 2 LIMIT 1
                )
                LIMIT 1
            ) n
            LEFT JOIN LATERAL (\(lastOfMany("n"))) f ON true
            WHERE w.far_bundle_id IS NOT NULL AND w.step < least(
                \(Limits.followerAppsMax), greatest(2, \(Limits.followersReadMax) / $3::int8)
            )
        )
        """

    private static let far = "f.bundle_id AS far_bundle_id, f.environment AS far_environment"

    private static func lastOfMany(_ first: String) -> String {
        """
        SELECT r.bundle_id, r.environment FROM \(living)
            AND (r.bundle_id, r.environment) >= (\(first).bundle_id, \(first).environment)
        ORDER BY 1, 2 LIMIT 1 OFFSET $3::int8 - 1
        """
    }

    private static func hasChannel(_ app: String) -> String {
        """
        EXISTS (
            SELECT FROM channel c
            WHERE c.tenant = $1 AND c.activity_id = $2 AND c.bundle_id = \(app).bundle_id
                AND c.environment = \(app).environment AND c.closed_at IS NULL
            OFFSET 0
        )
        """
    }

    /// Apps without a channel of the phones of an audience that is still looked through, after
    /// those that were looked at. A row of `audience` is one phone.
    private static let coming = """
        page AS MATERIALIZED (
            SELECT DISTINCT s.device_id, s.kind FROM (
                SELECT s.device_id, p.kind FROM activity_audience a
                JOIN projection_checkpoint g ON g.tenant = a.tenant
                JOIN snapshot p ON p.tenant = g.tenant AND p.generation = g.generation
                    AND p.activity_id = a.activity_id
                CROSS JOIN unnest(a.topics) AS w (topic)
                CROSS JOIN LATERAL (
                    SELECT s.device_id FROM start_topic s
                    WHERE s.tenant = $1 AND s.kind = p.kind AND s.topic = w.topic
                        AND s.device_id > a.cursor
                    ORDER BY s.device_id LIMIT \(Limits.audienceReadMax)
                ) s
                WHERE a.tenant = $1 AND a.activity_id = $2 AND a.due_at IS NOT NULL
                LIMIT \(Limits.audienceReadMax)
            ) s
        ), audience AS MATERIALIZED (
            -- Compared with registered phones, whose apps are in the order of the database.
            SELECT s.device_id, d.bundle_id COLLATE "default" AS bundle_id, k.environment
            FROM page s
            CROSS JOIN LATERAL (
                SELECT k.environment FROM start_token k
                WHERE k.tenant = $1 AND k.device_id = s.device_id AND k.kind = s.kind
                    AND k.dead_at IS NULL AND k.os_major >= 18
                OFFSET 0
            ) k
            CROSS JOIN LATERAL (
                SELECT d.bundle_id FROM start_device d
                WHERE d.tenant = $1 AND d.id = s.device_id
                OFFSET 0
            ) d
        ), bare AS MATERIALIZED (
            SELECT a.bundle_id, a.environment
            FROM (SELECT DISTINCT a.bundle_id, a.environment FROM audience a) a
            WHERE NOT \(hasChannel("a"))
        ), coming AS (
            SELECT a.bundle_id, a.environment, count(*) AS phones
            FROM bare b
            JOIN audience a ON a.bundle_id = b.bundle_id AND a.environment = b.environment
            WHERE NOT EXISTS (
                SELECT FROM card_start c
                WHERE c.tenant = $1 AND c.activity_id = $2 AND c.device_id = a.device_id
                    AND c.state IN ('started', 'needless')
                OFFSET 0
            )
            GROUP BY a.bundle_id, a.environment
            ORDER BY phones DESC LIMIT \(Limits.audienceAppsMax)
        )
        """

    /// $1 tenant, $2 activity, $3 bundle id, $4 environment.
    static let count = """
        SELECT (\(counted(served))), (\(moved)),
            least((\(counted(listening))) + (\(started)), \(Domain.Limits.countedMax))
        """

    private static let served = "\(living) AND \(isOfApp("r"))"

    /// One that has registered another token since is served again. No more are looked at than are
    /// counted.
    private static let moved = """
        SELECT count(*) FROM (
            SELECT r.installation FROM registration r
            WHERE r.tenant = $1 AND r.activity_id = $2 AND r.closed_by = 'broadcast'
                AND \(isOfApp("r"))
            LIMIT \(Domain.Limits.countedMax)
        ) r
        WHERE NOT EXISTS (
            SELECT FROM registration o
            WHERE o.tenant = $1 AND o.activity_id = $2 AND o.installation = r.installation
                AND o.closed_at IS NULL
            OFFSET 0
        )
        """

    private static let listening = """
        channel_listener l
        WHERE l.tenant = $1 AND l.activity_id = $2 AND l.closed_at IS NULL AND \(isOfApp("l"))
        """

    private static func isOfApp(_ alias: String) -> String {
        "\(alias).bundle_id = $3 AND \(alias).environment = $4"
    }

    private static func counted(_ rows: String) -> String {
        "SELECT count(*) FROM (SELECT FROM \(rows) LIMIT \(Domain.Limits.countedMax)) f"
    }

    /// Started while there was a channel, by a push that says which; they need not ask for it. Of
    /// an activity's starts no more are looked at than are counted. A card that is started again
    /// has a push token.
    private static let started = """
        SELECT count(*) FROM channel h
        CROSS JOIN LATERAL (
            SELECT c.device_id, c.first_tried_at FROM card_start c
            WHERE c.tenant = $1 AND c.activity_id = $2 AND c.state = 'started' AND c.lap = 0
            LIMIT \(Domain.Limits.countedMax)
        ) c
        CROSS JOIN LATERAL (
            SELECT d.* FROM start_device d
            WHERE d.tenant = $1 AND d.id = c.device_id AND d.bundle_id = $3
            OFFSET 0
        ) d
        WHERE h.tenant = $1 AND h.activity_id = $2 AND \(isOfApp("h")) AND h.closed_at IS NULL
            AND h.state = 'open' AND h.opened_at <= c.first_tried_at
            AND EXISTS (
                SELECT FROM start_token t
                WHERE t.tenant = $1 AND t.device_id = d.id AND t.environment = $4
                    AND t.os_major >= 18
                OFFSET 0
            )
            AND NOT EXISTS (
                SELECT FROM channel_listener l
                WHERE l.tenant = $1 AND l.activity_id = $2 AND l.installation = d.installation
                    AND l.bundle_id = $3
                OFFSET 0
            )
            AND NOT EXISTS (
                SELECT FROM registration r
                WHERE r.tenant = $1 AND r.activity_id = $2 AND r.installation = d.installation
                    AND r.bundle_id = $3
                OFFSET 0
            )
        """
}
