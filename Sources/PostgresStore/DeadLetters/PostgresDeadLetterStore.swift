import Domain
import EventStore
import Postgres

struct PostgresDeadLetterStore: DeadLetterStore {
    let tenantPool: TenantScopedPool
    private var pool: Pool { tenantPool.pool }

    func list(
        _ tenant: TenantID, _ filter: DeadLetterFilter, _ after: DeadLetterPlace?, _ limit: Int
    ) async throws(EventStoreError) -> [DeadLetter] {
        try await tenantPool.rows(
            as: tenant, DeadLetterQueries.list(filter, isFirst: after == nil),
            [
                .tenant(tenant), .text(filter.activity?.rawValue), .moment(filter.since),
                .moment(after?.givenUpAt), .text(after?.id.text), .count(limit),
            ], DeadLetter.init)
    }

    func counts(_ tenant: TenantID) async throws(EventStoreError) -> [DeadLetter.Carrier: Int] {
        let counts = try await tenantPool.counted(
            as: tenant, DeadLetterQueries.counts(), [.tenant(tenant)]
        ) { (row) throws(PostgresError) -> (DeadLetter.Carrier, Int) in
            (try row.choice(0), try row.get(1))
        }
        return Dictionary(counts, uniquingKeysWith: { $1 })
    }

    func retry(_ tenant: TenantID, _ id: DeadLetter.ID) async throws(EventStoreError) -> Bool {
        let place: [Parameter] = [.tenant(tenant), .int8(id.number)]
        return try await asked(
            try await act(
                "dead-letter.retried", tenant, id,
                [
                    Statement(DeadLetterQueries.retry(id.carrier), place),
                    .notify(.phonesWaiting, tenant),
                ]))
    }

    func dismiss(_ tenant: TenantID, _ id: DeadLetter.ID) async throws(EventStoreError) -> Bool {
        var place: [Parameter] = [.tenant(tenant), .int8(id.number)]
        if id.carrier == .start {
            place += [.int8(id.restartVersion), .text(id.activity?.rawValue)]
        }
        let dismissal = Statement(DeadLetterQueries.dismiss(id.carrier), place)
        return try await asked(
            try await act("dead-letter.dismissed", tenant, id, [dismissal]))
    }

    /// - Returns: whether the first statement found the letter; then it is written down.
    private func act(
        _ act: String, _ tenant: TenantID, _ id: DeadLetter.ID, _ statements: [Statement]
    ) async throws(PostgresError) -> Bool {
        try await pool.withTransaction { (connection) async throws(PostgresError) in
            let results = try await connection.batch([.acting] + statements)
            guard !results[1].isEmpty else { return false }
            _ = try await connection.batch([.note(act, id.text, .tenant(tenant))])
            return true
        }
    }
}

/// What is asked and written about what was given up.
enum DeadLetterQueries {
    /// $1 tenant, $2 activity or null, $3 since or null, $4 and $5 time and id of the one to begin
    /// after, or null, $6 limit. Each carrier by its own index, and of all of them the newest.
    static func list(_ filter: DeadLetterFilter, isFirst: Bool) -> String {
        // What is said for certain can be looked up; what might be said, only looked through.
        let isAfter =
            isFirst
            ? "$4::timestamptz IS NULL AND $5::text IS NULL"
            : "l.at <= $4 AND (l.at < $4 OR l.id > $5)"
        let wanted = filter.carrier.map { [$0] } ?? DeadLetter.Carrier.allCases
        let branches = wanted.map { carrier in
            """
            (
                SELECT * FROM (\(rows(carrier))) l
                WHERE \(filter.activity == nil ? "$2::text IS NULL" : "l.activity_id = $2")
                    AND \(filter.since == nil ? "$3::timestamptz IS NULL" : "l.at >= $3")
                    AND \(isAfter)
                ORDER BY l.at DESC, l.id LIMIT $6::int8
            )
            """
        }
        return """
            SELECT * FROM (\(branches.joined(separator: " UNION ALL "))) l
            ORDER BY l.at DESC, l.id LIMIT $6::int8
            """
    }

    /// Of each carrier, how many there are.
    /// - Parameters:
    ///   - tenant: what is asked of the tenant.
    ///   - most: more of a carrier are not counted.
    static func counts(
        ofTenant tenant: String = "= $1", upTo most: Int = Domain.Limits.countedMax
    ) -> String {
        DeadLetter.Carrier.allCases.map { carrier in
            """
            SELECT '\(carrier.rawValue)', count(*) FROM (
                SELECT 1 FROM (\(rows(carrier, ofTenant: tenant))) l LIMIT \(most)
            ) c
            """
        }.joined(separator: " UNION ALL ")
    }

    /// Of each tenant that has any, first of the one with most: its name, and what is counted of
    /// a carrier.
    static var ofTenants: String {
        """
        SELECT t.name, l.carrier, l.counted FROM tenant t
        CROSS JOIN LATERAL (\(counts(ofTenant: "= t.id"))) l (carrier, counted)
        WHERE l.counted > 0 ORDER BY sum(l.counted) OVER (PARTITION BY t.id) DESC, t.id
        """
    }

