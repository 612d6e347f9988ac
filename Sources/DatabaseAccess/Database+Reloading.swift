import Domain
import Postgres
public import Terminal

extension Database {
    /// Opens connections by another URL from now on, which must lead to the same database: half of
    /// a node in another one would be worse than a restart.
    /// - Returns: false when it is the URL in use.
    public func reload(_ url: String) async throws(CommandFailure) -> Bool {
        let pools = [pool, deliveries, visitors].compactMap(\.self)
        guard pools.contains(where: { $0.url != url }) else { return false }
        do throws(PostgresError) {
            let known = try await Self.identity(pool)
            for pool in pools {
                var connection = pool.configuration.connection
                connection.url = url
                let fresh = Pool(
                    PoolConfiguration(connection: connection, connectionsMax: 1), loop: pool.loop)
                let found = await Result { () async throws(PostgresError) in
                    try await Self.identity(fresh)
                }
                await fresh.close()
                guard try found.get() == known else {
                    throw .cannotConnect(
                        detail: "it leads to another database, which takes a restart")
                }
            }
        } catch { throw .failed(Self.explanation(of: error)) }
        for pool in pools { pool.replaceURL(url) }
        return true
    }

    /// Of the cluster and the database in it; the same on its standbys.
    private static func identity(_ pool: Pool) async throws(PostgresError) -> String {
        let rows = try await pool.query(
            "SELECT system_identifier || '/' || current_database() FROM pg_control_system()")
        return try rows.first?.get(0) ?? ""
    }
}
