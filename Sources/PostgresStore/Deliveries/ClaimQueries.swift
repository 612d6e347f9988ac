import Domain
import EventStore

/// The sender's questions about what there is to send.
///
/// `OFFSET 0` is there so that rows are found by their key, also when much waits.
enum ClaimQueries {
    /// $1 is the time in tests and virtual time. Otherwise the database's clock counts, so that all
    /// nodes agree about an activity's second.
    private static let clock = "coalesce($1::timestamptz, statement_timestamp())"

    private static let clockSeconds = "floor(extract(epoch FROM \(clock)))::int8"

    /// That no end came before the pending decision `d`: only then it is sent.
    private static let isBeforeEnd = hasNoEndBefore("")

    private static func hasNoEndBefore(_ bound: String) -> String {
        """
        NOT EXISTS (
            SELECT FROM decision e
            WHERE e.tenant = d.tenant AND e.activity_id = d.activity_id AND e.verdict = 'end'
                AND e.version < d.version \(bound)
        )
        """
    }

    private static let isSendTimeReached = "coalesce(d.send_after <= \(clock), true)"

    /// A pending decision `d` whose time has come. The activity's other decisions are sent with
    /// it, but not with anything else that is due: see `DeliveryClaim.upcoming`.
    static let isDue = "\(isBeforeEnd) AND \(isSendTimeReached)"

    /// The same for few decisions: an end is looked up for each, instead of joining all ends.
    static let isDueByKey = "\(hasNoEndBefore("OFFSET 0")) AND \(isSendTimeReached)"

    /// That the activity of a key `k` has a decision that is due.
    static let hasDueDecision = """
        EXISTS (
            SELECT FROM pending_decision d
            WHERE d.tenant = k.tenant AND d.activity_id = k.activity_id AND \(isDue)
            OFFSET 0
        )
        """

    /// Activities with phones that are owed their state, each with the first time. There is no
    /// state yet if a phone registered before the first event. Grouped first: activities are fewer.
    private static func owedPhones(where condition: String) -> String {
        """
        SELECT r.tenant, r.activity_id, r.due FROM (
            SELECT r.tenant, r.activity_id, min(r.retry_at) AS due FROM registration r
            WHERE \(condition) GROUP BY r.tenant, r.activity_id
        ) r
        WHERE \(hasState("r"))
        """
    }

    /// An open channel `o` that is owed its activity's state, and there is one.
    private static let isChannelOwed = """
        o.state = 'open' AND o.retry_at IS NOT NULL AND \(hasState("o"))
        """

    private static func hasState(_ alias: String, _ condition: String = "") -> String {
        """
        EXISTS (
            SELECT FROM snapshot p
            JOIN projection_checkpoint c
                ON c.tenant = p.tenant AND c.generation = p.generation
            WHERE p.tenant = \(alias).tenant AND p.activity_id = \(alias).activity_id \(condition)
            OFFSET 0
        )
        """
    }

    /// A start or audience `alias` that is waiting, of an activity that is known, not blocked and
    /// awaits no event for its attributes. It may have ended: then its audience is closed.
    private static func isStartable(_ alias: String) -> String {
        "\(alias).due_at IS NOT NULL AND "
            + hasState(alias, "AND p.fault IS NULL AND p.awaits IS NULL")
    }

    /// Activities with something due besides decisions: phones, starts, channels.
    private static func owed(phones: String) -> String {
        """
        \(phones)
        UNION ALL
        SELECT a.tenant, a.activity_id FROM activity_audience a
        WHERE a.due_at <= \(clock) AND \(isStartable("a"))
        UNION ALL
        SELECT t.tenant, t.activity_id FROM card_start t
        WHERE t.due_at <= \(clock) AND \(isStartable("t"))
        UNION ALL
        SELECT o.tenant, o.activity_id FROM channel o
        WHERE o.retry_at <= \(clock) AND \(isChannelOwed)
        """
    }

