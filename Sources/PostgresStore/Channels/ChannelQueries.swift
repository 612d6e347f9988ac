import Domain
import EventStore
import Postgres

/// What is asked and written about channels.
enum ChannelQueries {
    /// $1 tenant, $2 activity, $3 bundle id, $4 environment, $5 storage.
    static let want = """
        INSERT INTO channel AS c (
            tenant, activity_id, bundle_id, environment, storage, state, retry_at, wanted_at
        )
        VALUES ($1, $2, $3, $4, $5, 'wanted', 'epoch', clock_timestamp())
        ON CONFLICT (tenant, activity_id, bundle_id, environment) WHERE closed_at IS NULL
            DO NOTHING
        RETURNING \(Channel.columns)
        """

    /// $1 tenant, $2 activity, $3 bundle id, $4 environment.
    static let current = """
        SELECT \(Channel.columns) FROM channel c
        WHERE c.tenant = $1 AND c.activity_id = $2 AND c.bundle_id = $3 AND c.environment = $4
            AND c.closed_at IS NULL
        """

    /// $1 tenant, $2 activity, $3 bundle id.
    static let find = """
        SELECT DISTINCT ON (c.environment) \(Channel.columns) FROM channel c
        WHERE c.tenant = $1 AND c.activity_id = $2 AND c.bundle_id = $3
        ORDER BY c.environment, c.closed_at IS NOT NULL, c.id DESC
        """

    /// Channels that are to be made, or looked at again, whose time has come. Tenants take turns,
    /// so that what waits of one, however much, keeps nobody else waiting. A tenant that has some
    /// to be made is found by the index from the one before. Time and id are compared as a pair,
    /// which only that index can do: the planner might else take the index of all tenants' times,
    /// and read it from its beginning for each of them.
    private static let candidates = """
        tenants (id) AS (
            SELECT 0
            UNION ALL
            SELECT (
                SELECT c.tenant FROM channel c WHERE c.tenant > t.id AND c.state = 'wanted'
                ORDER BY c.tenant, c.retry_at, c.id LIMIT 1
            ) FROM tenants t WHERE t.id IS NOT NULL
        ), candidate AS MATERIALIZED (
            SELECT c.tenant, c.id, c.due,
                row_number() OVER (PARTITION BY c.tenant ORDER BY c.due, c.id) AS rank
            FROM (
                SELECT c.* FROM tenants t
                CROSS JOIN LATERAL (
                    SELECT c.tenant, c.id, c.retry_at AS due FROM channel c
                    WHERE c.tenant = t.id AND c.state = 'wanted'
                        AND (c.retry_at, c.id) <= (\(lookedAt), \(Int64.max))
                    ORDER BY c.tenant, c.retry_at, c.id LIMIT $2::int8
                ) c
                WHERE \(ClosedTenants.leftOut(by: "t.id"))
                UNION ALL
                (
                    SELECT c.tenant, c.id, c.look_at FROM channel c
                    WHERE c.look_at <= \(lookedAt) AND \(ClosedTenants.leftOut(by: "c.tenant"))
                    ORDER BY c.look_at LIMIT \(Limits.channelLooksMax)
                )
            ) c
        )
        """

    /// The time at which the statement began. `clock_timestamp()` changes during it, so no index
    /// leads to what is due by that.
    private static let lookedAt = WebhookQueries.clock("$1")

    /// $1 now or null, $2 limit. Who is given a wanted one has ten seconds to ask for it, and who
    /// asks has a minute for the answer; an open one is looked at every ten.
    static let take = """
        WITH RECURSIVE \(candidates), due AS MATERIALIZED (
            SELECT c.tenant, c.id FROM (
                SELECT d.* FROM candidate d
                ORDER BY d.rank, d.due, d.id LIMIT \(Limits.channelsTriedMax)
            ) d
            JOIN channel c ON c.tenant = d.tenant AND c.id = d.id
            WHERE CASE c.state WHEN 'wanted' THEN c.retry_at ELSE c.look_at END <= \(lookedAt)
            ORDER BY d.rank, d.due, d.id LIMIT $2::int8 FOR UPDATE OF c SKIP LOCKED
        ), taken AS (
            UPDATE channel c SET
                retry_at = CASE c.state
                    WHEN 'wanted' THEN \(lookedAt) + interval '10 s' ELSE c.retry_at END,
                look_at = CASE c.state
                    WHEN 'open' THEN \(lookedAt) + interval '600 s'
                    WHEN 'creating' THEN \(lookedAt) + interval '60 s' END
            FROM due WHERE c.tenant = due.tenant AND c.id = due.id
            RETURNING c.*
        )
        SELECT \(Channel.columns), s.phase, greatest(s.updated_at, (
                SELECT max(d.dismiss_at) FROM decision d
                WHERE d.tenant = c.tenant AND d.activity_id = c.activity_id
                    AND d.verdict = 'end'
            )), \(lookedAt)
        FROM taken c
        LEFT JOIN (
            SELECT p.* FROM snapshot p
            JOIN projection_checkpoint k
                ON k.tenant = p.tenant AND k.generation = p.generation
        ) s ON s.tenant = c.tenant AND s.activity_id = c.activity_id
        """

