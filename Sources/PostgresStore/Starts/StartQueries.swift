import Domain
import EventStore
import Postgres

/// What the sender reads and writes about starts.
enum StartQueries {
    /// For `StartCandidate.init(_: Row)`, of a device `d` with a start `c` or none. A token counts
    /// while it lives and follows a topic of the audience. $1 tenant, $2 activity, $3 kind.
    private static let columns = """
        \(ofDevice), EXISTS (
            SELECT FROM registration r
            WHERE r.tenant = $1 AND r.activity_id = $2 AND r.installation = d.installation
                AND r.bundle_id = d.bundle_id
        ) OR EXISTS (
            SELECT FROM channel_listener l
            WHERE l.tenant = $1 AND l.activity_id = $2 AND l.installation = d.installation
                AND l.bundle_id = d.bundle_id
        ), 0::int8, NULL::int8
        """

    /// What all candidates have first.
    static let ofDevice = """
        d.id, d.bundle_id, t.push_token, t.environment, t.token_version, t.put_at, t.locale,
        t.os_major, d.budget, d.budget_version, c.state, c.attempts, c.first_tried_at, c.due_at,
        c.reason
        """

    private static let token = """
        LEFT JOIN start_token t ON t.tenant = d.tenant AND t.device_id = d.id AND t.kind = $3
            AND t.dead_at IS NULL AND EXISTS (
                SELECT FROM activity_audience a
                JOIN start_topic s ON s.tenant = a.tenant AND s.kind = $3
                    AND s.topic = ANY (a.topics) AND s.device_id = d.id
                WHERE a.tenant = $1 AND a.activity_id = $2
            )
        """

    /// $4 device after which, $5 limit, $6 now.
    static let due = open("c.due_at <= $6 AND c.state <> 'trying'")

    /// $4 device after which, $5 limit, $6 reasons, $7 until later than when, or null for all.
    static let held = open(
        """
        c.due_at IS NOT NULL AND c.state = 'held' AND c.reason = ANY ($6)
            AND c.due_at > coalesce($7::timestamptz, '-infinity')
        """)

    private static func open(_ condition: String) -> String {
        """
        SELECT \(columns)
        FROM (
            SELECT * FROM card_start c
            WHERE c.tenant = $1 AND c.activity_id = $2 AND c.device_id > $4 AND c.lap = 0
                AND \(condition)
            ORDER BY c.device_id LIMIT $5
        ) c
        JOIN start_device d ON d.tenant = c.tenant AND d.id = c.device_id
        \(token)
        ORDER BY d.id
        """
    }

    /// One page of each topic, of which the first devices are the page of all. $4 device after
    /// which, $5 limit.
    static let page = """
        SELECT \(columns)
        FROM (
            SELECT DISTINCT f.device_id
            FROM activity_audience a
            CROSS JOIN LATERAL unnest(a.topics) AS w (topic)
            CROSS JOIN LATERAL (
                SELECT s.device_id FROM start_topic s
                WHERE s.tenant = $1 AND s.kind = $3 AND s.topic = w.topic AND s.device_id > $4
                ORDER BY s.device_id LIMIT $5
            ) f
            WHERE a.tenant = $1 AND a.activity_id = $2
            ORDER BY f.device_id LIMIT $5
        ) f
        JOIN start_device d ON d.tenant = $1 AND d.id = f.device_id
        LEFT JOIN card_start c ON c.tenant = $1 AND c.activity_id = $2 AND c.device_id = d.id
            AND c.lap = 0
        \(token)
        ORDER BY d.id
        """

    /// No row when a later claim was given out.
    static let fence = "WITH fence AS MATERIALIZED (\(Statement.claimFence))"

    static let markLeftoverStartsUnknown = """
        \(fence), lost AS (
            UPDATE card_start c SET state = 'unknown', due_at = NULL,
                reason = '\(CardStart.cutShort)', changed_at = clock_timestamp()
            FROM fence f
            WHERE c.tenant = f.tenant AND c.activity_id = f.activity_id AND c.due_at IS NOT NULL
                AND c.state = 'trying' AND c.claimed_by <> $3
        )
        SELECT FROM fence
        """

