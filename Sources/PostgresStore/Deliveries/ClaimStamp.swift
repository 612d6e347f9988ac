import Domain
import EventStore
import Postgres

/// What making a claim durable gave.
struct ClaimStamp: Sendable, RowDecodable {
    var timestamp: Int64
    var claimedAt: Moment
    /// The node that had claimed it before and not completed it.
    var takenFrom: String?
    /// One that was cut short.
    private var fanOut: RecordedProgress?

    /// What comes behind the key in a row of `ClaimQueries.stamp`.
    init(from row: inout RowReader) throws(PostgresError) {
        timestamp = try row.get()
        claimedAt = try row.moment()
        takenFrom = try row.optional()
        guard let completesUpTo: Int64 = try row.optional() else { return }
        fanOut = RecordedProgress(
            completesUpTo: completesUpTo, afterRegistrationID: try row.get(),
            accepted: try row.get(),
            failed: try row.get(), timestamp: try row.optional())
    }

    /// The fan-out that was cut short, if there is still something for it to complete.
    func fanOut(completing pending: [Decision]) -> RecordedProgress? {
        guard let fanOut, let first = pending.first, first.version <= fanOut.completesUpTo else {
            return nil
        }
        return fanOut
    }
}
