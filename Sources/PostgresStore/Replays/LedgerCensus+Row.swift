import EventStore
import Postgres

extension LedgerCensus {
    /// For `init(_: Row)`, of `decision`.
    static let columns = """
        count(*), coalesce(bit_xor(hashtextextended(activity_id, version)), 0)
        """

    init(_ row: Row) throws(PostgresError) {
        self.init(
            rows: Int(try row.int8(0)), fingerprint: UInt64(bitPattern: try row.int8(1)))
    }
}