    /// $4 version of the wish, null for fresh cards, which no wish is needed for; $5 devices, $6
    /// states, $7 attempts, $8 first tries, $9 due times, $10 reasons, $11 budgets, $12 versions of
    /// budgets, $13 restart versions, $14 registrations of the cards to be ended; $15 devices to be
    /// forgotten and $16 their restart versions. Devices are locked in their order, since other
    /// activities start cards on them as well.
    static let begin = """
        \(fence), audience AS MATERIALIZED (
            SELECT a.tenant, a.activity_id, a.put_version
            FROM activity_audience a
            JOIN fence f ON f.tenant = a.tenant AND f.activity_id = a.activity_id
            WHERE a.put_version = $4 FOR SHARE OF a
        ), wish AS MATERIALIZED (
            SELECT * FROM audience
            UNION ALL SELECT f.tenant, f.activity_id, 0 FROM fence f WHERE $4::int4 IS NULL
        ), i AS MATERIALIZED (
            SELECT * FROM unnest(
                $5::int8[], $6::text[], $7::int4[], $8::timestamptz[], $9::timestamptz[],
                $10::text[], $11::json[], $12::int8[], $13::int8[], $14::int8[]
            ) AS i (
                device_id, state, attempts, first_tried_at, due_at, reason, budget, budget_version,
                lap, ends_registration
            )
        ), payer AS MATERIALIZED (
            SELECT d.tenant, d.id FROM start_device d
            JOIN wish w ON w.tenant = d.tenant
            WHERE (d.id, d.budget_version) IN (
                SELECT i.device_id, i.budget_version FROM i WHERE i.state = 'trying'
            )
            ORDER BY d.id FOR UPDATE OF d
        ), paid AS (
            UPDATE start_device d SET budget = i.budget, budget_version = d.budget_version + 1
            FROM payer p JOIN i ON i.device_id = p.id
            WHERE d.tenant = p.tenant AND d.id = p.id
            RETURNING d.id
        ), forgotten AS (
            DELETE FROM card_start c USING wish w
            WHERE c.tenant = w.tenant AND c.activity_id = w.activity_id
                AND (c.device_id, c.lap) IN (SELECT * FROM unnest($15::int8[], $16::int8[]))
                AND c.state IN ('waiting', 'held')
        ), written AS (
            INSERT INTO card_start AS c (
                tenant, activity_id, device_id, state, attempts, first_tried_at, due_at, reason,
                put_version, claimed_by, lap, ends_registration
            )
            SELECT w.tenant, w.activity_id, i.device_id, o.state,
                i.attempts - o.unpaid::int4,
                CASE WHEN o.unpaid AND i.attempts <= 1 THEN NULL ELSE i.first_tried_at END,
                CASE WHEN o.unpaid THEN 'epoch' ELSE i.due_at END, i.reason, w.put_version,
                CASE WHEN o.state = 'trying' THEN $3 END, i.lap, i.ends_registration
            FROM wish w CROSS JOIN i
            LEFT JOIN paid p ON p.id = i.device_id
            CROSS JOIN LATERAL (SELECT i.state = 'trying' AND p.id IS NULL AS unpaid) u
            CROSS JOIN LATERAL (
                SELECT u.unpaid, CASE WHEN u.unpaid THEN 'waiting' ELSE i.state END AS state
            ) o
            ON CONFLICT ON CONSTRAINT card_start_key DO UPDATE SET
                state = excluded.state, attempts = excluded.attempts,
                first_tried_at = excluded.first_tried_at, due_at = excluded.due_at,
                reason = excluded.reason, put_version = excluded.put_version,
                claimed_by = excluded.claimed_by, changed_at = clock_timestamp(),
                ends_registration = excluded.ends_registration
            WHERE c.state IN ('waiting', 'held')
            RETURNING c.device_id, c.state
        )
        SELECT device_id FROM written WHERE state = 'trying'
        UNION ALL SELECT NULL FROM fence
        """