    /// What is owed to all phones, by activity: for a look.
    private static let owedToPhones = """
        SELECT p.tenant, p.activity_id
        FROM (\(owedPhones(where: "r.retry_at <= \(clock)"))) p
        """

    /// Returns up to $4 keys of activities that have something due and whose lock nobody has
    /// (true), then up to $5 others with due decisions (false), which may be claimed later without
    /// a look. Writes nothing: its locks end with the transaction. $1 now or null, $2 and $3 keys
    /// owned already.
    ///
    /// Tenants take turns by `rank`, so that no tenant waits for all that waits of another.
    /// Materialized, so that locks are tried one row at a time until the limit is reached.
    static let look = """
        WITH candidate AS MATERIALIZED (
            SELECT c.tenant, c.activity_id, c.is_decided, row_number() OVER (
                PARTITION BY c.tenant ORDER BY coalesce(s.last_timestamp, 0)
            ) AS rank
            FROM (
                SELECT c.tenant, c.activity_id, bool_or(c.is_decided) AS is_decided
                FROM (
                    SELECT d.tenant, d.activity_id, true AS is_decided FROM pending_decision d
                    WHERE \(isDue)
                    UNION ALL
                    SELECT o.tenant, o.activity_id, false FROM (\(owed(phones: owedToPhones))) o
                ) c
                WHERE \(isNotOwned("c", "$2", "$3"))
                    AND \(ClosedTenants.leftOut(by: "c.tenant"))
                GROUP BY c.tenant, c.activity_id
            ) c
            \(stateOf("c"))
            WHERE coalesce(s.last_timestamp, 0) < \(clockSeconds)
            ORDER BY rank, coalesce(s.last_timestamp, 0)
        ), free AS MATERIALIZED (
            SELECT tenant, activity_id FROM candidate
            WHERE pg_try_advisory_xact_lock(tenant, hashtext(activity_id)) LIMIT $4::int8
        )
        SELECT tenant, activity_id, true FROM free
        UNION ALL
        (
            SELECT c.tenant, c.activity_id, false FROM candidate c
            WHERE c.is_decided AND (c.tenant, c.activity_id) NOT IN (TABLE free)
            LIMIT $5::int8
        )
        """

    /// That the activity of a key `k` has something to send. Phones are found by the index of those
    /// that are owed something, since an activity may have a million.
    static let hasAnythingDue = """
        \(hasDueDecision) OR (k.tenant, k.activity_id) IN (\(owed(phones: owedPhone)))
        """

    private static let owedPhone = """
        SELECT r.tenant, r.activity_id FROM registration r
        WHERE r.retry_at <= \(clock) AND \(hasState("r"))
        """

    /// As the other `stamp`, for keys that are locked and have something to send.
    /// $1 now or null, $2 and $3 keys, $4 the node's name.
    static let stamp = stamp(
        "unnest($2::int4[], $3::text[]) AS k (tenant, activity_id)", where: hasAnythingDue)

    /// Writes the next timestamp and this node's name into `delivery_state` of those keys `k` for
    /// which the condition holds and whose second is over. Returns a row for each of them, as
    /// `ClaimStamp` reads it: with the node that had claimed it and how far its fan-out came.
    static func stamp(_ keys: String, where condition: String) -> String {
        """
        INSERT INTO delivery_state AS s (tenant, activity_id, last_timestamp, claimed_by)
        SELECT k.tenant, k.activity_id, \(clockSeconds), $4::text FROM \(keys)
        WHERE \(condition)
        ON CONFLICT ON CONSTRAINT delivery_state_key DO UPDATE
            SET last_timestamp = greatest(s.last_timestamp + 1, excluded.last_timestamp),
                claimed_by = excluded.claimed_by, taken_from = CASE
                    WHEN s.claimed_by <> excluded.claimed_by THEN s.claimed_by END
            WHERE s.last_timestamp < excluded.last_timestamp
        RETURNING tenant, activity_id, last_timestamp, \(clock) AS claimed_at, taken_from,
            round_version, round_cursor, round_accepted, round_failed, round_timestamp
        """
    }

