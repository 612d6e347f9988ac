import Domain
import EventStore
import Postgres

/// What the sender reads and writes about fresh cards that take the place of old ones.
enum RestartQueries {
    /// As those of `StartQueries`, of an open registration `r` or none. $1 tenant, $2 activity, $3
    /// kind, $4 restart version.
    private static let columns = "\(StartQueries.ofDevice), false, $4::int8, r.id"

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
                AND c.due_at <= $7 AND c.state IN ('waiting', 'held')
            ORDER BY c.device_id LIMIT $6
        ) c
        JOIN start_device d ON d.tenant = c.tenant AND d.id = c.device_id
        LEFT JOIN registration r ON \(isOpen) AND r.installation = d.installation
            AND r.bundle_id = d.bundle_id
        LEFT JOIN start_token t ON \(isTokenOfCard)
        ORDER BY d.id
        """

    /// $4 restart version. What waits for an earlier one is overtaken.
    static let overtake = """
        \(StartQueries.fence), overtaken AS (
            DELETE FROM card_start c USING fence f
            WHERE c.tenant = f.tenant AND c.activity_id = f.activity_id AND c.lap > 0
                AND c.lap < $4 AND c.state IN ('waiting', 'held')
        )
        SELECT FROM fence
        """

    /// That the old card of a start is still to be ended: it has not died, and the fresh one is on
    /// its phone. APNs has accepted that one, or nobody knows, and the app has registered another
    /// token since, which only a card has. Should that be the old card's own new one, nobody
    /// listens at the old one any more.
    static func isEnding(_ start: String) -> String {
        """
        (\(start).ends_registration IS NOT NULL AND EXISTS (
            SELECT FROM registration o
            WHERE o.tenant = \(start).tenant AND o.id = \(start).ends_registration
                AND o.dead_at IS NULL AND (\(start).state = 'started'
                    OR (\(start).state = 'unknown' AND o.closed_by = 'replaced'))
        ))
        """
    }

    /// Old cards that a fresh one has taken the place of. $1 tenant, $2 activity, $3 registration
    /// after which, $4 limit.
    static let replaced = """
        SELECT \(Registration.columns) FROM registration
        WHERE tenant = $1 AND id > $3 AND id IN (
            SELECT c.ends_registration FROM card_start c
            WHERE c.tenant = $1 AND c.activity_id = $2 AND c.lap > 0 AND \(isEnding("c"))
        )
        ORDER BY id LIMIT $4
        """

    /// A start `c` of the activity that has come to its end.
    private static let isOver = """
        c.tenant = f.tenant AND c.activity_id = f.activity_id AND c.lap > 0
            AND c.state IN ('started', 'unknown')
        """

    /// $4 registrations, $5 when their ends are tried again or null, $6 why. A card that was sent
    /// its end is not served again, if nothing has opened it meanwhile.
    static let ended = """
        \(StartQueries.fence), i AS MATERIALIZED (
            SELECT * FROM unnest($4::int8[], $5::timestamptz[], $6::text[])
                AS i (id, due_at, reason)
        ), ended AS (
            UPDATE card_start c SET due_at = i.due_at,
                ends_registration = CASE WHEN i.due_at IS NOT NULL THEN i.id END
            FROM fence f, i
            WHERE \(isOver) AND c.ends_registration = i.id
        ), needless AS (
            UPDATE card_start c SET due_at = NULL FROM fence f
            WHERE \(isOver) AND c.due_at IS NOT NULL AND c.ends_registration <> ALL ($4::int8[])
                AND NOT \(isEnding("c"))
        ), failed AS (
            UPDATE registration r SET last_failure = i.reason,
                attempts = \(AppQueries.attempts("r", after: "i.reason"))
            FROM fence f, i
            WHERE r.tenant = f.tenant AND r.id = i.id AND i.due_at IS NOT NULL
        ), past AS (
            UPDATE registration r SET has_successor = true FROM fence f, i
            WHERE r.tenant = f.tenant AND r.id = i.id AND i.due_at IS NULL
                AND r.closed_at IS NOT NULL AND NOT r.has_successor
        )
        SELECT FROM fence
        """

    static func parameters(of results: [PhoneResult]) -> [Parameter] {
        let again = results.map { result -> (at: Moment, reason: String)? in
            if case .retry(let at, let reason) = result.effect { (at, reason) } else { nil }
        }
        return [
            .int8s(results.map(\.registrationID)), .timestamps(again.map { $0?.at.timestamp }),
            .texts(again.map { $0?.reason }),
        ]
    }
}
