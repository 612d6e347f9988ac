public import Domain
import Postgres

/// The ledger's rows for a stretch of the log, as Postgres gave them out; each is decoded by
/// whoever needs it.
public struct LedgerPage: Sendable {
    private let rows: Rows

    /// The columns of a `LedgerRow`, of which these two come first.
    private static let activityColumn = 0
    private static let versionColumn = 1

    init(_ rows: Rows) { self.rows = rows }

    public var indices: Range<Int> { rows.startIndex..<rows.endIndex }

    /// As `LogPage` spreads them.
    public func share(of index: Int, among count: Int) -> Int {
        LogPage.share(of: rows[index], Self.activityColumn, among: count)
    }

    public func activity(_ index: Int) throws(EventStoreError) -> ActivityID {
        do { return ActivityID(rawValue: try rows[index].text(Self.activityColumn)) } catch {
            throw EventStoreError(error)
        }
    }

    public func version(_ index: Int) throws(EventStoreError) -> Int64 {
        do { return try rows[index].int8(Self.versionColumn) } catch {
            throw EventStoreError(error)
        }
    }

    public func decision(_ index: Int) throws(EventStoreError) -> Decision {
        do { return try Decision(rows[index]) } catch { throw EventStoreError(error) }
    }
}