    /// Rows of `table` for each of the keys.
    private static func ofKeys(
        _ table: String, _ alias: String, where condition: String
    ) -> String {
        """
        unnest($1::int4[], $2::text[]) AS k (tenant, activity_id)
        CROSS JOIN LATERAL (
            SELECT * FROM \(table) \(alias)
            WHERE \(alias).tenant = k.tenant AND \(alias).activity_id = k.activity_id
                AND \(condition)
            OFFSET 0
        ) \(alias)
        """
    }

    /// Returns a row for each key that has a snapshot: the revision of the tenant's policies, the
    /// audience, the newest restart that is not carried out to the end, whether fresh cards of it
    /// are due, and the snapshot. $1 and $2 keys, $3 now or null.
    ///
    /// A closed audience is returned as well while a start of it is due: the phone put its token
    /// just as the audience was closed. Such a start ends like those that were there before.
    /// `BETWEEN` keeps the order by activity, so that the snapshot is found by its whole key.
    static let snapshots = """
        SELECT k.tenant, k.activity_id, h.policy_epoch, a.put_version, a.cursor, a.is_due, t.lap,
            t.may_start, s.*
        FROM (SELECT coalesce($3::timestamptz, statement_timestamp())) AS n (now),
            unnest($1::int4[], $2::text[]) AS k (tenant, activity_id)
        JOIN projection_checkpoint c ON c.tenant = k.tenant
        JOIN log_head h ON h.tenant = k.tenant
        LEFT JOIN LATERAL (
            SELECT a.put_version, a.cursor, coalesce(a.due_at <= n.now, false) OR w.is_due AS is_due
            FROM activity_audience a
            CROSS JOIN LATERAL (
                SELECT EXISTS (
                    SELECT FROM card_start t
                    WHERE t.tenant = a.tenant AND t.activity_id = a.activity_id
                        AND t.due_at <= n.now AND t.lap = 0
                ) AS is_due
            ) w
            WHERE a.tenant = k.tenant AND a.activity_id = k.activity_id
                AND (a.closed_at IS NULL OR w.is_due)
            OFFSET 0
        ) a ON true
        CROSS JOIN LATERAL (
            SELECT max(t.lap) AS lap,
                coalesce(bool_or(t.state IN ('waiting', 'held') AND t.due_at <= n.now), false)
                    AS may_start
            FROM card_start t
            WHERE t.tenant = k.tenant AND t.activity_id = k.activity_id
                AND t.lap > 0 AND (t.due_at IS NOT NULL OR \(RestartQueries.isEnding("t")))
        ) t
        CROSS JOIN LATERAL (
            SELECT \(Snapshot.columns) FROM snapshot
            WHERE tenant = k.tenant AND generation = c.generation
                AND activity_id BETWEEN k.activity_id AND k.activity_id
            ORDER BY activity_id LIMIT 1
        ) s
        """

    /// Returns of each key the newest completed decision that pushed, and after it those that are
    /// pending (true), by version. $1 and $2 keys.
    static let decisions = """
        SELECT d.tenant, d.activity_id, d.settled_at IS NULL,
            \(Decision.list.sources(of: "d"))
        FROM (
            SELECT d.* FROM unnest($1::int4[], $2::text[]) AS k (tenant, activity_id)
            CROSS JOIN LATERAL (
                SELECT * FROM decision d
                WHERE d.tenant = k.tenant AND d.activity_id = k.activity_id
                    AND d.settled_at IS NOT NULL AND d.verdict <> 'hold'
                ORDER BY d.version DESC LIMIT 1
            ) d
            UNION ALL
            SELECT s.* FROM \(ofKeys("pending_decision", "d", where: isBeforeEnd))
            CROSS JOIN LATERAL (
                SELECT * FROM decision s
                WHERE s.tenant = d.tenant AND s.activity_id = d.activity_id
                    AND s.version = d.version
                OFFSET 0
            ) s
        ) d
        ORDER BY d.tenant, d.activity_id, d.version
        """

