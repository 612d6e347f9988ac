/// What the sender reads and writes about fresh cards that take the place of old ones.
enum RestartQueries {
    /// As those of `StartQueries`, of an open registration `r` or none. $1 tenant, $2 activity, $3
    /// kind, $4 lap.
    private static let columns = """
        d.id, d.bundle_id, t.push_token, t.environment, t.token_version, t.put_at, t.locale,
        t.os_major, d.budget, d.budget_version, c.state, c.attempts, c.first_tried_at, c.due_at,
        c.reason, false, $4::int8, r.id
        """

    private static let isOpen = """
        r.tenant = $1 AND r.activity_id = $2 AND r.dead_at IS NULL AND r.closed_at IS NULL
        """

    private static let isTokenOfCard = """
        t.tenant = d.tenant AND t.device_id = d.id AND t.kind = $3 AND t.dead_at IS NULL
            AND t.environment = r.environment
        """

    /// $5 registration after which, $6 limit.
    static let page = """
        SELECT \(columns)
        FROM registration r
        JOIN start_device d ON d.tenant = r.tenant AND d.installation = r.installation
            AND d.bundle_id = r.bundle_id
        JOIN start_token t ON \(isTokenOfCard)
        LEFT JOIN card_start c ON c.tenant = $1 AND c.activity_id = $2 AND c.device_id = d.id
            AND c.lap = $4
        WHERE \(isOpen) AND r.id > $5
        ORDER BY r.id LIMIT $6
        """

    /// $5 device after which, $6 limit, $7 now.
    static let due = """
        SELECT \(columns)
        FROM (
            SELECT * FROM card_start c
            WHERE c.tenant = $1 AND c.activity_id = $2 AND c.lap = $4 AND c.device_id > $5
                AND c.due_at <= $7 AND c.state <> 'trying'
            ORDER BY c.device_id LIMIT $6
        ) c
        JOIN start_device d ON d.tenant = c.tenant AND d.id = c.device_id
        LEFT JOIN registration r ON \(isOpen) AND r.installation = d.installation
            AND r.bundle_id = d.bundle_id
        LEFT JOIN start_token t ON \(isTokenOfCard)
        ORDER BY d.id
        """

    /// $4 lap. What waits for an earlier one is overtaken.
    static let overtake = """
        \(StartQueries.fence), overtaken AS (
            DELETE FROM card_start c USING fence f
            WHERE c.tenant = f.tenant AND c.activity_id = f.activity_id AND c.lap > 0
                AND c.lap < $4 AND c.state IN ('waiting', 'held')
        )
        SELECT FROM fence
        """

    /// That the fresh card of a start is on its phone: APNs has accepted it, or nobody knows, and
    /// the app has registered another token since, which only a card has. Should that be the old
    /// card's own new one, nobody listens at the old one any more.
    static func isThere(_ start: String) -> String {
        """
        (\(start).state = 'started' OR (\(start).state = 'unknown' AND EXISTS (
            SELECT FROM registration o
            WHERE o.tenant = \(start).tenant AND o.id = \(start).ends_registration
                AND o.closed_by = 'replaced'
        )))
        """
    }

    /// Old cards that a fresh one has taken the place of. $1 tenant, $2 activity, $3 registration
    /// after which, $4 limit.
    static let replaced = """
        SELECT \(Registration.columns) FROM registration
        WHERE tenant = $1 AND id > $3 AND id IN (
            SELECT c.ends_registration FROM card_start c
            WHERE c.tenant = $1 AND c.activity_id = $2 AND c.lap > 0
                AND c.ends_registration IS NOT NULL AND \(isThere("c"))
        )
        ORDER BY id LIMIT $4
        """

    /// $4 registrations.
    static let ended = """
        \(StartQueries.fence), ended AS (
            UPDATE card_start c SET ends_registration = NULL FROM fence f
            WHERE c.tenant = f.tenant AND c.activity_id = f.activity_id AND c.lap > 0
                AND c.ends_registration = ANY ($4::int8[])
        )
        SELECT FROM fence
        """
}
