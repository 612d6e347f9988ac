import Domain
import EventStore
import Foundation
import Postgres

enum ErasureQueries {
    /// What an erasure's transaction begins with. A generic plan takes the tenant for one like
    /// others: of one that it does not know yet the planner expects nothing, and would go through
    /// all that there is of it while its head is locked.
    static let begin = """
        SET LOCAL lock_timeout = '\(Limits.refoldLockSecondsMax)s';
        SET LOCAL plan_cache_mode = force_generic_plan
        """

    static let state = """
        SELECT c.position, k.key IS NOT NULL, k.erased_at,
            EXISTS (SELECT FROM projection_rebuild r WHERE r.tenant = c.tenant)
        FROM projection_checkpoint c
        LEFT JOIN subject_key k ON k.tenant = c.tenant AND k.activity_id = $2
        WHERE c.tenant = $1
        """

    static let events = """
        SELECT \(RecordedEvent.columns) FROM event
        WHERE tenant = $1 AND activity_id = $2 ORDER BY version
        """

    static let unfolded = """
        SELECT position FROM parked_event
        WHERE tenant = $1 AND generation = live_generation($1) AND activity_id = $2
        """

    static let decisions = """
        SELECT \(Decision.columns) FROM decision
        WHERE tenant = $1 AND activity_id = $2 ORDER BY version
        """

    static let keys = """
        SELECT activity_id, key FROM subject_key
        WHERE tenant = $1 AND activity_id = ANY ($2::text[]) AND key IS NOT NULL
        """

    /// Random to 244 bits: Postgres has no other way to strong random bytes without an extension.
    private static let randomKey = """
        sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
        """

    static let makeKeys = """
        INSERT INTO subject_key (tenant, activity_id, key)
        SELECT $1, a, \(randomKey) FROM unnest($2::text[]) AS a
        ON CONFLICT ON CONSTRAINT subject_key_key DO NOTHING
        """

    /// Makes new keys for what was erased and has something new.
    static let renewKeys = """
        UPDATE subject_key SET key = \(randomKey)
        WHERE tenant = $1 AND activity_id = ANY ($2::text[]) AND key IS NULL
        """

    static let erasedCount = """
        SELECT count(*) FROM subject_key WHERE tenant = $1 AND erased_at IS NOT NULL
        """

    /// The key goes first: the log can be rewritten then, and what an archive seals with it
    /// meanwhile is erased too.
    static func write(
        _ changes: ErasureChanges, _ tenant: TenantID, _ activity: ActivityID, checkpoint: Int64
    ) -> [Statement] {
        let one: [Parameter] = [.tenant(tenant), .activity(activity)]
        var statements = [Statement(destroyKey, one)]
        guard !changes.events.isEmpty || changes.snapshot != nil else { return statements }
        statements += [
            Statement(
                rewriteEvents,
                one + [
                    .int8s(changes.events.map(\.position)),
                    .jsonbs(changes.events.map(\.event.data)),
                ]),
            Statement(
                rewriteDecisions, [.tenant(tenant)] + Decision.list.arrays(changes.decisions)),
            Statement(forgetOthers, one),
            Statement(forgetWords, one + [.texts(changes.formerWords)]),
        ]
        if let snapshot = changes.snapshot {
            statements += [
                .write([snapshot], tenant), .writeNotices([activity: checkpoint], tenant),
            ]
        }
        return statements + [
            .touchCheckpoint(tenant), .notify(.folded, tenant),
        ]
    }

    /// Not before anything that is recorded: by the time it is known what was decided before.
    private static let destroyKey = """
        INSERT INTO subject_key (tenant, activity_id, erased_at)
        VALUES ($1, $2, greatest(
            clock_timestamp(), (SELECT recorded_at FROM log_head WHERE tenant = $1)))
        ON CONFLICT ON CONSTRAINT subject_key_key
            DO UPDATE SET key = NULL, erased_at = excluded.erased_at
        """

    private static let rewriteEvents = """
        UPDATE event e SET data = i.data
        FROM unnest($3::int8[], $4::jsonb[]) AS i (position, data)
        WHERE e.tenant = $1 AND e.activity_id = $2 AND e.position = i.position
        """

    /// Results stay, and so does what is still to be sent, without the texts.
    private static let rewriteDecisions = """
        UPDATE decision d SET (\(Decision.list.names)) = ROW(i.*),
            reason = NULL, significance = NULL, news = NULL, content_state = NULL,
            plain_order = NULL, relevance_score = NULL, stale_at = NULL
        FROM \(Decision.list.unnested(from: 2)) AS i (\(Decision.list.names))
        WHERE d.tenant = $1 AND d.activity_id = i.activity_id AND d.version = i.version
        """

    /// Snapshots of generations that are live no more. Each is looked up by its whole key: without
    /// the generation, all of a tenant's would be read.
    static let forgetOthers = """
        DELETE FROM snapshot
        WHERE tenant = $1 AND activity_id = $2 AND generation = ANY (ARRAY(
            SELECT g FROM generate_series(
                1, (SELECT max(generation) FROM snapshot WHERE tenant = $1)
            ) AS g
            WHERE g <> (SELECT live_generation($1))
        ))
        """

    private static let forgetWords = """
        DELETE FROM activity_word
        WHERE tenant = $1 AND activity_id = $2 AND word = ANY ($3::text[])
        """
}