    /// Returns the newest pending version of the keys $1 and $2. Fails while a tenant is closed.
    static let newestPending = """
        SELECT max(d.version), refuse_if_closed($1)
        FROM \(ofKeys("pending_decision", "d", where: isBeforeEnd))
        """

    /// Returns the channels of the keys $1 and $2 that are not closed.
    static let channels = """
        SELECT \(Channel.columns) FROM \(ofKeys("channel", "c", where: "c.closed_at IS NULL"))
        ORDER BY c.id
        """

    /// Gives back the locks of the keys $1 and $2, except those that are also locks of the keys $3
    /// and $4. Two keys may share a lock: if it was taken for the second alone, it must stay.
    static let unlock = """
        SELECT pg_advisory_unlock(tenant, hashtext(activity_id))
        FROM unnest($1::int4[], $2::text[]) AS k (tenant, activity_id)
        WHERE (tenant, hashtext(activity_id)) NOT IN (
            SELECT s.tenant, hashtext(s.activity_id)
            FROM unnest($3::int4[], $4::text[]) AS s (tenant, activity_id)
        )
        """

    /// Takes the node's name $3 off the keys $1 and $2, so that a claim given back on purpose does
    /// not look like a dead node's. Does not wait for standbys: the locks are given back after it.
    static let giveBack = """
        UPDATE delivery_state s SET claimed_by = NULL
        FROM set_config('synchronous_commit', 'off', true),
            unnest($1::int4[], $2::text[]) AS k (tenant, activity_id)
        WHERE s.tenant = k.tenant AND s.activity_id = k.activity_id AND s.claimed_by = $3
        """

    /// Returns when the next decision, phone, start or channel is due and its activity's second is
    /// over; null if nothing waits. $1 and $2 keys that do not count: owned already, or soon.
    static let nextDue = """
        SELECT min(greatest(c.due, to_timestamp(coalesce(s.last_timestamp + 1, 0))))
        FROM (
            SELECT d.tenant, d.activity_id, coalesce(d.send_after, 'epoch') AS due
            FROM pending_decision d WHERE \(isBeforeEnd)
            UNION ALL
            \(owedPhones(where: "r.retry_at IS NOT NULL"))
            UNION ALL
            SELECT a.tenant, a.activity_id, a.due_at FROM activity_audience a
            WHERE \(isStartable("a"))
            UNION ALL
            SELECT t.tenant, t.activity_id, t.due_at FROM (
                SELECT t.tenant, t.activity_id, min(t.due_at) AS due_at FROM card_start t
                WHERE t.due_at IS NOT NULL GROUP BY t.tenant, t.activity_id
            ) t
            WHERE \(isStartable("t"))
            UNION ALL
            SELECT o.tenant, o.activity_id, o.retry_at FROM channel o
            WHERE \(isChannelOwed)
        ) c
        \(stateOf("c"))
        WHERE \(isNotOwned("c", "$1", "$2")) AND \(ClosedTenants.leftOut(by: "c.tenant"))
        """

    /// Joins the activity's `delivery_state` as `s`, found by its key.
    private static func stateOf(_ alias: String) -> String {
        """
        LEFT JOIN LATERAL (
            SELECT s.last_timestamp FROM delivery_state s
            WHERE s.tenant = \(alias).tenant AND s.activity_id = \(alias).activity_id
            OFFSET 0
        ) s ON true
        """
    }

    /// `NOT IN` and not `NOT EXISTS`, since Postgres hashes the keys then.
    private static func isNotOwned(_ alias: String, _ tenants: String, _ names: String) -> String {
        """
        (\(alias).tenant, \(alias).activity_id) NOT IN (
            SELECT h.tenant, h.activity_id
            FROM unnest(\(tenants)::int4[], \(names)::text[]) AS h (tenant, activity_id)
        )
        """
    }
}
