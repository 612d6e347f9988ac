import Domain
import EventStore
import Foundation
import JSON
import Postgres

struct PostgresRetentionStore: RetentionStore {
    let pool: Pool

    func alone<Answer: Sendable>(
        _ tenant: TenantID, _ body: () async -> Answer
    ) async throws(EventStoreError) -> Answer? {
        let connection = try await withStoreErrors { () async throws(PostgresError) in
            // The lock ends with the session, and that soon after a process that stands still.
            try await pool.openDedicated(hasHeartbeat: true).kept {
                (connection) async throws(PostgresError) -> Connection? in
                let isMine: Bool? = try await connection.query(
                    RetentionQueries.lock, [.tenant(tenant)]
                ).first?.get(0)
                if isMine == true { return connection }
                await connection.close()
                return nil
            }
        }
        guard let connection else { return nil }
        let answer = await body()
        // First, so that the next one need not wait until Postgres has ended the session.
        _ = try? await connection.query(
            RetentionQueries.unlock, [.tenant(tenant)],
            timeout: .seconds(Limits.releaseSecondsMax))
        await connection.close()
        return answer
    }

    func archives(_ tenant: TenantID) async throws(EventStoreError) -> [LogArchive] {
        try await pool.rows(RetentionQueries.archives, [.tenant(tenant)], LogArchive.init)
    }

    func archives(_ tenant: TenantID, of activities: [ActivityID])
        async throws(EventStoreError) -> [LogArchive]
    {
        try await withStoreErrors { () async throws(PostgresError) in
            try await pool.query(
                RetentionQueries.archivesOfActivities,
                [.tenant(tenant), .texts(activities.map(\.rawValue))],
                timeout: .seconds(Limits.longCallSecondsMax)
            ).decoded(LogArchive.init)
        }
    }

    func note(_ archive: LogArchive, of tenant: TenantID) async throws(EventStoreError) {
        try await pool.run(RetentionQueries.note, archive.parameters(of: tenant))
    }

    func noteAgain(_ archive: LogArchive, of tenant: TenantID) async throws(EventStoreError) {
        try await pool.run(RetentionQueries.noteAgain, archive.parameters(of: tenant))
    }

    func position(_ tenant: TenantID, before moment: Moment) async throws(EventStoreError) -> Int64
    {
        try await pool.value(
            "SELECT position_before($1, $2)", [.tenant(tenant), .moment(moment)]) ?? 0
    }

    func dropped(_ tenant: TenantID) async throws(EventStoreError) -> Int64 {
        try await pool.value(
            "SELECT events FROM log_dropped WHERE tenant = $1", [.tenant(tenant)]) ?? 0
    }

    func droppable(_ tenant: TenantID, _ retention: Retention, after: ActivityID?)
        async throws(EventStoreError) -> DroppablePage
    {
        try await withStoreErrors { () async throws(PostgresError) in
            let kinds = retention.kinds.sorted { $0.key < $1.key }
            let rows = try await pool.query(
                RetentionQueries.droppable,
                [
                    .tenant(tenant), .texts(kinds.map(\.key)),
                    .texts(kinds.map(\.value.rfc3339)), .moment(retention.otherwise),
                    .text(after?.rawValue ?? ""), .count(Limits.activitiesLookedThrough),
                ], timeout: .seconds(Limits.longCallSecondsMax))
            var page: DroppablePage = ([], nil)
            for row in rows {
                let id = try row.activity(0)
                if try row.bool(2) {
                    page.activities.append(
                        DroppableActivity(id: id, before: try row.moment(1)))
                }
                if rows.count == Limits.activitiesLookedThrough { page.last = id }
            }
            return page
        }
    }

    func records(_ tenant: TenantID, _ activities: [DroppableActivity])
        async throws(EventStoreError) -> [String]
    {
        try await withStoreErrors { () async throws(PostgresError) in
            let parameters: [Parameter] = [
                .tenant(tenant), .texts(activities.map(\.id.rawValue)),
            ]
            let timeout = Duration.seconds(Limits.longCallSecondsMax)
            let decisions = try await pool.query(
                RetentionQueries.decisions, parameters, timeout: timeout
            ).decoded { (row) throws(PostgresError) in
                try Decision(row, from: 2).record(of: row.text(0), row.text(1))
            }
            let cards = try await pool.query(
                RetentionQueries.cards, parameters, timeout: timeout
            ).decoded { (row) throws(PostgresError) in try row.text(0) }
            return decisions + cards
        }
    }

