import Domain
import EventStore
import Postgres

struct PostgresReadStore: ReadStore {
    let tenantPool: TenantScopedPool

    func activity(_ tenant: TenantID, _ activity: ActivityID, _ rowVersion: String?)
        async throws(EventStoreError) -> ActivityReading
    {
        try await withStoreErrors { () async throws(PostgresError) in
            let parameters: [Parameter] = [.tenant(tenant), .activity(activity)]
            if let rowVersion {
                let rows = try await tenantPool.query(as: tenant, Self.newestMark, parameters)
                if try rows.first?.optional(2, as: String.self) == rowVersion {
                    return ActivityReading(
                        finding: .unchanged, freshness: try rows.freshness())
                }
            }
            return try ActivityReading(
                try await tenantPool.query(as: tenant, Self.one, parameters))
        }
    }

    func list(
        _ tenant: TenantID, _ filter: ActivityFilter, _ after: ActivityPage.Place?, _ limit: Int,
        _ now: Moment
    ) async throws(EventStoreError) -> ActivityPage {
        let listing = ActivityListing(filter: filter, after: after, limit: limit, now: now)
        return try await withStoreErrors { () async throws(PostgresError) in
            let statement = listing.statement(for: tenant)
            // Phones that wait are looked through up to a bound.
            let results =
                try await filter.hasDeferredPhones
                ? tenantPool.count(as: tenant, [statement])
                : tenantPool.batch(as: tenant, [statement])
            return try listing.page(results[0])
        }
    }

    func scoreboard(
        _ tenant: TenantID, _ competition: String?, _ after: ScoreboardPage.Place?, _ limit: Int
    ) async throws(EventStoreError) -> ScoreboardPage {
        let listing = ScoreboardListing(competition: competition, after: after, limit: limit)
        return try await withStoreErrors { () async throws(PostgresError) in
            let results = try await tenantPool.batch(
                as: tenant, [listing.statement(for: tenant)])
            return try listing.page(results[0])
        }
    }

    func overview(_ tenant: TenantID, _ since: Moment, _ now: Moment) async throws(EventStoreError)
        -> Overview
    {
        try await asked(try await Overview.read(tenantPool, tenant, since: since, now: now))
    }

    func freshness(_ tenant: TenantID) async throws(EventStoreError) -> Freshness {
        try await asked(
            try await tenantPool.query(as: tenant, ActivityListing.live, [.tenant(tenant)])
                .freshness())
    }

    /// Who has a snapshot asks whether it is still the newest: Postgres prepares for each column of
    /// a statement, sent or not.
    private static let newestMark = """
        SELECT c.position, h.position, \(rowVersion) \(marked)
        """

    private static let one = """
        SELECT c.position, h.position, \(rowVersion), \(Snapshot.list.sources(of: "s")) \(marked)
        """

    /// A row's `xmin` is another one after each write. Null where there is no snapshot.
    private static let rowVersion = "s.xmin::text || '/' || s.position"

    private static let marked = """
        FROM projection_checkpoint c
        JOIN log_head h ON h.tenant = c.tenant
        LEFT JOIN snapshot s
            ON s.tenant = c.tenant AND s.generation = c.generation AND s.activity_id = $2
        WHERE c.tenant = $1
        """
}

extension ActivityReading {
    fileprivate init(_ rows: Rows) throws(PostgresError) {
        let freshness = try rows.freshness()
        guard let row = rows.first, let rowVersion = try row.optional(2, as: String.self) else {
            self.init(finding: .absent, freshness: freshness)
            return
        }
        self.init(
            finding: .found(try Snapshot(row, from: 3), rowVersion: rowVersion),
            freshness: freshness)
    }
}

extension Rows {
    /// Its first two columns; nothing for a tenant that is not there.
    func freshness() throws(PostgresError) -> Freshness {
        guard let first else { return Freshness(position: 0, head: 0) }
        return Freshness(position: try first.get(0), head: try first.get(1))
    }

    /// The snapshots of the rows that have one, which the only row of an empty answer does not.
    func snapshots(from column: Int) throws(PostgresError) -> [Snapshot] {
        var found: [Snapshot] = []
        for row in self where try row.optional(column, as: String.self) != nil {
            found.append(try Snapshot(row, from: column))
        }
        return found
    }
}
