public import Domain
import Foundation
import Postgres

/// The ledger's rows beside a stretch of the log, as Postgres gave them out: what of each decision
/// follows from the log, and not what became of it. Each is decoded by whoever needs it.
public struct LedgerPage: Sendable {
    private struct Key: Hashable {
        var place: Int32
        var version: Int64
    }

    private let rows: Rows
    private let indices: [Key: Int32]

    /// The first is the activity's place among those that were asked for.
    static let columns = """
        a.place, d.version, d.verdict, d.rule, d.alert, d.content_state, d.policy_version,
        d.rules_version, d.send_after, d.push_order, d.news, d.significance
        """

    init(_ rows: Rows) throws(PostgresError) {
        self.rows = rows
        var indices: [Key: Int32] = [:]
        indices.reserveCapacity(rows.count)
        for (index, row) in rows.enumerated() {
            indices[Key(place: try row.int4(0), version: try row.int8(1))] = Int32(index)
        }
        self.indices = indices
    }

    public var count: Int { rows.count }

    /// - Parameter place: of the activity among those that were asked for.
    /// - Returns: for the questions below; nil when the ledger has no such row.
    public func index(_ place: Int, _ version: Int64) -> Int? {
        indices[Key(place: Int32(place), version: version)].map(Int.init)
    }

    /// Whether the row says just what a decision does of what is sent and why, byte by byte. One of
    /// other bytes may still mean the same; most need not be decoded to know that they do.
    public func says(_ decision: Decision, _ index: Int) throws(EventStoreError) -> Bool {
        let row = rows[index]
        do throws(PostgresError) {
            guard try row.int8(6) == decision.policyVersion,
                try row.int8(7) == decision.rulesVersion,
                try moment(row, 8) == decision.order?.sendAfter
            else { return false }
            return row.holds(2, decision.verdict.rawValue) && row.holds(3, decision.rule)
                && row.holds(5, decision.contentState)
                && row.holds(11, decision.significance?.rawValue)
                && row.holds(4, decision.alert.map { WireCoder.encode($0) })
                && row.holds(9, decision.order.map { WireCoder.encode($0) })
                && row.holds(10, decision.news.map { WireCoder.encode($0) })
        } catch { throw EventStoreError(error) }
    }

    private func moment(_ row: Row, _ column: Int) throws(PostgresError) -> Moment? {
        row.isNull(column) ? nil : Moment(try row.timestamp(column))
    }

    /// The row's decision.
    /// - Parameter other: gives what is not read of the ledger.
    public func decision(
        _ index: Int, insteadOf other: Decision
    ) throws(EventStoreError) -> Decision {
        let row = rows[index]
        var decision = other
        do throws(PostgresError) {
            decision.verdict = try row.choice(2)
            decision.rule = try row.text(3)
            decision.alert = try Decision.json(row, 4)
            decision.contentState = try row.content(5)
            decision.policyVersion = Int(try row.int8(6))
            decision.rulesVersion = Int(try row.int8(7))
            decision.order = try Decision.order(row, 8)
            decision.news = try Decision.json(row, 10)
            decision.significance = try row.optionalChoice(11)
        } catch { throw EventStoreError(error) }
        return decision
    }
}
