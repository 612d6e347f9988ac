public import Domain

/// How many rows of the ledger there are, and which, in a few bytes. A caller that knows which rows
/// there should be need not look for them one by one, which takes the database as long as all the
/// rest. Of an activity's version there is one row at most.
public struct LedgerCensus: Hashable, Sendable {
    public private(set) var rows: Int
    /// Of all activities and versions, in whatever order.
    private var fingerprint: UInt64

    public init() { self.init(rows: 0, fingerprint: 0) }

    public init(rows: Int, fingerprint: UInt64) {
        self.rows = rows
        self.fingerprint = fingerprint
    }

    public mutating func add(_ activity: ActivityID, _ version: Int64) {
        rows += 1
        fingerprint ^= PostgresHash.extended(activity.rawValue, seed: version)
    }

    public mutating func add(_ other: LedgerCensus) {
        rows += other.rows
        fingerprint ^= other.fingerprint
    }
}
