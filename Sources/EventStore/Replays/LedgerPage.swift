public import Domain
import Foundation
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

    /// Whether the row says just what a decision does of what is sent and why, byte by byte. One of
    /// other bytes may still mean the same; most need not be decoded to know that they do.
    public func says(_ decision: Decision, _ index: Int) throws(EventStoreError) -> Bool {
        let row = rows[index]
        do throws(PostgresError) {
            guard try row.int8(12) == decision.policyVersion,
                try row.int8(13) == decision.rulesVersion,
                try moment(row, 14) == decision.order?.sendAfter
            else { return false }
            return row.holds(3, decision.verdict.rawValue) && row.holds(4, decision.rule)
                && row.holds(7, decision.contentState)
                && row.holds(17, decision.significance?.rawValue)
                && row.holds(6, decision.alert.map { WireCoder.encode($0) })
                && row.holds(15, decision.order.map { WireCoder.encode($0) })
                && row.holds(16, decision.news.map { WireCoder.encode($0) })
        } catch { throw EventStoreError(error) }
    }

    private func moment(_ row: Row, _ column: Int) throws(PostgresError) -> Moment? {
        row.isNull(column) ? nil : Moment(try row.timestamp(column))
    }

    public func decision(_ index: Int) throws(EventStoreError) -> Decision {
        do { return try Decision(rows[index]) } catch { throw EventStoreError(error) }
    }
}
