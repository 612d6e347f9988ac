import Domain
import EventStore
import Postgres

extension ClaimedAudience: RowDecodable {
    /// Of a row of `ClaimQueries.snapshots`, in which it is NULL where nobody can be started any
    /// more.
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(putVersion: row.get(), cursor: row.get(), isDue: row.get())
    }
}
