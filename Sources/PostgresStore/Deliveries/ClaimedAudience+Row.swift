import Domain
import EventStore
import Postgres

extension ClaimedAudience {
    /// Of a row of `ClaimQueries.snapshots`. Nil where nobody can be started any more.
    init?(_ row: Row, from first: Int) throws(PostgresError) {
        guard let putVersion = try row.optional(first, as: Int32.self) else { return nil }
        try self.init(
            putVersion: putVersion, cursor: row.int8(first + 1),
            isDue: row.bool(first + 2))
    }
}
