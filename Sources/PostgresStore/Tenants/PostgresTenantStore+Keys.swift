import Domain
import EventStore
import Postgres

/// Questions about API keys, asked as the service: a key is looked up before its tenant is known.
extension PostgresTenantStore {
    func createKey(_ key: NewAPIKey) async throws(EventStoreError) -> Int64 {
        try await storing { () async throws(PostgresError) in
            let rows = try await pool.act(
                """
                INSERT INTO api_key (tenant, sha256, scopes, label, expires_at)
                VALUES ($1, $2, $3, $4, $5) RETURNING id
                """,
                [
                    .tenant(key.tenant), .bytea(key.sha256),
                    .texts(key.scopes.map(\.rawValue).sorted()), .text(key.label),
                    .moment(key.expiresAt),
                ])
            guard let id = try rows.first?.get(0, as: Int64.self) else {
                throw .decoding(column: "id", expected: "a row")
            }
            return id
        }
    }

    func keys(_ tenant: TenantID?) async throws(EventStoreError) -> [APIKeyRecord] {
        try await pool.rows(
            """
            SELECT \(APIKeyRecord.columns) FROM api_key k JOIN tenant t ON t.id = k.tenant
            WHERE $1::int4 IS NULL OR k.tenant = $1 ORDER BY k.id
            """, [.int4(tenant?.rawValue)], APIKeyRecord.init)
    }

    func revokeKey(_ id: Int64) async throws(EventStoreError) -> APIKeyRecord? {
        try await storing { () async throws(PostgresError) in
            try await pool.act(
                """
                WITH k AS (
                    UPDATE api_key SET revoked_at = coalesce(revoked_at, clock_timestamp())
                    WHERE id = $1 RETURNING *
                )
                SELECT \(APIKeyRecord.columns) FROM k JOIN tenant t ON t.id = k.tenant
                """, [.int8(id)]
            ).decoded(APIKeyRecord.init).first
        }
    }

    func grant(_ sha256: [UInt8]) async throws(EventStoreError) -> KeyGrant? {
        try await storing { () async throws(PostgresError) in
            guard let row = try await pool.query(Self.find, [.bytea(sha256)]).first else {
                return nil
            }
            if try row.get(5 + TenantLimits.columnCount) {
                // Only noted, never needed: a database that cannot write just now still lets keys
                // in.
                let id = try row.get(6 + TenantLimits.columnCount, as: Int64.self)
                _ = try? await pool.query(Self.noteUse, [.int8(id)])
            }
            return try KeyGrant(row)
        }
    }

    private static let isUseOld = """
        k.revoked_at IS NULL AND coalesce(k.last_used_at, 'epoch')
            < clock_timestamp() - interval '\(Limits.keyUseSecondsCoarse) seconds'
        """

    /// What somebody signed in with opens what its key does, and ends with it or before.
    private static let find = """
        SELECT t.id, t.name, k.scopes, least(k.expires_at, k.ends_at), k.revoked_at,
            \(TenantLimits.columns), \(isUseOld), k.id
        FROM (
            SELECT a.*, NULL::timestamptz AS ends_at FROM api_key a WHERE a.sha256 = $1
            UNION ALL
            SELECT a.*, s.expires_at FROM sign_in s JOIN api_key a ON a.id = s.key_id
            WHERE s.sha256 = $1
        ) k JOIN tenant t ON t.id = k.tenant
        LEFT JOIN tenant_limit l ON l.tenant = k.tenant
        """

    /// Never waits: whoever holds the row notes its use, or ends the key.
    private static let noteUse = """
        UPDATE api_key SET last_used_at = clock_timestamp() WHERE id = (
            SELECT k.id FROM api_key k WHERE k.id = $1 AND \(isUseOld)
            FOR UPDATE SKIP LOCKED
        )
        """
}

extension Row {
    /// A scope that this program does not know (any more) grants nothing.
    fileprivate func scopes(_ column: Int) throws(PostgresError) -> Set<Scope> {
        Set(try get(column, as: ColumnArray<String>.self).values.compactMap(Scope.init))
    }
}

extension KeyGrant {
    fileprivate init(_ row: Row) throws(PostgresError) {
        self.init(
            keyID: try row.get(6 + TenantLimits.columnCount), tenant: try Tenant(row),
            scopes: try row.scopes(2),
            expiresAt: try row.optionalMoment(3), revokedAt: try row.optionalMoment(4),
            limits: try TenantLimits(row, from: 5))
    }
}

extension APIKeyRecord {
    /// For `init(_: Row)`, of the tables under the names `k` and `t`.
    fileprivate static let columns = """
        k.id, t.id, t.name, k.label, k.scopes, k.created_at, k.expires_at, k.last_used_at,
        k.revoked_at
        """

    fileprivate init(_ row: Row) throws(PostgresError) {
        self.init(
            id: try row.get(0), tenant: try Tenant(row, from: 1), label: try row.optional(3),
            scopes: try row.scopes(4), createdAt: try row.moment(5),
            expiresAt: try row.optionalMoment(6), lastUsedAt: try row.optionalMoment(7),
            revokedAt: try row.optionalMoment(8))
    }
}