    static func parameters(of intents: [StartIntent], _ claim: DeliveryClaim) -> [Parameter] {
        let starts = intents.compactMap { intent in
            intent.start.map { (intent: intent, start: $0) }
        }
        let forgotten = intents.filter { $0.start == nil }
        let isForWish = intents.allSatisfy { $0.candidate.restartVersion == 0 }
        let candidates = starts.map(\.intent.candidate)
        return [
            .int4(isForWish ? claim.audience?.putVersion ?? 0 : nil),
            .int8s(candidates.map(\.deviceID)),
            .texts(starts.map(\.start.state.rawValue)),
            .int4s(starts.map { Int32(clamping: $0.start.attempts) }),
            .timestamps(starts.map { $0.start.firstTriedAt?.timestamp }),
            .timestamps(starts.map { $0.start.dueAt?.timestamp }),
            .texts(starts.map(\.start.reason)), .jsons(starts.map(\.intent.budget)),
            .int8s(candidates.map(\.budgetVersion)), .int8s(candidates.map(\.restartVersion)),
            .int8s(candidates.map(\.replacedRegistrationID)),
            .int8s(forgotten.map(\.candidate.deviceID)),
            .int8s(forgotten.map(\.candidate.restartVersion)),
        ]
    }

    /// That a start `c` was tried by the claim and by no later one, and that nobody but its sender
    /// can know the result.
    private static let isUnanswered = """
        c.claimed_by = $3 AND (c.state = 'trying'
            OR (c.state = 'unknown' AND c.reason = '\(CardStart.cutShort)'))
        """

    static let record = "\(fence), \(recording)"

    /// What comes before `recordAfterLosingClaim`, as a statement of its own: a statement does not
    /// see what was written while it waited. Of a connection that broke, the server may still carry
    /// out `begin`.
    /// The lock also keeps the statements out that write under a later claim: they go through the
    /// same starts, in another order. $1 tenant, $2 activity.
    static let lock = "\(deliveryState) FOR UPDATE"

    private static let deliveryState = """
        SELECT tenant, activity_id FROM delivery_state WHERE tenant = $1 AND activity_id = $2
        """

    /// The same although the activity may be another claim's by now.
    static let recordAfterLosingClaim =
        "WITH fence AS MATERIALIZED (\(deliveryState)), \(recording)"

    /// $4 kind, $5 version of the wish, $6 cursor or null; $7 devices, $8 states, $9 attempts, $10
    /// first tries, $11 due times, $12 reasons, $13 versions of tokens, $14 whether they are dead,
    /// $15 restart versions, $16 budgets to be put back and $17 their versions as read, null for
    /// the others. Where the app has put another token meanwhile, that one is tried. Once a fresh
    /// card is started, the old one is sent no updates, and its end is due; while it is not, the
    /// claim has the old one only. The old one has another registration if its token was rotated
    /// meanwhile. That is looked for by the installation, of which there is one open card; it may
    /// be the fresh one's, which has rotated from none. Devices are locked as `begin` does, before
    /// their starts.
    private static let recording = """
        i AS MATERIALIZED (
            SELECT i.*, i.is_dead AND EXISTS (
                SELECT FROM start_token t
                WHERE t.tenant = $1 AND t.device_id = i.device_id AND t.kind = $4
                    AND t.token_version <> i.token_version
            ) AS is_renewed
            FROM unnest(
                $7::int8[], $8::text[], $9::int4[], $10::timestamptz[], $11::timestamptz[],
                $12::text[], $13::int4[], $14::bool[], $15::int8[], $16::json[], $17::int8[]
            ) AS i (
                device_id, state, attempts, first_tried_at, due_at, reason, token_version, is_dead,
                lap, budget, budget_version
            )
        ), payer AS MATERIALIZED (
            SELECT d.tenant, d.id FROM start_device d
            JOIN fence f ON f.tenant = d.tenant
            WHERE (d.id, d.budget_version) IN (
                SELECT i.device_id, i.budget_version + 1 FROM i
                JOIN card_start c ON c.tenant = $1 AND c.activity_id = $2
                    AND c.device_id = i.device_id AND c.lap = i.lap AND \(isUnanswered)
                WHERE i.budget_version IS NOT NULL
            )
            ORDER BY d.id FOR UPDATE OF d
        ), repaid AS (
            UPDATE start_device d SET budget = i.budget, budget_version = d.budget_version + 1
            FROM payer p JOIN i ON i.device_id = p.id
            WHERE d.tenant = p.tenant AND d.id = p.id
            RETURNING d.id
        ), written AS (
            UPDATE card_start c SET
                state = CASE WHEN i.is_renewed THEN 'waiting' ELSE i.state END,
                due_at = CASE
                    WHEN i.is_renewed
                        OR (i.state = 'started' AND c.ends_registration IS NOT NULL) THEN 'epoch'
                    ELSE i.due_at END,
                ends_registration = CASE WHEN i.state = 'started' THEN coalesce((
                    SELECT n.id FROM registration n
                    WHERE n.tenant = c.tenant AND n.activity_id = c.activity_id
                        AND n.installation = (
                            SELECT o.installation FROM registration o
                            WHERE o.tenant = c.tenant AND o.id = c.ends_registration
                        )
                        AND n.closed_at IS NULL AND n.rotated_from = c.ends_registration
                ), c.ends_registration) ELSE c.ends_registration END,
                claimed_by = CASE WHEN c.lap = 0 OR i.state = 'started' THEN c.claimed_by END,
                attempts = i.attempts, first_tried_at = i.first_tried_at, reason = i.reason,
                changed_at = clock_timestamp()
            FROM fence f, i LEFT JOIN repaid p ON p.id = i.device_id
            WHERE c.tenant = f.tenant AND c.activity_id = f.activity_id
                AND c.device_id = i.device_id AND c.lap = i.lap AND \(isUnanswered)
            RETURNING c.tenant, c.state, c.ends_registration
        ), replaced AS (
            UPDATE registration r SET closed_at = coalesce(r.closed_at, clock_timestamp()),
                closed_by = coalesce(r.closed_by, 'replaced'), has_successor = true,
                retry_at = NULL, sent_version = \(CardQueries.deliveredVersion("r"))
            FROM written w
            WHERE w.state = 'started' AND r.tenant = w.tenant AND r.id = w.ends_registration
        ), dead AS (
            UPDATE start_token t SET dead_at = clock_timestamp(), last_failure = i.reason
            FROM fence f, i
            WHERE t.tenant = f.tenant AND t.device_id = i.device_id AND t.kind = $4
                AND i.is_dead AND t.token_version = i.token_version
        ), moved AS (
            UPDATE activity_audience a SET cursor = greatest(a.cursor, $6::int8)
            FROM fence f
            WHERE a.tenant = f.tenant AND a.activity_id = f.activity_id AND a.put_version = $5
                AND $6::int8 IS NOT NULL
        )
        SELECT FROM fence
        """

