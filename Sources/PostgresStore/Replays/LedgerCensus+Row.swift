import EventStore
import Postgres

extension LedgerCensus: RowDecodable {
    /// Of `decision`, as `init(from:)` reads them.
    static let columns = """
        count(*), coalesce(bit_xor(hashtextextended(activity_id, version)), 0)
        """

    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(rows: row.get(), fingerprint: UInt64(bitPattern: row.get()))
    }
}
