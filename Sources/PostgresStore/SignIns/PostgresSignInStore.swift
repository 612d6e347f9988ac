import Domain
import EventStore
import Postgres

/// Asked as the service, as keys are.
struct PostgresSignInStore: SignInStore {
    let pool: Pool

    func open(_ tenant: TenantID, _ keyID: Int64, _ sha256: [UInt8], _ expiresAt: Moment)
        async throws(EventStoreError)
    {
        let signIn: [Parameter] = [
            .tenant(tenant), .bytea(sha256), .int8(keyID), .moment(expiresAt),
        ]
        _ = try await asked(
            try await pool.batch([
                Statement(Self.lockKey, [.int8(keyID)]),
                Statement(Self.makeRoom, [.int8(keyID), .count(Limits.signInsPerKeyMax - 1)]),
                Statement(Self.insert, signIn),
            ]))
    }

    func end(_ tenant: TenantID, _ sha256: [UInt8]) async throws(EventStoreError) {
        try await pool.run(
            "DELETE FROM sign_in WHERE tenant = $1 AND sha256 = $2",
            [.tenant(tenant), .bytea(sha256)])
    }

    func endAll(_ tenant: TenantID, _ keyID: Int64) async throws(EventStoreError) {
        try await pool.run(
            "DELETE FROM sign_in WHERE tenant = $1 AND key_id = $2",
            [.tenant(tenant), .int8(keyID)])
    }

    /// $1 key. Until the commit nobody else signs in with it.
    private static let lockKey = "SELECT FROM api_key WHERE id = $1 FOR NO KEY UPDATE"

    /// $1 key, $2 how many of the newest stay. What has expired goes with them.
    private static let makeRoom = """
        DELETE FROM sign_in WHERE key_id = $1 AND (
            expires_at <= clock_timestamp() OR sha256 IN (
                SELECT sha256 FROM sign_in
                WHERE key_id = $1 AND expires_at > clock_timestamp()
                ORDER BY created_at DESC, sha256 OFFSET $2
            )
        )
        """

    private static let insert = """
        INSERT INTO sign_in (tenant, sha256, key_id, expires_at) VALUES ($1, $2, $3, $4)
        """
}
