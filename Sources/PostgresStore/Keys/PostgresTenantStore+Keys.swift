import Domain
import EventStore
import Postgres

/// Questions about API keys, asked as the service.
extension PostgresTenantStore {
    func createKey(_ key: NewAPIKey) async throws(EventStoreError) -> Int64? {
        try await asked(
            try await pool.act([
                Statement(Self.lockTenant, [.tenant(key.tenant)]),
                Statement(
                    Self.insertKey,
                    [
                        .tenant(key.tenant), .bytea(key.sha256),
                        .texts(key.scopes.map(\.rawValue).sorted()), .text(key.label),
                        .moment(key.expiresAt), .count(Limits.keysPerTenantMax),
                    ]),
            ])[1].first?.get(0))
    }

    func keys(
        _ tenant: TenantID?, _ after: Int64, _ limit: Int
    ) async throws(EventStoreError) -> [APIKeyRecord] {
        let page: [Parameter] = [.int8(after), .count(limit)]
        guard let tenant else {
            return try await pool.rows(Self.keysOfAll, page, APIKeyRecord.init)
        }
        return try await pool.rows(
            Self.keysOfTenant, page + [.tenant(tenant)], APIKeyRecord.init)
    }

    func revokeKey(
        _ id: Int64, of tenant: TenantID?
    ) async throws(EventStoreError) -> APIKeyRecord? {
        try await asked(
            try await pool.act(
                """
                WITH k AS (
                    UPDATE api_key SET revoked_at = coalesce(revoked_at, clock_timestamp())
                    WHERE id = $1 AND ($2::int4 IS NULL OR tenant = $2) RETURNING *
                )
                SELECT \(APIKeyRecord.columns) FROM k JOIN tenant t ON t.id = k.tenant
                """, [.int8(id), .int4(tenant?.rawValue)]
            ).decoded(APIKeyRecord.init).first)
    }

    /// $1 tenant. Until the commit nobody else makes a key for it.
    private static let lockTenant = "SELECT FROM tenant WHERE id = $1 FOR NO KEY UPDATE"

    /// Of `api_key`: neither revoked nor expired, as the index of such keys has it.
    static let isInForce = """
        revoked_at IS NULL AND coalesce(expires_at, 'infinity') > statement_timestamp()
        """

    static let insertKey = """
        INSERT INTO api_key (tenant, sha256, scopes, label, expires_at)
        SELECT $1, $2, $3, $4, $5
        WHERE (SELECT count(*) FROM api_key WHERE tenant = $1 AND \(isInForce)) < $6
        RETURNING id
        """

    /// $1 the id before, $2 how many.
    private static let keysOfAll = """
        SELECT \(APIKeyRecord.columns) FROM api_key k JOIN tenant t ON t.id = k.tenant
        WHERE k.id > $1 ORDER BY k.id LIMIT $2
        """

    /// $1 the id before, $2 how many, $3 tenant. `BETWEEN` and not an equality, so that the order
    /// by tenant counts: a plan that goes by the ids alone goes through all other tenants' keys.
    static let keysOfTenant = """
        SELECT \(APIKeyRecord.columns) FROM api_key k JOIN tenant t ON t.id = k.tenant
        WHERE k.tenant BETWEEN $3 AND $3 AND k.id > $1 ORDER BY k.tenant, k.id LIMIT $2
        """

    func lookUp(key sha256: [UInt8]) async throws(EventStoreError) -> KeyLookup? {
        try await asked(try await lookups.value(of: sha256))?.get()
    }
}

extension APIKeyRecord: RowDecodable {
    /// Columns of the tables under the names `k` and `t`.
    fileprivate static let columns = """
        k.id, t.id, t.name, k.label, k.scopes, k.created_at, k.expires_at, k.last_used_at,
        k.revoked_at
        """

    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            id: row.get(), tenant: Tenant(from: &row), label: row.optional(),
            scopes: row.scopes(), createdAt: row.moment(),
            expiresAt: row.optionalMoment(), lastUsedAt: row.optionalMoment(),
            revokedAt: row.optionalMoment())
    }
}
