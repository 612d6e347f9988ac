import Domain
import EventStore
import Postgres

/// What presented API keys stand for.
extension PostgresTenantStore {
    /// As the service, for the keys' tenants are not known yet. A failure is that of a tenant which
    /// has left and is open nowhere yet.
    @Sendable
    static func readLookups(
        _ pool: Pool, _ keys: Set<[UInt8]>
    ) async throws(PostgresError) -> [[UInt8]: Result<KeyLookup, EventStoreError>] {
        let results = try await pool.batch([
            Statement(Self.find, [.byteas(keys)]), Statement(Self.findDeparted, [.byteas(keys)]),
        ])
        var lookups: [[UInt8]: Result<KeyLookup, EventStoreError>] = [:]
        var unnoted: [Int64] = []
        for row in results[1] {
            lookups[try row.get(0)] =
                try row.bool(1)
                ? .failure(.betweenCells) : .success(.departed(to: try Cell(row, from: 2)))
        }
        for row in results[0] {
            let grant = try KeyGrant(row, from: 2)
            lookups[try row.get(0)] = .success(.granted(grant))
            if try row.bool(1) { unnoted.append(grant.keyID) }
        }
        if !unnoted.isEmpty {
            // Only noted, never needed: a database that cannot write just now still lets keys in.
            _ = try? await pool.query(Self.noteUse, [.int8s(unnoted)])
        }
        return lookups
    }

    private static let isUseOld = """
        k.revoked_at IS NULL AND coalesce(k.last_used_at, 'epoch')
            < clock_timestamp() - interval '\(Limits.keyUseSecondsCoarse) seconds'
        """

    /// What somebody signed in with opens what its key does, and ends with it or before.
    private static let find = """
        SELECT k.presented, \(isUseOld), k.id, t.id, t.name, k.scopes,
            least(k.expires_at, k.ends_at), k.revoked_at, k.ends_at IS NOT NULL,
            \(TenantLimits.columns)
        FROM (
            SELECT a.sha256 AS presented, a.*, NULL::timestamptz AS ends_at
            FROM api_key a WHERE a.sha256 = ANY ($1)
            UNION ALL
            SELECT s.sha256, a.*, s.expires_at FROM sign_in s JOIN api_key a ON a.id = s.key_id
            WHERE s.sha256 = ANY ($1)
        ) k JOIN tenant t ON t.id = k.tenant
        LEFT JOIN tenant_limit l ON l.tenant = k.tenant
        """

    private static let findDeparted = """
        SELECT k.sha256, \(Cell.isNowhere), \(Cell.columns) FROM departed_key k
        JOIN departed_tenant d ON d.tenant = k.tenant JOIN cell c ON c.name = d.cell
        WHERE k.sha256 = ANY ($1)
        """

    /// Never waits: another session that has locked a row notes its use, or ends the key, and a
    /// standby that is away need not have it.
    private static let noteUse = """
        WITH async_commit AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
        UPDATE api_key SET last_used_at = clock_timestamp() FROM async_commit WHERE id IN (
            SELECT k.id FROM api_key k WHERE k.id = ANY ($1) AND \(isUseOld)
            FOR UPDATE SKIP LOCKED
        )
        """
}

extension Cell {
    /// Whether the tenant of `departed_tenant`, under the name `d`, is not open in its new cell
    /// yet: a caller that was sent there now would be taken for a stranger.
    static let isNowhere = """
        EXISTS (
            SELECT FROM tenant_move m
            WHERE m.tenant = d.tenant AND m.state = 'gone' AND m.opened_at IS NULL
        )
        """
}

extension EventStoreError {
    static let betweenCells = moving(
        detail: "the tenant has left this cell, and is not open in the other one yet")
}

extension KeyGrant: RowDecodable {
    /// Reads a row of `find`.
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            keyID: row.get(), tenant: Tenant(from: &row), scopes: row.scopes(),
            expiresAt: row.optionalMoment(), revokedAt: row.optionalMoment(),
            isSignIn: row.get(), limits: TenantLimits(from: &row))
    }
}

extension RowReader {
    /// A scope that this program does not know (any more) grants nothing.
    mutating func scopes() throws(PostgresError) -> Set<Scope> {
        Set(try get(as: ColumnArray<String>.self).values.compactMap(Scope.init))
    }
}
