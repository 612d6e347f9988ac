import Domain
import EventStore
import Postgres

struct PostgresReplayStore: ReplayStore {
    let tenantPool: TenantScopedPool

    func page(_ tenant: TenantID, _ positions: ClosedRange<Int64>) async throws(EventStoreError)
        -> any LogPage
    {
        try await asked(
            try await PostgresLogPage(
                tenantPool.query(as: tenant, Self.page, Parameter.stretch(tenant, positions))))
    }

    func ledger(_ tenant: TenantID, _ parts: [StreamPart]) async throws(EventStoreError)
        -> any LedgerPage
    {
        try await asked(
            try PostgresLedgerPage(
                await tenantPool.query(as: tenant, Self.ledger, Self.parameters(tenant, parts)),
                places: parts.count))
    }

    func census(_ tenant: TenantID) async throws(EventStoreError) -> LedgerCensus {
        try await asked(
            try LedgerCensus(await tenantPool.query(as: tenant, Self.census, [.tenant(tenant)])[0]))
    }

    func snapshotCount(_ tenant: TenantID, _ position: Int64) async throws(EventStoreError) -> Int {
        try await tenantPool.value(
            as: tenant, Self.snapshotCount, [.tenant(tenant), .int8(position)]) ?? 0
    }

    func snapshots(_ tenant: TenantID, _ activities: [ActivityID]) async throws(EventStoreError)
        -> [Snapshot]
    {
        try await tenantPool.rows(
            as: tenant, Snapshot.severalLive,
            [.tenant(tenant), .texts(activities.map(\.rawValue))], Snapshot.init)
    }

    func preceding(_ tenant: TenantID, _ parts: [StreamPart], _ position: Int64)
        async throws(EventStoreError) -> [ActivityID: Int64]
    {
        let rows = try await tenantPool.rows(
            as: tenant, Self.preceding, Self.parameters(tenant, parts) + [.int8(position)]
        ) { (row) throws(PostgresError) in (try row.activity(0), try row.int8(1)) }
        return Dictionary(rows, uniquingKeysWith: { $1 })
    }

    func strays(_ tenant: TenantID, _ kind: Stray.Kind, _ position: Int64, _ limit: Int)
        async throws(EventStoreError) -> [Stray]
    {
        let strays = Statement(
            Self.strays(kind), [.tenant(tenant), .int8(position), .count(limit)])
        return try await asked(
            try await tenantPool.batch(as: tenant, [Self.joinOfWholes, strays])[1]
                .decoded(Stray.init))
    }

    // The next three are the service's own: a tenant does not see what is dropped or erased.

    func touched(_ tenant: TenantID, _ activities: [ActivityID], _ position: Int64)
        async throws(EventStoreError) -> [TouchedActivity]
    {
        try await tenantPool.pool.rows(
            Self.touched,
            [.tenant(tenant), .texts(activities.map(\.rawValue)), .int8(position)]
        ) { (row) throws(PostgresError) in
            TouchedActivity(
                activityID: try row.activity(0), isDropped: try row.bool(1),
                erasedAt: try row.optionalMoment(2))
        }
    }

    func gaps(_ tenant: TenantID) async throws(EventStoreError) -> ArchivedGaps {
        let rows = try await tenantPool.pool.rows(Self.gaps, [.tenant(tenant)]) {
            (row) throws(PostgresError) -> ArchivedGaps in
            (through: try row.int8(0), missing: try row.int8(1), dropped: try row.int8(2))
        }
        return rows[0]
    }

    func mark(_ tenant: TenantID) async throws(EventStoreError) -> String {
        try await tenantPool.pool.value(Self.mark, [.tenant(tenant)]) ?? ""
    }

