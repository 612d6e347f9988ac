import Domain
import Postgres

/// A phone that listens to an activity's channel, as far as the rules look at it.
struct ListenerRow: RowDecodable {
    var bundleID: String
    /// Nil when nobody knows it any more.
    var environment: String?
    var state: CardState
    /// There is no row yet: a card was started on the phone, and it has said nothing of it.
    var isStarted: Bool

    init(from row: inout RowReader) throws(PostgresError) {
        bundleID = try row.get()
        environment = try row.optional()
        state = CardState(
            installation: try row.get(),
            closing: try row.optional(as: String.self).flatMap(Closing.init))
        isStarted = try row.get()
    }

    /// $1 tenant, $2 activity, $3 installation; without it that of the token $4 counts.
    static let find = """
        WITH phone AS (
            SELECT coalesce($3, (
                SELECT t.installation FROM registration t
                WHERE t.tenant = $1 AND t.activity_id = $2 AND t.push_token = $4
            )) AS installation
        )
        SELECT l.bundle_id, l.environment, l.installation, l.closed_by, false
        FROM phone n
        JOIN channel_listener l
            ON l.tenant = $1 AND l.activity_id = $2 AND l.installation = n.installation
        ORDER BY l.asked_at
        """

    /// Started cards may listen without having asked, and one of which nobody knows whether it
    /// appeared did if it tells of itself. $1 tenant, $2 activity, $3 installation.
    static let findStarted = """
        SELECT d.bundle_id, (
                SELECT t.environment FROM start_token t
                WHERE t.tenant = d.tenant AND t.device_id = d.id ORDER BY t.put_at DESC LIMIT 1
            ), d.installation, NULL, true
        FROM start_device d
        JOIN card_start c ON c.tenant = d.tenant AND c.activity_id = $2 AND c.device_id = d.id
        WHERE d.tenant = $1 AND d.installation = $3
            AND c.state IN ('trying', 'started', 'unknown')
        ORDER BY c.changed_at
        """

    /// For `CardQueries.closing`, where `kept` says that the cards are as they were read. $8
    /// bundle id or null to write nothing, $9 environment, $10 installation, $11 new closing; $12
    /// closing as read, null when there was no row.
    static let write = """
        heard AS (
            INSERT INTO channel_listener AS l (
                tenant, activity_id, installation, bundle_id, environment, asked_at, closed_at,
                closed_by
            )
            SELECT $1, $2, $10, $8, $9, clock_timestamp(),
                CASE WHEN $11::text IS NOT NULL THEN clock_timestamp() END, $11
            FROM kept WHERE $8::text IS NOT NULL
            ON CONFLICT ON CONSTRAINT channel_listener_key DO UPDATE SET
                environment = excluded.environment,
                asked_at = CASE WHEN $11::text IS NULL THEN excluded.asked_at ELSE l.asked_at END,
                closed_at = excluded.closed_at, closed_by = excluded.closed_by
            WHERE coalesce(l.closed_by, '') = $12
            RETURNING l.installation
        )
        """
}