    func drop(_ tenant: TenantID, _ activities: [DroppableActivity])
        async throws(EventStoreError) -> DroppedActivities
    {
        try await withStoreErrors { () async throws(PostgresError) in
            let row = try await pool.query(
                RetentionQueries.drop,
                [
                    .tenant(tenant), .texts(activities.map(\.id.rawValue)),
                    .texts(activities.map(\.before.rfc3339)),
                ], timeout: .seconds(Limits.longCallSecondsMax)
            ).row(with: "activities")
            return DroppedActivities(activities: try row.get(0), events: try row.get(1))
        }
    }

    func sweep(_ sort: Leftover, before moment: Moment) async throws(EventStoreError) -> Int {
        try await pool.value(
            RetentionQueries.sweep(sort), [.moment(moment), .count(Limits.rowsSweptAtOnce)],
            timeout: .seconds(Limits.longCallSecondsMax)) ?? 0
    }

    func remove(_ tenant: TenantID) async throws(EventStoreError) -> Int64 {
        try await pool.value(
            "SELECT remove_tenant($1, $2)", [.tenant(tenant), .int4(Limits.rowsRemovedAtOnce)],
            timeout: .seconds(Limits.longCallSecondsMax)) ?? 0
    }
}

extension LogArchive {
    fileprivate init(_ row: Row) throws(PostgresError) {
        self.init(
            after: try row.get(0), through: try row.get(1), place: try row.text(2),
            chain: try row.text(3))
    }

    fileprivate func parameters(of tenant: TenantID) -> [Parameter] {
        [.tenant(tenant), .int8(after), .int8(through), .text(place), .text(chain)]
    }
}

extension Decision {
    /// With what is packed in the row.
    /// - Parameters:
    ///   - owner: whose it is, as a JSON object.
    ///   - row: the rest of it, as one too.
    fileprivate func record(of owner: String, _ row: String) -> String {
        let texts = Detail.allCases.map { detail in
            "\"\(detail.name)\":" + (detail.json(of: self) ?? "null")
        }
        let members = "\(row.dropLast()),\(texts.joined(separator: ","))}"
        return """
            {"record" : "decision", \(owner.dropFirst().dropLast()), "row" : \(members)}
            """
    }
}

extension Decision.Detail {
    /// As archives call it, which are older than the order's column.
    fileprivate var name: String { self == .order ? "push_order" : column }

    fileprivate func json(of decision: Decision) -> String? {
        guard let packed = text.get(decision) else { return nil }
        let text = String(decoding: packed, as: UTF8.self)
        return switch self {
        case .reason, .significance: String(decoding: WireCoder.encode(text), as: UTF8.self)
        case .staleAt: decision.staleAt.map { "\"\($0.rfc3339)\"" }
        case .relevanceScore:
            decision.relevanceScore.map { String(decoding: WireCoder.encode($0), as: UTF8.self) }
        case .alert, .news, .contentState, .order: text
        }
    }
}

private enum RetentionQueries {
    static let lock = "SELECT pg_try_advisory_lock(hashtextextended('archiver', $1))"
    static let unlock = "SELECT pg_advisory_unlock(hashtextextended('archiver', $1))"

    static let archives = """
        SELECT after, through, place, chain FROM log_archive WHERE tenant = $1 ORDER BY through
        """

    /// $1 tenant, $2 activities. Each is looked up by keys, and the tenant's number comes from its
    /// row: of a number that it does not know yet the planner expects nothing, and would go through
    /// all that there is of it.
    private static let wanted = """
        tenant t CROSS JOIN unnest($2::text[]) AS a (id)
        """

    private static func rows(_ table: String) -> String {
        "(SELECT * FROM \(table) WHERE tenant = t.id AND activity_id = a.id OFFSET 0)"
    }

    /// Likewise. Each position is looked up by the table's key: archives follow each other without
    /// a gap.
    static let archivesOfActivities = """
        WITH positions AS MATERIALIZED (
            SELECT e.position FROM \(wanted) CROSS JOIN LATERAL \(rows("event")) e WHERE t.id = $1
        )
        SELECT DISTINCT a.after, a.through, a.place, a.chain
        FROM positions h
        CROSS JOIN LATERAL (
            SELECT l.after, l.through, l.place, l.chain FROM log_archive l
            WHERE l.tenant = $1 AND l.through >= h.position ORDER BY l.through LIMIT 1
        ) a
        ORDER BY a.through
        """

    static let noteAgain = """
        UPDATE log_archive SET place = $4, chain = $5
        WHERE tenant = $1 AND after = $2 AND through = $3
        """

    /// Only if it begins where the one before it ends. Noting it twice changes nothing.
    static let note = """
        INSERT INTO log_archive (tenant, after, through, place, chain)
        SELECT $1, $2, $3, $4, $5
        WHERE $2::int8 = archived_through($1)
            AND $3::int8 <= (SELECT position FROM log_head WHERE tenant = $1)
        """

