import Domain
import EventStore
import Postgres

/// What making a claim durable gave.
struct ClaimStamp: Sendable {
    var timestamp: Int64
    var claimedAt: Moment
    /// The node that had claimed it before and not completed it.
    var takenFrom: String?
    /// One that was cut short.
    private var fanOut: FanOutProgress?

    /// A row of `ClaimQueries.stamp`.
    init(_ row: Row) throws(PostgresError) {
        timestamp = try row.int8(2)
        claimedAt = try row.moment(3)
        takenFrom = try row.optional(9)
        guard let completes: Int64 = try row.optional(4) else { return }
        fanOut = FanOutProgress(
            completes: completes, after: try row.get(5), accepted: try row.get(6),
            failed: try row.get(7), timestamp: try row.optional(8))
    }

    /// The fan-out that was cut short, if there is still something for it to complete.
    func fanOut(completing pending: [Decision]) -> FanOutProgress? {
        guard let fanOut, let first = pending.first, first.version <= fanOut.completes else {
            return nil
        }
        return fanOut
    }
}
