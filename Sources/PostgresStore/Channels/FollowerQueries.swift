/// Who follows an activity with which app.
enum FollowerQueries {
    /// $1 tenant, $2 activity, $3 followers. Those count that are sent each change one by one, and
    /// those on whose phones the card is about to appear, if they can listen to a channel. Apps
    /// that have one are not counted, and of others no more phones than it takes.
    static let wantChannels = """
        WITH RECURSIVE served AS (
            (SELECT r.bundle_id, r.environment FROM \(living) ORDER BY 1, 2 LIMIT 1)
            UNION ALL
            SELECT n.bundle_id, n.environment FROM served a CROSS JOIN LATERAL (
                SELECT r.bundle_id, r.environment FROM \(living)
                    AND (r.bundle_id, r.environment) > (a.bundle_id, a.environment)
                ORDER BY 1, 2 LIMIT 1
            ) n
        ), bare AS MATERIALIZED (
            SELECT a.bundle_id, a.environment FROM served a
            WHERE NOT \(hasChannel("a.bundle_id", "a.environment"))
        ), follower AS (
            SELECT a.bundle_id, a.environment, n.count
            FROM bare a CROSS JOIN LATERAL (
                -- In the order of the index, which else is not always chosen.
                SELECT count(*) FILTER (
                    WHERE r.bundle_id = a.bundle_id AND r.environment = a.environment
                ) FROM (
                    SELECT r.bundle_id, r.environment FROM \(living)
                        AND (r.bundle_id, r.environment) >= (a.bundle_id, a.environment)
                    ORDER BY 1, 2 LIMIT $3
                ) r
            ) n
            UNION ALL
            SELECT a.bundle_id, a.environment, count(*)
            FROM (\(audience)) a GROUP BY a.bundle_id, a.environment
        )
        INSERT INTO channel (
            tenant, activity_id, bundle_id, environment, storage, state, retry_at, wanted_at
        )
        SELECT $1, $2, f.bundle_id, f.environment, 'none', 'wanted', 'epoch', clock_timestamp()
        FROM follower f
        GROUP BY f.bundle_id, f.environment HAVING sum(f.count) >= $3
        ON CONFLICT DO NOTHING RETURNING 1
        """

    /// As `registration_of_app` has them, in its order.
    private static let living = """
        registration r
        WHERE r.tenant = $1 AND r.activity_id = $2 AND r.dead_at IS NULL AND r.closed_at IS NULL
        """

    private static func hasChannel(_ bundleID: String, _ environment: String) -> String {
        """
        EXISTS (
            SELECT FROM channel c
            WHERE c.tenant = $1 AND c.activity_id = $2 AND c.bundle_id = \(bundleID)
                AND c.environment = \(environment) AND c.closed_at IS NULL
        )
        """
    }

    /// One row for each phone of an audience that is still looked through.
    private static let audience = """
        SELECT DISTINCT ON (d.id) d.bundle_id, k.environment
        FROM audience_topic a
        JOIN activity_audience v
            ON v.tenant = a.tenant AND v.activity_id = a.activity_id AND v.due_at IS NOT NULL
        JOIN snapshot p ON p.tenant = a.tenant AND p.activity_id = a.activity_id
        JOIN projection_checkpoint g ON g.tenant = p.tenant AND g.generation = p.generation
        JOIN start_topic s ON s.tenant = a.tenant AND s.topic = a.topic AND s.kind = p.kind
        JOIN start_token k
            ON k.tenant = s.tenant AND k.device_id = s.device_id AND k.kind = s.kind
        JOIN start_device d ON d.tenant = k.tenant AND d.id = k.device_id
        WHERE a.tenant = $1 AND a.activity_id = $2 AND k.dead_at IS NULL AND k.os_major >= 18
            AND NOT EXISTS (
                SELECT FROM card_start c
                WHERE c.tenant = $1 AND c.activity_id = $2 AND c.device_id = d.id
                    AND c.state IN ('started', 'needless')
            )
            AND NOT \(hasChannel("d.bundle_id", "k.environment"))
        """

    /// $1 tenant, $2 activity, $3 bundle id, $4 environment.
    static let count = """
        SELECT count(*) FILTER (WHERE r.closed_at IS NULL AND r.dead_at IS NULL),
            count(*) FILTER (WHERE r.closed_by = 'broadcast'),
            (
                SELECT count(*) FROM channel_listener l
                WHERE l.tenant = $1 AND l.activity_id = $2 AND l.bundle_id = $3
                    AND l.environment = $4 AND l.closed_at IS NULL
            ) + (\(started))
        FROM registration r
        WHERE r.tenant = $1 AND r.activity_id = $2 AND r.bundle_id = $3 AND r.environment = $4
        """

    /// Started while there was a channel, by a push that says which; they need not ask for it.
    private static let started = """
        SELECT count(DISTINCT c.device_id) FROM card_start c
        JOIN start_device d ON d.tenant = c.tenant AND d.id = c.device_id AND d.bundle_id = $3
        WHERE c.tenant = $1 AND c.activity_id = $2 AND c.state = 'started'
            AND EXISTS (
                SELECT FROM start_token t
                JOIN channel h ON h.tenant = t.tenant AND h.activity_id = c.activity_id
                    AND h.bundle_id = $3 AND h.environment = t.environment AND h.state = 'open'
                WHERE t.tenant = d.tenant AND t.device_id = d.id AND t.environment = $4
                    AND t.os_major >= 18 AND h.opened_at <= c.first_tried_at
            )
            AND NOT EXISTS (
                SELECT FROM channel_listener l
                WHERE l.tenant = $1 AND l.activity_id = $2 AND l.installation = d.installation
                    AND l.bundle_id = d.bundle_id
            )
            AND NOT EXISTS (
                SELECT FROM registration r
                WHERE r.tenant = $1 AND r.activity_id = $2 AND r.installation = d.installation
                    AND r.bundle_id = d.bundle_id
            )
        """
}
