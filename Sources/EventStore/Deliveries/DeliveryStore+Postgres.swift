import Domain
import Postgres

extension DeliveryStore {
    static func postgres(_ pool: Pool, claims: DeliveryClaims) -> DeliveryStore {
        DeliveryStore(
            claim: { (limit, now) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await claims.claim(limit, now)
                }
            },
            page: { (claim, onlyOwed, now, after, limit) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await claims.requireHeld(claim)
                    let owedBy: Parameter = .moment(onlyOwed ? now : nil)
                    return try await pool.query(
                        page,
                        [
                            .tenant(claim.tenant), .activity(claim.snapshot.activityID),
                            .int8(after), owedBy, .count(limit),
                        ]
                    ).decoded(Registration.init)
                }
            },
            record: { (claim, results) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await fenced(claim, claims, pool, .record(results, under: claim))
                }
            },
            settle: { (claim, outcome) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await fenced(claim, claims, pool, .settle(outcome, under: claim))
                    await claims.release(claim)
                }
            },
            release: { claim in await claims.release(claim) },
            nextDue: { () async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    let held = await claims.heldKeys
                    return try await pool.query(ClaimQueries.nextDue, Parameter.keys(held))
                        .first?.optionalMoment(0)
                }
            })
    }

    /// Writes under a claim. The statement returns no row when a later claim was given out, which
    /// this process may not have heard of when its connection died silently.
    private static func fenced(
        _ claim: DeliveryClaim, _ claims: DeliveryClaims, _ pool: Pool, _ statement: Statement
    ) async throws(PostgresError) {
        try await claims.requireHeld(claim)
        let rows = try await pool.query(statement.sql, statement.parameters)
        guard !rows.isEmpty else { throw DeliveryClaims.isVoid }
    }

    private static let page = """
        SELECT \(Registration.columns) FROM registration
        WHERE tenant = $1 AND activity_id = $2 AND dead_at IS NULL AND id > $3
            AND closed_at IS NULL AND ($4::timestamptz IS NULL OR retry_at <= $4)
        ORDER BY id LIMIT $5
        """
}

extension Statement {
    /// Common beginning of what is written under a claim: $1 tenant, $2 activity, $3 timestamp.
    private static let fence = """
        WITH fence AS MATERIALIZED (
            SELECT tenant, activity_id FROM delivery_state
            WHERE tenant = $1 AND activity_id = $2 AND last_timestamp = $3 FOR SHARE
        )
        """

    private static func fenceParameters(_ claim: DeliveryClaim) -> [Parameter] {
        [.tenant(claim.tenant), .activity(claim.snapshot.activityID), .int8(claim.timestamp)]
    }

    /// Only decisions that the claim showed: later ones are still to be sent.
    fileprivate static func settle(
        _ outcome: LedgerRow.Outcome, under claim: DeliveryClaim
    ) -> Statement {
        Statement(
            """
            \(fence), settled AS (
                UPDATE decision d SET carried_by = $5, sent_timestamp = $6, accepted = $7,
                    failed = $8, settled_at = $9
                FROM fence f
                WHERE d.tenant = f.tenant AND d.activity_id = f.activity_id AND d.version <= $4
                    AND d.settled_at IS NULL AND d.verdict <> 'hold'
            ), told AS (
                SELECT pg_notify('\(StoreNews.channel)', 'folded ' || tenant) FROM fence
            )
            SELECT count(*) FROM told HAVING count(*) > 0
            """,
            fenceParameters(claim) + [
                .int8(claim.pending.last?.version ?? 0), .int8(outcome.carriedBy),
                .int8(outcome.timestamp), .int4(Int32(clamping: outcome.accepted)),
                .int4(Int32(clamping: outcome.failed)), .moment(outcome.settledAt),
            ])
    }

    fileprivate static func record(
        _ results: [PhoneResult], under claim: DeliveryClaim
    ) -> Statement {
        let columns = results.map { PhoneColumns($0.result) }
        return Statement(
            """
            \(fence), recorded AS (
                UPDATE registration r SET
                    sent_version = greatest(r.sent_version, coalesce(i.sent_version, 0)),
                    attempts = CASE
                        WHEN i.sent_version IS NULL THEN r.attempts + 1 ELSE 0 END,
                    retry_at = i.retry_at,
                    last_failure = i.failure,
                    dead_at = CASE WHEN i.is_dead THEN clock_timestamp() END
                FROM fence f, unnest(
                        $4::int8[], $5::int8[], $6::timestamptz[], $7::text[], $8::bool[]
                    ) AS i (id, sent_version, retry_at, failure, is_dead)
                WHERE r.tenant = f.tenant AND r.activity_id = f.activity_id AND r.id = i.id
                    AND r.closed_at IS NULL
            )
            SELECT count(*) FROM fence HAVING count(*) > 0
            """,
            fenceParameters(claim) + [
                .int8s(results.map(\.registrationID)), .int8s(columns.map(\.sentVersion)),
                .timestamps(columns.map { $0.retryAt?.timestamp }),
                .texts(columns.map(\.failure)), .bools(columns.map(\.isDead)),
            ])
    }
}

/// A result as the registration's columns have it.
private struct PhoneColumns {
    var sentVersion: Int64?
    var retryAt: Moment?
    var failure: String?
    var isDead = false

    init(_ result: PhoneResult.Result) {
        switch result {
        case .accepted(let version): sentVersion = version
        case .retry(let at, let reason): (retryAt, failure) = (at, reason)
        case .dead(let reason): (failure, isDead) = (reason, true)
        case .refused(let reason): failure = reason
        }
    }
}
