import Domain
import EventStore

/// Claiming what is known by its key, and giving it back.
extension ClaimQueries {
    /// Locks what a look has found. Another node may have sent it since, so it is asked again.
    static let lockFound = lockAndStamp(where: hasAnythingDue)

    /// Locks activities of which this node has a claim hint, if a decision is due.
    static let lockHinted = lockAndStamp(where: hasDueDecision)

    /// Takes the free locks of the keys for this session, and stamps those for which the condition
    /// holds (see `stamp`). Returns a row for each key that it has locked, with its stamp, or with
    /// nulls if there is nothing to send or the activity's second is not over.
    /// $1 now or null, $2 and $3 keys, $4 the node's name.
    ///
    /// The inner `OFFSET 0`: no lock is taken of a closed tenant.
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

    /// Returns the first $3 served phones of each of the keys $1 and $2. Fewer are all.
    static let phones = """
        SELECT k.*, r.* FROM unnest($1::int4[], $2::text[]) AS k (tenant, activity_id)
        CROSS JOIN LATERAL (
            SELECT \(Registration.columns) FROM registration
            WHERE tenant = k.tenant AND activity_id = k.activity_id AND dead_at IS NULL
                AND closed_at IS NULL
            ORDER BY id LIMIT $3
        ) r
        """

    /// Completes many fan-outs, each under its claim. Clears what `delivery_state` has of the
    /// fan-out and its node, deletes the pending decisions up to `completes`, and writes the
    /// outcome into the ledger's rows of these. Returns the keys, without those that were claimed
    /// again since.
    ///
    /// Joined by `ctid`, so that the planner can only use the key's index. The written columns of
    /// the ledger are in no index, so that its updates are HOT.
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
