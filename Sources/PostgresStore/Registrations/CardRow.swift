import Domain
import EventStore
import Postgres

/// A row of `registration` as far as the rules look at it.
struct CardRow {
    var id: Int64
    var token: String
    var state: CardState

    init(_ row: Row) throws(PostgresError) {
        id = try row.get(0)
        token = try row.get(1)
        state = CardState(
            tokenVersion: try row.get(2), installation: try row.optional(3, as: String.self),
            closing: try row.optional(4, as: String.self).flatMap(Closing.init),
            reported: try row.optional(5, as: String.self).flatMap(CardReport.init))
    }
}
