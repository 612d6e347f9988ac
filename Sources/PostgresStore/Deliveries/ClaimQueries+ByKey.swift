import Domain
import EventStore

/// Claiming what is known by its key, and giving it back.
extension ClaimQueries {
    /// Locks what was found by a look. The node that owned a lock before may have sent it since.
    static let lockFound = lockAndStamp(where: hasAnythingDue)

    /// Locks what this node has decided.
    static let lockDecided = lockAndStamp(where: hasDueDecision)

    /// Every key whose advisory lock this session gets now, with its timestamp, made durable as by
    /// `stamp`; without one if there is nothing to send, or the activity's second is not over.
    /// $1 now or null, $2 and $3 keys, $4 the node's name.
    private static func lockAndStamp(where condition: String) -> String {
        """
        WITH locked AS MATERIALIZED (
            SELECT k.tenant, k.activity_id
            FROM (
                SELECT * FROM unnest($2::int4[], $3::text[]) AS k (tenant, activity_id)
                WHERE \(ClosedTenants.leftOut(by: "k.tenant")) OFFSET 0
            ) k
            WHERE pg_try_advisory_lock(k.tenant, hashtext(k.activity_id))
        ), stamped AS (
            \(stamp("locked k", where: condition))
        )
        SELECT l.tenant, l.activity_id, s.last_timestamp, s.claimed_at, s.taken_from,
            s.round_version, s.round_cursor, s.round_accepted, s.round_failed, s.round_timestamp
        FROM locked l
        LEFT JOIN stamped s ON s.tenant = l.tenant AND s.activity_id = l.activity_id
        """
    }

    /// $1 and $2 keys, $3 how many of each: fewer are all.
    static let phones = """
        SELECT k.*, r.* FROM unnest($1::int4[], $2::text[]) AS k (tenant, activity_id)
        CROSS JOIN LATERAL (
            SELECT \(Registration.columns) FROM registration
            WHERE tenant = k.tenant AND activity_id = k.activity_id AND dead_at IS NULL
                AND closed_at IS NULL
            ORDER BY id LIMIT $3
        ) r
        """

    /// Completes many activities, each under its claim. No row comes back for one of which a later
    /// claim was given out. Only decisions that the claims showed are completed: later ones are yet
    /// to be sent. Rows are found by where they are, so that only the keys can lead to them. No
    /// index has what the ledger's rows are completed by, so these updates are HOT.
    static let complete = """
        WITH fence AS MATERIALIZED (
            UPDATE delivery_state s SET round_version = NULL, round_cursor = NULL,
                round_accepted = NULL, round_failed = NULL, round_timestamp = NULL,
                claimed_by = NULL, taken_from = NULL
            FROM unnest(
                $1::int4[], $2::text[], $3::int8[], $4::int8[], $5::int8[], $6::int8[],
                $7::int4[], $8::int4[], $9::timestamptz[], $10::int4[], $11::int4[]
            ) AS i (
                tenant, activity_id, claim, completes, carried_by, sent_timestamp, accepted, failed,
                settled_at, channels_accepted, channels_failed
            )
            WHERE s.tenant = i.tenant AND s.activity_id = i.activity_id
                AND s.last_timestamp = i.claim
            RETURNING i.*
        ), sent AS (
            DELETE FROM pending_decision q USING fence f
            CROSS JOIN LATERAL (
                SELECT p.ctid FROM pending_decision p
                WHERE p.tenant = f.tenant AND p.activity_id = f.activity_id
                    AND p.version <= f.completes
                OFFSET 0
            ) p
            WHERE q.ctid = p.ctid
            RETURNING q.version, f.*
        ), completed AS (
            UPDATE decision d SET carried_by = f.carried_by, sent_timestamp = f.sent_timestamp,
                accepted = f.accepted, failed = f.failed, settled_at = f.settled_at,
                channels_accepted = nullif(f.channels_accepted, 0),
                channels_failed = nullif(f.channels_failed, 0)
            FROM sent f
            CROSS JOIN LATERAL (
                SELECT p.ctid FROM decision p
                WHERE p.tenant = f.tenant AND p.activity_id = f.activity_id
                    AND p.version = f.version
                OFFSET 0
            ) p
            WHERE d.ctid = p.ctid
        )
        SELECT tenant, activity_id FROM fence
        """
}
