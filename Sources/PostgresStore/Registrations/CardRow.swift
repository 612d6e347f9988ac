import Domain
import Postgres

/// A row of `registration` as far as the rules look at it.
struct CardRow: RowDecodable {
    var id: Int64
    var token: String
    var state: CardState

    init(from row: inout RowReader) throws(PostgresError) {
        id = try row.get()
        token = try row.get()
        state = CardState(
            tokenVersion: try row.get(), installation: try row.optional(as: String.self),
            closing: try row.optional(as: String.self).flatMap(Closing.init),
            reported: try row.optional(as: String.self).flatMap(CardReport.init),
            hasSuccessor: try row.get())
    }
}