    static func change(
        _ channel: Channel, _ change: ChannelChange, _ now: Moment?
    ) -> Statement {
        let clock = WebhookQueries.clock("$11")
        return Statement(
            """
            UPDATE channel c SET state = $3, channel_id = coalesce($4, c.channel_id),
                attempts = $5, retry_at = $6, last_failure = $7,
                look_at = CASE $3 WHEN 'creating' THEN \(clock) + interval '60 s'
                    WHEN 'open' THEN \(clock) + interval '600 s' END,
                opened_at = CASE WHEN $3 = 'open' THEN \(clock) ELSE c.opened_at END,
                closed_at = CASE WHEN $8::bool THEN NULL ELSE \(clock) END
            WHERE c.tenant = $1 AND c.id = $2 AND c.state = $9
                AND (c.state = 'open' OR c.attempts = $10)
            RETURNING c.id
            """,
            [
                .tenant(channel.tenant), .int8(channel.id), .text(change.state.rawValue),
                .text(change.channelID), .int4(Int32(clamping: change.attempts)),
                .moment(change.retryAt), .text(change.failure), .bool(change.state.isCurrent),
                .text(channel.state.rawValue), .int4(Int32(clamping: channel.attempts)),
                .moment(now),
            ])
    }

    /// An answer about a channel that is another one by now is void.
    static func record(_ sent: [SentBroadcast], under claim: DeliveryClaim) -> Statement {
        let columns = sent.map { BroadcastColumns($0.result) }
        return Statement(
            """
            WITH fence AS MATERIALIZED (
                \(Statement.claimFence)
            ), recorded AS (
                UPDATE channel c SET
                    state = CASE WHEN i.is_lost THEN 'lost' ELSE c.state END,
                    sent_version = greatest(c.sent_version, coalesce(i.sent_version, 0)),
                    attempts = CASE
                        WHEN i.sent_version IS NULL THEN c.attempts + 1 ELSE 0 END,
                    retry_at = i.retry_at, last_failure = i.failure,
                    look_at = CASE WHEN i.is_lost THEN NULL ELSE c.look_at END,
                    closed_at = CASE WHEN i.is_lost THEN clock_timestamp() END
                FROM fence f, unnest(
                        $4::int8[], $5::int8[], $6::timestamptz[], $7::text[], $8::bool[]
                    ) AS i (id, sent_version, retry_at, failure, is_lost)
                WHERE c.tenant = f.tenant AND c.activity_id = f.activity_id AND c.id = i.id
                    AND c.state = 'open'
                RETURNING c.*
            ), wanted AS (
                INSERT INTO channel (
                    tenant, activity_id, bundle_id, environment, storage, state, retry_at,
                    wanted_at
                )
                SELECT r.tenant, r.activity_id, r.bundle_id, r.environment, r.storage, 'wanted',
                    'epoch', clock_timestamp()
                FROM recorded r WHERE r.state = 'lost' AND $9::bool
            )
            SELECT count(*) FROM fence HAVING count(*) > 0
            """,
            Statement.fenceParameters(claim) + [
                .int8s(sent.map(\.channel.id)), .int8s(columns.map(\.sentVersion)),
                .timestamps(columns.map { $0.retryAt?.timestamp }),
                .texts(columns.map(\.failure)), .bools(columns.map(\.isLost)),
                .bool(claim.snapshot.phase != .ended),
            ])
    }

    /// $1 tenant, $2 bundle id, $3 environment, $4 opened by then; of those that are wanted instead
    /// $5 state, $6 attempts, $7 when they are asked for, $8 why they are not there. The channels
    /// are locked in their order, since two nodes may learn it at a time.
    static let loseAll = """
        WITH gone AS MATERIALIZED (
            SELECT c.tenant, c.id FROM channel c
            WHERE c.tenant = $1 AND c.bundle_id = $2 AND c.environment = $3
                AND c.closed_at IS NULL AND c.state = 'open' AND c.opened_at <= $4
            ORDER BY c.id FOR UPDATE
        ), lost AS (
            UPDATE channel c SET state = 'lost', attempts = c.attempts + 1, retry_at = NULL,
                last_failure = $8, look_at = NULL, closed_at = clock_timestamp()
            FROM gone g WHERE c.tenant = g.tenant AND c.id = g.id
            RETURNING c.*
        )
        INSERT INTO channel (
            tenant, activity_id, bundle_id, environment, storage, state, attempts, retry_at,
            last_failure, wanted_at
        )
        SELECT l.tenant, l.activity_id, l.bundle_id, l.environment, l.storage, $5, $6::int4,
            $7::timestamptz, $8::text, clock_timestamp()
        FROM lost l
        """

    static let all = """
        SELECT \(Channel.columns) FROM channel c
        WHERE c.closed_at IS NULL ORDER BY c.tenant, c.id
        """

    /// $1 bundle id, $2 environment.
    static let count = """
        SELECT count(*) FROM channel
        WHERE bundle_id = $1 AND environment = $2 AND closed_at IS NULL AND state = 'open'
        """
}

/// A result as the channel's columns have it.
private struct BroadcastColumns {
    var sentVersion: Int64?
    var retryAt: Moment?
    var failure: String?
    var isLost = false

    init(_ result: BroadcastResult) {
        switch result {
        case .accepted(let version): sentVersion = version
        case .retry(let at, let reason): (retryAt, failure) = (at, reason)
        case .lost(let reason), .allLost(let reason): (failure, isLost) = (reason, true)
        case .refused(let reason): failure = reason
        }
    }
}