    /// $1 tenant, $2 and $3 kinds with since when nothing may have changed, $4 the same for others
    /// or null, $5 the activity to begin after, $6 how many to look at.
    static let droppable = """
        SELECT s.activity_id, b.before,
            b.before IS NOT NULL AND is_droppable(s, t.through, b.before)
        FROM (SELECT archived_through($1) AS through) t, projection_checkpoint c
        JOIN snapshot s ON s.tenant = c.tenant AND s.generation = c.generation
        CROSS JOIN LATERAL (
            SELECT coalesce(
                ($3::text[]::timestamptz[])[array_position($2::text[], s.kind)], $4::timestamptz
            ) AS before
        ) b
        WHERE c.tenant = $1 AND s.activity_id > $5 COLLATE "C"
        ORDER BY s.activity_id LIMIT $6::int8
        """

    private static let packed = Decision.Detail.allCases.map(\.column).joined(separator: ",")

    /// Several tenants' records may get into one file.
    private static let owner = "'tenant', t.name, 'tenant_id', t.id"

    /// Whose it is, what the ledger says in columns of their own, and the decision.
    static let decisions = """
        SELECT json_build_object(\(owner))::text,
            (to_jsonb(d) - '{tenant,details,\(packed)}'::text[])::text,
            \(Decision.list.sources(of: "d"))
        FROM \(wanted) CROSS JOIN LATERAL \(rows("decision")) d WHERE t.id = $1
        """

    /// Stay out of an activity's rows once it was erased: the key that would seal them is newer.
    private static let erased = """
        CASE WHEN k.erased_at IS NULL THEN '{}'::text[]
            ELSE '{\(CardRecord.phoneMembers.joined(separator: ","))}'::text[]
        END
        """

    /// What names a phone to APNs stays out.
    static let cards = """
        SELECT json_build_object(
            'record', 'registration', \(owner),
            'row', to_jsonb(r) - '{tenant,push_token}'::text[] - \(erased))::text
        FROM \(wanted) LEFT JOIN LATERAL \(rows("subject_key")) k ON true
        CROSS JOIN LATERAL \(rows("registration")) r WHERE t.id = $1
        UNION ALL
        SELECT json_build_object(
            'record', 'start', \(owner), 'row', to_jsonb(c) - '{tenant}'::text[] - \(erased))::text
        FROM \(wanted) LEFT JOIN LATERAL \(rows("subject_key")) k ON true
        CROSS JOIN LATERAL \(rows("card_start")) c WHERE t.id = $1
        """

    /// Does not wait for the disk, and so keeps nobody else waiting for it: what a crash brings
    /// back is dropped the next time.
    static let drop = """
        SELECT d.activities, d.events
        FROM set_config('synchronous_commit', 'off', true),
            drop_archived($1, $2::text[], $3::text[]::timestamptz[]) d
        """

    /// $1 before when, $2 how many. Each answers how many went.
    static func sweep(_ sort: Leftover) -> String {
        let victims =
            switch sort {
            case .registrations:
                (
                    table: "registration", first: "",
                    rows: """
                    SELECT r.ctid FROM registration r
                    WHERE (r.closed_at IS NOT NULL OR r.dead_at IS NOT NULL)
                        AND least(r.closed_at, r.dead_at) < $1 AND r.retry_at IS NULL
                        AND NOT EXISTS (
                            SELECT FROM card_start c
                            WHERE c.tenant = r.tenant AND c.activity_id = r.activity_id
                                AND c.ends_registration = r.id
                        )
                    """
                )
            case .notices:
                (
                    table: "activity_notice", first: "",
                    rows: "SELECT n.ctid FROM activity_notice n WHERE n.noticed_at < $1"
                )
            case .keys:
                (
                    table: "api_key",
                    // Nobody is signed in with one any more, though they have not signed out.
                    first: """
                    signed_out AS (
                        DELETE FROM sign_in WHERE key_id IN (SELECT id FROM victims)
                    ),
                    """,
                    rows: """
                    SELECT k.ctid, k.id FROM api_key k
                    WHERE least(k.revoked_at, k.expires_at) < $1
                    """
                )
            }
        return """
            WITH victims AS MATERIALIZED (
                \(victims.rows) LIMIT $2::int8
            ), \(victims.first) gone AS (
                DELETE FROM \(victims.table)
                WHERE ctid = ANY (ARRAY(SELECT ctid FROM victims)) RETURNING 1
            )
            SELECT count(*) FROM gone
            """
    }
}
