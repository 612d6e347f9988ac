import Domain
import EventStore
import Postgres

/// Asked as the service, as keys are.
struct PostgresSignInStore: SignInStore {
    let pool: Pool

    func open(_ signIn: NewSignIn) async throws(EventStoreError) {
        try await storing { () async throws(PostgresError) in
            _ = try await pool.batch([
                Statement(Self.lockKey, [.int8(signIn.keyID)]),
                Statement(
                    Self.makeRoom, [.int8(signIn.keyID), .count(Limits.signInsPerKeyMax - 1)]),
                Statement(
                    Self.insert,
                    [
                        .tenant(signIn.tenant), .bytea(signIn.sha256), .int8(signIn.keyID),
                        .moment(signIn.expiresAt),
                    ]),
            ])
        }
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
