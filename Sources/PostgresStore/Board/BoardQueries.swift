import Domain
import EventStore
import Postgres

/// What `BoardStore` asks. Each part ends at its bound, along an index of its own.
enum BoardQueries {
    private static let generation = "(SELECT live_generation($1))"

    /// Sorts behind everything that begins with a text.
    private static let end = "chr(1114111)"

    /// $1 tenant, $2 what ids begin with, $3 what words begin with, $4 how many of each sort. What
    /// is meant has all the words, of which some may be in no index. So a word says the more, the
    /// fewer activities have it.
    static let search = """
        SELECT s.* FROM (
            (
                SELECT i.activity_id FROM snapshot i
                WHERE i.tenant = $1 AND i.generation = \(generation)
                    AND i.activity_id >= $2 COLLATE "C"
                    AND i.activity_id < ($2 || \(end)) COLLATE "C"
                ORDER BY i.activity_id LIMIT $4
            ) UNION (
                SELECT l.activity_id FROM unnest($3::text[]) AS b (word) CROSS JOIN LATERAL (
                    SELECT activity_id, 1::float8 / count(*) OVER () AS rarity FROM (
                        SELECT w.activity_id FROM activity_word w
                        WHERE w.tenant = $1 AND w.word >= b.word COLLATE "C"
                            AND w.word < (b.word || \(end)) COLLATE "C"
                        ORDER BY w.word, w.activity_id LIMIT $4
                    ) bounded
                ) l
                GROUP BY l.activity_id ORDER BY sum(l.rarity) DESC, l.activity_id LIMIT $4
            ) UNION (
                SELECT n.activity_id FROM snapshot n
                WHERE n.tenant = $1 AND n.generation = \(generation) AND n.position > 0
                ORDER BY n.position DESC LIMIT $4
            )
        ) found CROSS JOIN LATERAL (
            SELECT \(Snapshot.columns) FROM snapshot
            WHERE tenant = $1 AND generation = \(generation) AND activity_id = found.activity_id
            LIMIT 1
        ) s
        """

    /// $1 tenant, $2 activities. Only the newest decisions are looked at: what was said before them
    /// is long ago, and cards that are not served any more only where none is.
    static let deliveryProgress = """
        SELECT i.activity_id, p.phones, p.up_to_date, p.waiting, gone.gone_by, p.heard, p.heard_at,
            taken.version, taken.settled_at, taken.channels_accepted,
            said.version, said.verdict, said.rule, said.decided_at, said.details, said.is_pending
        FROM unnest($2::text[]) AS i (activity_id)
        CROSS JOIN LATERAL (
            SELECT count(*) AS phones, max(r.sent_version) AS heard,
                (array_agg(r.accepted_at ORDER BY r.sent_version DESC, r.accepted_at))[1]
                    AS heard_at,
                count(*) FILTER (WHERE r.retry_at IS NULL AND r.attempts = 0) AS up_to_date,
                count(*) FILTER (WHERE r.retry_at IS NOT NULL) AS waiting
            FROM (
                SELECT r.retry_at, r.attempts, r.sent_version, r.accepted_at FROM registration r
                WHERE r.tenant = $1 AND r.activity_id = i.activity_id
                    AND r.dead_at IS NULL AND r.closed_at IS NULL
                ORDER BY r.id LIMIT \(Limits.progressPhonesMax)
            ) r
        ) p
        LEFT JOIN LATERAL (
            SELECT \(CardTally.reason(ifClosed: "r.closed_at IS NOT NULL")) AS gone_by
            FROM registration r
            WHERE p.phones = 0 AND r.tenant = $1 AND r.activity_id = i.activity_id
                AND (r.closed_at IS NOT NULL OR r.dead_at IS NOT NULL)
            ORDER BY least(r.closed_at, r.dead_at) DESC LIMIT 1
        ) gone ON true
        LEFT JOIN LATERAL (
            SELECT d.version, d.settled_at, d.channels_accepted FROM (\(latest)) d
            WHERE d.accepted + d.channels_accepted > 0 ORDER BY d.version DESC LIMIT 1
        ) taken ON true
        LEFT JOIN LATERAL (
            SELECT d.version, d.verdict, d.rule, d.decided_at, d.details,
                d.settled_at IS NULL AS is_pending
            FROM (\(latest)) d WHERE d.verdict <> 'hold' ORDER BY d.version DESC LIMIT 1
        ) said ON true
        """

    private static let latest = """
        SELECT d.version, d.verdict, d.rule, d.decided_at, \(Decision.details.source("d.")),
            d.settled_at, d.accepted, coalesce(d.channels_accepted, 0) AS channels_accepted
        FROM decision d WHERE d.tenant = $1 AND d.activity_id = i.activity_id
        ORDER BY d.version DESC LIMIT \(Limits.progressDecisionsMax)
        """

    /// $1 tenant, $2 activity, $3 the id to begin after, $4 how many.
    static let living = """
        SELECT \(PhoneRow.columns) FROM registration
        WHERE tenant = $1 AND activity_id = $2 AND dead_at IS NULL AND closed_at IS NULL
            AND id > $3
        ORDER BY id LIMIT $4
        """

