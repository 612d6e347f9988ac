import Domain
import EventStore
import Postgres

/// What making a claim durable gave.
struct ClaimStamp: Sendable {
    var timestamp: Int64
    var claimedAt: Moment
    /// The node that had claimed it before and not settled it.
    var takenFrom: String?
    /// One that was cut short.
    private var round: DeliveryRound?

    /// A row of `ClaimQueries.stamp`.
    init(_ row: Row) throws(PostgresError) {
        timestamp = try row.int8(2)
        claimedAt = try row.moment(3)
        takenFrom = try row.optional(9)
        guard let settles: Int64 = try row.optional(4) else { return }
        round = DeliveryRound(
            settles: settles, after: try row.get(5), accepted: try row.get(6),
            failed: try row.get(7), timestamp: try row.optional(8))
    }

    /// The round that was cut short, if there is still something for it to settle.
    func round(settling pending: [Decision]) -> DeliveryRound? {
        guard let round, let first = pending.first, first.version <= round.settles else {
            return nil
        }
        return round
    }
}