    /// A registration that registers again, dies or is closed is no dead letter any more. One with
    /// an unfit token is one until then.
    private static func rows(
        _ carrier: DeadLetter.Carrier, ofTenant tenant: String = "= $1"
    ) -> String {
        switch carrier {
        case .push:
            """
            SELECT ('push-' || r.id) COLLATE "C" AS id, r.activity_id,
                r.bundle_id || ' ' || r.environment AS receiver,
                coalesce(r.last_failure, '') AS reason, r.attempts, NULL::int8 AS version,
                r.given_up_at AS at
            FROM registration r
            WHERE r.tenant \(tenant) AND \(isPush)
            """
        case .start:
            """
            SELECT ('start-' || c.device_id || '-' || c.lap || '-' || c.activity_id)
                    COLLATE "C" AS id, c.activity_id,
                coalesce((
                    SELECT concat_ws(' ', d.bundle_id, (
                        SELECT t.environment FROM start_token t
                        WHERE t.tenant = d.tenant AND t.device_id = d.id
                        ORDER BY t.put_at DESC LIMIT 1
                    ))
                    FROM start_device d WHERE d.tenant = c.tenant AND d.id = c.device_id
                ), '') AS receiver,
                CASE c.state WHEN 'unknown' THEN 'unknown: ' ELSE '' END
                    || coalesce(c.reason, '') AS reason,
                c.attempts, NULL::int8 AS version, c.changed_at AS at
            FROM card_start c
            WHERE c.tenant \(tenant) AND c.state IN ('unknown', 'refused')
                AND c.dismissed_at IS NULL
            """
        case .webhook:
            """
            SELECT ('webhook-' || m.id) COLLATE "C" AS id, m.activity_id,
                m.webhook_id AS receiver, m.last_failure AS reason, m.attempts, m.version,
                m.given_up_at AS at
            FROM webhook_message m
            WHERE m.tenant \(tenant) AND m.given_up_at IS NOT NULL
            """
        }
    }

    /// A push to the phone of a registration `r` was given up, and nobody has dealt with it.
    static let isPush = """
        r.given_up_at IS NOT NULL AND r.retry_at IS NULL AND (r.dead_at IS NULL OR r.is_unfit)
            AND r.closed_at IS NULL
        """

    /// $1 tenant, $2 number. The first gives a row back. Attempts are counted from the start; that
    /// the phone has missed something stays known.
    static func retry(_ carrier: DeadLetter.Carrier) -> String {
        switch carrier {
        case .start: preconditionFailure("a start is not sent twice")
        case .push:
            """
            UPDATE registration r SET retry_at = 'epoch', given_up_at = NULL, attempts = 1,
                dead_at = NULL, is_unfit = false
            WHERE r.tenant = $1 AND r.id = $2 AND \(isPush) RETURNING r.id
            """
        case .webhook:
            """
            WITH again AS (
                UPDATE webhook_message m SET retry_at = 'epoch', given_up_at = NULL,
                    attempts = 0, first_tried_at = clock_timestamp()
                WHERE m.tenant = $1 AND m.id = $2 AND m.given_up_at IS NOT NULL
                    AND NOT \(isFollowed)
                RETURNING m.id
            ), covered AS (
                DELETE FROM webhook_message m
                WHERE m.tenant = $1 AND m.id = $2 AND m.given_up_at IS NOT NULL
                    AND \(isFollowed)
                RETURNING m.id
            )
            SELECT id FROM again UNION ALL SELECT id FROM covered
            """
        }
    }

    /// A later message about the activity waits already, and will say what this one would.
    private static let isFollowed = """
        EXISTS (
            SELECT FROM webhook_message w
            WHERE w.tenant = m.tenant AND w.webhook_id = m.webhook_id
                AND w.activity_id = m.activity_id AND w.given_up_at IS NULL
        )
        """

    /// $1 tenant, $2 number; of a start $3 restart version and $4 activity.
    static func dismiss(_ carrier: DeadLetter.Carrier) -> String {
        switch carrier {
        case .push:
            """
            UPDATE registration r SET given_up_at = NULL
            WHERE r.tenant = $1 AND r.id = $2 AND \(isPush) RETURNING r.id
            """
        case .start:
            """
            UPDATE card_start c SET dismissed_at = clock_timestamp()
            WHERE c.tenant = $1 AND c.device_id = $2 AND c.lap = $3 AND c.activity_id = $4
                AND c.state IN ('unknown', 'refused') AND c.dismissed_at IS NULL
            RETURNING c.device_id
            """
        case .webhook:
            """
            DELETE FROM webhook_message m
            WHERE m.tenant = $1 AND m.id = $2 AND m.given_up_at IS NOT NULL RETURNING m.id
            """
        }
    }
}

extension DeadLetter: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        guard let id = ID(text: try row.get()) else {
            throw .decoding(column: "id", expected: "a dead letter's id")
        }
        try self.init(
            id: id, activityID: row.activity(), to: row.get(), reason: row.get(),
            attempts: row.get(), version: row.optional(), givenUpAt: row.moment())
    }
}