    /// $1 tenant, $2 activity. The newest of them.
    static let gone = """
        SELECT \(PhoneRow.columns) FROM registration
        WHERE tenant = $1 AND activity_id = $2
            AND (closed_at IS NOT NULL OR dead_at IS NOT NULL)
        ORDER BY least(closed_at, dead_at) DESC LIMIT \(Limits.gonePhonesMax)
        """

    /// $1 tenant, $2 activity. Given up: by `registration_given_up_of_activity`. Waiting because
    /// nothing is sent for their app: by `registration_held_of_activity`. No index has those that
    /// wait for another try alone, which are looked for among some of `registration_living`.
    static let behind = """
        SELECT \(PhoneRow.columns) FROM registration
        WHERE tenant = $1 AND id = ANY (ARRAY(
            (
                SELECT r.id FROM registration r
                WHERE r.tenant = $1 AND r.activity_id = $2 AND \(DeadLetterQueries.isPush)
                ORDER BY r.given_up_at DESC LIMIT \(Limits.behindPhonesMax)
            ) UNION ALL (
                SELECT r.id FROM registration r
                WHERE r.tenant = $1 AND r.activity_id = $2 AND \(AppQueries.isDeferred("r"))
                ORDER BY r.bundle_id, r.environment, r.last_failure
                LIMIT \(Limits.behindPhonesMax)
            ) UNION ALL (
                SELECT r.id FROM (
                    SELECT r.id, r.retry_at, r.last_failure FROM registration r
                    WHERE r.tenant = $1 AND r.activity_id = $2
                        AND r.dead_at IS NULL AND r.closed_at IS NULL
                    ORDER BY r.id LIMIT \(Limits.servedPhonesReadMax)
                ) r
                WHERE r.retry_at IS NOT NULL AND (\(AppQueries.isDeferred("r"))) IS NOT TRUE
                LIMIT \(Limits.behindPhonesMax)
            )
        ))
        ORDER BY retry_at IS NOT NULL, id
        """

    /// $1 tenant.
    static let progress = """
        SELECT c.position, h.position, (
            SELECT e.recorded_at FROM event e
            WHERE e.tenant = c.tenant AND e.position = c.position + 1
        ) FROM projection_checkpoint c JOIN log_head h ON h.tenant = c.tenant WHERE c.tenant = $1
        """

    /// $1 tenant, $2 how many at most.
    static let blocked = """
        SELECT count(*) FROM (
            SELECT FROM snapshot s
            WHERE s.tenant = $1 AND s.generation = \(generation) AND s.fault IS NOT NULL
            LIMIT $2
        ) bounded
        """

    /// $1 tenant. Of the newest parked events those that block nothing: they are of another kind
    /// than their activity.
    static let parked = """
        SELECT count(*) FROM (
            SELECT p.activity_id, p.is_skipped FROM parked_event p
            WHERE p.tenant = $1 AND p.generation = \(generation)
            ORDER BY p.position DESC LIMIT \(Limits.attentionCountMax)
        ) newest
        WHERE NOT is_skipped AND (
            SELECT s.fault FROM snapshot s
            WHERE s.tenant = $1 AND s.generation = \(generation)
                AND s.activity_id = newest.activity_id AND s.fault IS NOT NULL
        ) IS NULL
        """

    /// $1 tenant, $2 now.
    static let late = """
        SELECT count(*) FROM (
            SELECT FROM (
                SELECT s.phase, s.promised_at, s.expected_at, s.actual_at FROM snapshot s
                WHERE s.tenant = $1 AND s.generation = \(generation) AND s.phase <> 'ended'
                LIMIT \(Limits.overviewActivitiesMax)
            ) open
            WHERE is_late(phase, promised_at, expected_at, actual_at, $2)
            LIMIT \(Limits.attentionCountMax)
        ) bounded
        """

    /// $1 tenant. Whether a phone ever registered, and whether APNs ever accepted a push: one at a
    /// registration stands with the phone alone, and one to a phone that was owed nothing in the
    /// ledger alone. An old tenant is not looked through: each look ends at its bound, along
    /// `registration_key`, `channel_key`, `decision_alert` or `decision_key`. The oldest alerts
    /// were accepted even if APNs accepts nothing just now.
    static let beginnings = """
        SELECT EXISTS (SELECT FROM registration r WHERE r.tenant = $1),
            EXISTS (
                SELECT FROM (
                    SELECT is_proven FROM registration WHERE tenant = $1
                    ORDER BY id DESC LIMIT \(Limits.attentionCountMax)
                ) r WHERE r.is_proven
            ) OR EXISTS (
                SELECT FROM (
                    SELECT sent_version FROM channel WHERE tenant = $1
                    ORDER BY id DESC LIMIT \(Limits.attentionCountMax)
                ) c WHERE c.sent_version > 0
            ) OR \(isAccepted("alert IS NOT NULL", by: "position DESC"))
            OR \(isAccepted("alert IS NOT NULL", by: "position"))
            OR \(isAccepted("true", by: "activity_id, version"))
        """

    /// For a phone or a channel, of the first decisions in an order.
    private static func isAccepted(_ condition: String, by order: String) -> String {
        """
        EXISTS (
            SELECT FROM (
                SELECT accepted, channels_accepted FROM decision
                WHERE tenant = $1 AND \(condition)
                ORDER BY \(order) LIMIT \(Limits.attentionCountMax)
            ) d WHERE d.accepted > 0 OR d.channels_accepted > 0
        )
        """
    }
}
