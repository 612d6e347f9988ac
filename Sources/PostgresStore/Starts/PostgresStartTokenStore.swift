import Domain
import EventStore
import Postgres

/// Written as the service: who asks for a tenant may change nothing there, and no statement can
/// touch another one.
struct PostgresStartTokenStore: StartTokenStore {
    let tenantPool: TenantScopedPool

    func putToken(_ tenant: TenantID, _ wish: StartWish) async throws(EventStoreError) -> StartPut {
        try await asked(
            try await tenantPool.pool.batch(TokenQueries.put(tenant, wish))
                .put(at: TokenQueries.answer))
    }

    func removeToken(_ tenant: TenantID, _ installation: String, _ kind: String)
        async throws(EventStoreError) -> Int
    {
        try await asked(
            try await tenantPool.pool.query(
                TokenQueries.remove, [.tenant(tenant), .text(installation), .text(kind)]
            ).count)
    }

    func tokens(_ tenant: TenantID, _ installation: String, _ kind: String)
        async throws(EventStoreError) -> [StartToken]
    {
        try await tenantPool.rows(
            as: tenant, TokenQueries.show, [.tenant(tenant), .text(installation), .text(kind)],
            StartToken.init)
    }

    func putAudience(
        _ tenant: TenantID, _ activity: ActivityID, _ topics: [AudienceTopic], _ notBefore: Moment?
    ) async throws(EventStoreError) -> StartPut {
        try await asked(
            try await tenantPool.pool
                .batch(AudienceQueries.put(tenant, activity, topics, notBefore))
                .put(at: AudienceQueries.answer))
    }

    func audience(_ tenant: TenantID, _ activity: ActivityID) async throws(EventStoreError)
        -> AudienceReport?
    {
        try await withStoreErrors { () async throws(PostgresError) in
            let key: [Parameter] = [.tenant(tenant), .activity(activity)]
            let results = try await tenantPool.count(
                as: tenant,
                [
                    Statement(AudienceQueries.show, key),
                    Statement(AudienceQueries.count, key),
                    Statement(AppQueries.deferredStartsBy, key),
                ])
            guard let row = results[0].first else { return nil }
            return try AudienceReport(row, counts: results[1], deferred: results[2])
        }
    }
}

extension [Rows] {
    /// One row tells whether what was put is new; without one nothing has changed.
    fileprivate func put(at index: Int) throws(PostgresError) -> StartPut {
        guard let row = self[index].first else { return .known }
        return try row.get(0) ? .new : .changed
    }
}

extension StartToken: RowDecodable {
    /// Reads a row of `TokenQueries.show`.
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            bundleID: row.get(), environment: row.choice(),
            topics: row.get(as: ColumnArray<String>.self).values, locale: row.optional(),
            frequentUpdates: row.get(), appBuild: row.optional(),
            osMajor: row.optional(as: Int16.self).map { Int($0) },
            putAt: row.moment(), isDead: row.get())
    }
}

extension AudienceReport {
    fileprivate init(_ row: Row, counts rows: Rows, deferred: Rows) throws(PostgresError) {
        var counts: [StartState: Int] = [:]
        var nextAt: Moment?
        for row in rows {
            let state: StartState = try row.choice(0)
            counts[state] = try row.get(1)
            guard state == .waiting || state == .held, let due = try row.optionalMoment(2) else {
                continue
            }
            nextAt = min(nextAt ?? due, due)
        }
        try self.init(
            topics: row.get(0, as: ColumnArray<String>.self).values,
            notBefore: row.optionalMoment(1), counts: counts, nextAt: nextAt,
            isComplete: row.get(2), isClosed: row.get(3),
            awaits: row.optionalText(4), deferred: deferred.decoded(DeferredPhones.init))
    }
}
