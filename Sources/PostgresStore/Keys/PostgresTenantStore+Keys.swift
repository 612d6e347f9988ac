import Domain
import EventStore
import Postgres

/// Questions about API keys, asked as the service.
extension PostgresTenantStore {
    func createKey(_ key: NewAPIKey) async throws(EventStoreError) -> Int64 {
        try await asked(
            try await pool.act(
                """
                INSERT INTO api_key (tenant, sha256, scopes, label, expires_at)
                VALUES ($1, $2, $3, $4, $5) RETURNING id
                """,
                [
                    .tenant(key.tenant), .bytea(key.sha256),
                    .texts(key.scopes.map(\.rawValue).sorted()), .text(key.label),
                    .moment(key.expiresAt),
                ]
            ).row(with: "id").get(0))
    }

    func keys(_ tenant: TenantID?) async throws(EventStoreError) -> [APIKeyRecord] {
        try await pool.rows(
            """
            SELECT \(APIKeyRecord.columns) FROM api_key k JOIN tenant t ON t.id = k.tenant
            WHERE $1::int4 IS NULL OR k.tenant = $1 ORDER BY k.id
            """, [.int4(tenant?.rawValue)], APIKeyRecord.init)
    }

    func revokeKey(_ id: Int64) async throws(EventStoreError) -> APIKeyRecord? {
        try await asked(
            try await pool.act(
                """
                WITH k AS (
                    UPDATE api_key SET revoked_at = coalesce(revoked_at, clock_timestamp())
                    WHERE id = $1 RETURNING *
                )
                SELECT \(APIKeyRecord.columns) FROM k JOIN tenant t ON t.id = k.tenant
                """, [.int8(id)]
            ).decoded(APIKeyRecord.init).first)
    }

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