    func phones(_ tenant: TenantID, _ activity: ActivityID, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [PhoneRow]
    {
        try await tenantPool.rows(
            as: tenant, Self.phones,
            [.tenant(tenant), .activity(activity), .int8(after), .count(limit)], PhoneRow.init)
    }

    func neighbours(_ tenant: TenantID, _ activity: ActivityID, _ limit: Int)
        async throws(EventStoreError) -> [ActivityID]
    {
        try await tenantPool.rows(
            as: tenant, Self.neighbours, [.tenant(tenant), .activity(activity), .count(limit)]
        ) { (row) throws(PostgresError) in try row.activity(0) }
    }

    func elsewhere() async throws(EventStoreError) -> Set<TenantID> {
        let tenants = try await tenantPool.pool.rows(
            "SELECT id FROM tenant WHERE is_elsewhere(id)", []
        ) { (row) throws(PostgresError) in try row.tenant(0) }
        return Set(tenants)
    }

    /// The tenant, and each part with its place.
    private static func parameters(_ tenant: TenantID, _ parts: [StreamPart]) -> [Parameter] {
        [
            .tenant(tenant), .texts(parts.map(\.activity.rawValue)),
            .int8s(parts.map(\.versions.lowerBound)), .int8s(parts.map(\.versions.upperBound)),
            .int4s(parts.indices.map { Int32($0) }),
        ]
    }

    private static let page = """
        SELECT \(PostgresLogPage.columns) FROM event
        WHERE tenant = $1 AND position BETWEEN $2 AND $3 ORDER BY position
        """

    private static let parts = """
        unnest($2::text[], $3::int8[], $4::int8[], $5::int4[]) AS a (id, first, last, place)
        """

    // Activity by activity, as the ledger has no index by position. The order keeps the planner
    // from going through all of the ledger for it.
    private static let ledger = """
        SELECT \(PostgresLedgerPage.columns)
        FROM \(parts) CROSS JOIN LATERAL (
            SELECT * FROM decision
            WHERE tenant = $1 AND activity_id = a.id AND version BETWEEN a.first AND a.last
            ORDER BY version
        ) d
        """

    // All of it is in an index.
    private static let census = """
        SELECT \(LedgerCensus.columns) FROM decision WHERE tenant = $1
        """

    private static let snapshotCount = """
        SELECT count(*) FROM snapshot
        WHERE tenant = $1 AND generation = (SELECT live_generation($1))
            AND position BETWEEN 1 AND $2
        """

    private static let preceding = """
        SELECT a.id, e.version
        FROM \(parts) CROSS JOIN LATERAL (
            SELECT version FROM event
            WHERE tenant = $1 AND activity_id = a.id AND version < a.first AND position < $6
            ORDER BY version DESC LIMIT 1
        ) e
        """

    /// Until the end of the transaction. All that there is of a tenant is compared: of one that it
    /// does not know yet the planner expects nothing, and would read one side for each row of the
    /// other.
    private static let joinOfWholes = Statement("SELECT set_config('enable_nestloop', 'off', true)")

    private static func strays(_ kind: Stray.Kind) -> String {
        switch kind {
        case .undecidedEvent:
            """
            SELECT e.activity_id, e.version, e.position FROM event e
            WHERE e.tenant = $1 AND e.position <= $2 AND NOT EXISTS (
                SELECT FROM decision d WHERE d.tenant = e.tenant
                    AND d.activity_id = e.activity_id AND d.version = e.version
            ) AND NOT EXISTS (
                SELECT FROM parked_event p WHERE p.tenant = e.tenant
                    AND p.generation = (SELECT live_generation($1)) AND p.position = e.position
            ) ORDER BY e.position LIMIT $3
            """
        case .groundlessDecision:
            """
            SELECT d.activity_id, d.version, d.position FROM decision d
            WHERE d.tenant = $1 AND d.position <= $2 AND NOT EXISTS (
                SELECT FROM event e WHERE e.tenant = d.tenant
                    AND e.activity_id = d.activity_id AND e.version = d.version
            ) ORDER BY d.activity_id, d.version LIMIT $3
            """
        case .groundlessSnapshot:
            """
            SELECT s.activity_id, s.version, s.position FROM snapshot s
            WHERE s.tenant = $1 AND s.position <= $2
                AND s.generation = (SELECT live_generation($1)) AND NOT EXISTS (
                SELECT FROM event e WHERE e.tenant = s.tenant
                    AND e.activity_id = s.activity_id
            ) ORDER BY s.activity_id LIMIT $3
            """
        }
    }

    private static let touched = """
        SELECT a.id, e.position IS NULL AND s.position IS NULL, k.erased_at
        FROM unnest($2::text[]) AS a (id)
        LEFT JOIN LATERAL (
            SELECT position FROM event
            WHERE tenant = $1 AND activity_id = a.id AND position <= $3
            ORDER BY version LIMIT 1
        ) e ON true
        LEFT JOIN snapshot s
            ON s.tenant = $1 AND s.generation = (SELECT live_generation($1))
            AND s.activity_id = a.id AND s.position <= $3
        LEFT JOIN subject_key k ON k.tenant = $1 AND k.activity_id = a.id
        WHERE e.position IS NULL AND s.position IS NULL OR k.erased_at IS NOT NULL
        """

    // One statement, so that no drop comes in between.
    private static let gaps = """
        SELECT t.through,
            t.through - (SELECT count(*) FROM event WHERE tenant = $1 AND position <= t.through),
            coalesce((SELECT events FROM log_dropped WHERE tenant = $1), 0)
        FROM (SELECT archived_through($1) AS through) t
        """

    // The sum, since something may be erased of an activity again.
    private static let mark = """
        SELECT concat(
            (SELECT events FROM log_dropped WHERE tenant = $1), ' ',
            (SELECT sum(extract(epoch FROM erased_at)) FROM subject_key WHERE tenant = $1))
        """

    private static let phones = """
        SELECT \(PhoneRow.columns) FROM registration
        WHERE tenant = $1 AND activity_id = $2 AND id > $3 ORDER BY id LIMIT $4
        """

    private static let neighbours = """
        WITH live AS (SELECT live_generation($1) AS generation)
        (SELECT activity_id FROM snapshot, live
            WHERE tenant = $1 AND snapshot.generation = live.generation AND activity_id <= $2
            ORDER BY activity_id DESC LIMIT $3)
        UNION
        (SELECT activity_id FROM snapshot, live
            WHERE tenant = $1 AND snapshot.generation = live.generation AND activity_id > $2
            ORDER BY activity_id LIMIT $3)
        UNION
        (SELECT activity_id FROM event WHERE tenant = $1 ORDER BY position DESC LIMIT $3)
        """
}

extension Stray: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            activityID: row.activity(), version: row.get(), position: row.get())
    }
}

extension PhoneRow: RowDecodable {
    /// Of `registration`. A card that is closed keeps what it had then.
    static let columns = """
        id, bundle_id, environment, registered_at, locale, frequent,
        CASE WHEN closed_at IS NULL THEN \(CardQueries.deliveredVersion("registration"))
            ELSE sent_version END, attempts,
        last_failure, retry_at, dead_at, closed_at, closed_by, is_unfit
        """

    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            id: row.get(), bundleID: row.get(), environment: row.get(), registeredAt: row.moment())
        (locale, isFrequent) = (try row.optional(), try row.get())
        (sentVersion, attempts) = (try row.get(), try row.get())
        lastFailure = try row.optional()
        (owedAt, deadAt) = (try row.optionalMoment(), try row.optionalMoment())
        (closedAt, closedBy) = (try row.optionalMoment(), try row.optional())
        isUnfit = try row.get()
    }
}
