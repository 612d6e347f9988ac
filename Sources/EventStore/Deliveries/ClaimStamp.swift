import Domain
import Postgres

/// What making a claim durable gave.
struct ClaimStamp: Sendable {
    var timestamp: Int64
    var claimedAt: Moment
    private var roundVersion: Int64?
    private var round: DeliveryRound?

    /// A row of `ClaimQueries.stamp`.
    init(_ row: Row) throws(PostgresError) {
        timestamp = try row.get(2)
        claimedAt = try row.moment(3)
        roundVersion = try row.optional(4)
        guard roundVersion != nil else { return }
        round = DeliveryRound(
            after: try row.get(5), accepted: try row.get(6), failed: try row.get(7),
            timestamp: try row.get(8))
    }

    /// The round that was cut short, if it was one that settles the same decisions. With a newer
    /// one among them every phone has something to be sent.
    func round(settling version: Int64?) -> DeliveryRound? {
        version == roundVersion ? round : nil
    }
}