    static func parameters(
        of results: [StartResult], _ claim: DeliveryClaim, cursor: Int64?
    ) -> [Parameter] {
        let candidates = results.map(\.candidate)
        return [
            .text(claim.snapshot.kind), .int4(claim.audience?.putVersion), .int8(cursor),
            .int8s(candidates.map(\.deviceID)), .texts(results.map(\.start.state.rawValue)),
            .int4s(results.map { Int32(clamping: $0.start.attempts) }),
            .timestamps(results.map { $0.start.firstTriedAt?.timestamp }),
            .timestamps(results.map { $0.start.dueAt?.timestamp }),
            .texts(results.map(\.start.reason)), .int4s(candidates.map { $0.token?.version }),
            .bools(results.map(\.isTokenDead)), .int8s(candidates.map(\.restartVersion)),
            .jsons(results.map { $0.isUnsent ? $0.candidate.budget : nil }),
            .int8s(results.map { $0.isUnsent ? $0.candidate.budgetVersion : nil }),
        ]
    }

    /// $4 version of the wish. What is to be looked at after the claim's second stays due.
    static let finish = """
        \(fence), finished AS (
            UPDATE activity_audience a SET due_at = NULL FROM fence f
            WHERE a.tenant = f.tenant AND a.activity_id = f.activity_id AND a.put_version = $4
                AND a.due_at < to_timestamp($3::int8 + 1)
        )
        SELECT FROM fence
        """

    static let close = """
        \(fence), closed AS (
            UPDATE activity_audience a SET due_at = NULL, closed_at = clock_timestamp()
            FROM fence f WHERE a.tenant = f.tenant AND a.activity_id = f.activity_id
        ), unlisted AS (
            DELETE FROM audience_topic w USING fence f
            WHERE w.tenant = f.tenant AND w.activity_id = f.activity_id
        ), dropped AS (
            UPDATE card_start c SET state = 'needless', due_at = NULL, reason = 'ended',
                changed_at = clock_timestamp()
            FROM fence f
            WHERE c.tenant = f.tenant AND c.activity_id = f.activity_id AND c.due_at IS NOT NULL
                AND c.state IN ('waiting', 'held')
        )
        SELECT FROM fence
        """
}
