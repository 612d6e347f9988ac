extension OptimisticAppend {
    /// One event, of an activity whose version is known: as values it costs Postgres two thirds of
    /// what it would as arrays.
    static let one = """
        WITH \(head(where: isNewEvent))
        \(insert)
        SELECT $1, head.before + 1, $6, $7, $9, $8, $10, $11, $12, head.recorded_at, $13, $14
        FROM head
        RETURNING position - 1, NULL::bigint[], recorded_at, (SELECT policy_epoch FROM head)
        """

    /// Several, or one of an activity that is looked up. Last versions go into one array, because
    /// looking into that costs the same whatever the planner makes of it. It is null where all are
    /// known.
    static let many = """
        WITH \(head(where: areNewEvents)), last AS (
            SELECT array_agg(coalesce(
                (SELECT e.version FROM event e
                WHERE e.tenant = $1 AND e.activity_id = a.activity_id
                ORDER BY e.version DESC LIMIT 1), 0) ORDER BY a.number) AS versions
            FROM unnest($15::text[]) WITH ORDINALITY AS a (activity_id, number)
        ), inserted AS (
            \(insert)
            SELECT $1, head.before + i.ordinal, i.activity_id,
                coalesce(last.versions[i.number], 0) + i.version, i.event_id, i.source,
                i.type, i.schema_version, i.occurred_at, head.recorded_at, i.data, i.extensions
            FROM head, last, unnest(
                $6::text[], $7::bigint[], $8::text[], $9::text[], $10::text[], $11::integer[],
                $12::timestamptz[], $13::jsonb[], $14::jsonb[], $16::integer[]
            ) WITH ORDINALITY AS i (
                activity_id, version, source, event_id, type, schema_version, occurred_at,
                data, extensions, number, ordinal
            )
        )
        SELECT head.before, last.versions, head.recorded_at, head.policy_epoch FROM head, last
        """

    /// Goes before a statement that relies on no head: what that sees is what is there when it has
    /// the lock.
    static let lockHead = "SELECT FROM log_head WHERE tenant = $1 FOR UPDATE"

    /// Moving the head locks it, so positions are dense and in commit order.
    private static func head(where condition: String) -> String {
        """
        head AS (
            UPDATE log_head SET position = position + $2, tag = $3,
                recorded_at = greatest(recorded_at, clock_timestamp())
            WHERE tenant = $1 AND position = coalesce($4, position) AND tag = coalesce($5, tag)
                AND \(condition)
            RETURNING position - $2 AS before, recorded_at, policy_epoch
        )
        """
    }

    /// That the event of `row` is not known already. The unique index would say so as well, but as
    /// an error, with a line in the server's log for each.
    private static let isNewEvent = """
        NOT EXISTS (
            SELECT FROM event k WHERE k.tenant = $1 AND k.source = $8 AND k.event_id = $9
        )
        """

    /// That no event of `columns` is known already. One look into the unique index each, whatever
    /// the planner makes of it.
    private static let areNewEvents = """
        NOT EXISTS (
            SELECT FROM unnest($8::text[], $9::text[]) AS k (source, event_id)
            WHERE (
                SELECT true FROM event e
                WHERE e.tenant = $1 AND e.source = k.source AND e.event_id = k.event_id
            )
        )
        """

    private static let insert = """
        INSERT INTO event (
            tenant, position, activity_id, version, event_id, source, type, schema_version,
            occurred_at, recorded_at, data, extensions
        )
        """
}
