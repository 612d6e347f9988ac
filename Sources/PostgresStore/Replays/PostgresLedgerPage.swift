import Domain
import EventStore
import Foundation
import JSON
import Postgres

/// An object, for it is handed on with each event.
final class PostgresLedgerPage: LedgerPage {
    private let rows: Rows
    /// By activity and version, which is how the database gives them out.
    private let order: [Entry]
    /// Of each activity's place, where its rows are in that order.
    private let ranges: [Range<Int>]

    private struct Entry {
        var place: Int
        var version: Int64
        var row: Int
    }

    /// The first is the activity's place among those that were asked for.
    static let columns = """
        a.place, d.version, d.verdict, d.rule, d.alert, d.content_state, d.policy_version,
        d.rules_version, d.send_after, d.push_order, d.news, d.significance
        """

    /// - Parameter places: how many activities were asked for.
    init(_ rows: Rows, places: Int) throws(PostgresError) {
        self.rows = rows
        var order: [Entry] = []
        order.reserveCapacity(rows.count)
        var isSorted = true
        for (index, row) in rows.enumerated() {
            let entry = Entry(
                place: Int(try row.int4(0)), version: try row.int8(1), row: index)
            if let last = order.last, (entry.place, entry.version) < (last.place, last.version) {
                isSorted = false
            }
            order.append(entry)
        }
        if !isSorted { order.sort { ($0.place, $0.version) < ($1.place, $1.version) } }
        var ranges = [Range<Int>](repeating: 0..<0, count: places)
        var start = 0
        for (index, entry) in order.enumerated() {
            if order[start].place != entry.place { start = index }
            ranges[entry.place] = start..<(index + 1)
        }
        self.order = order
        self.ranges = ranges
    }

    var count: Int { rows.count }

    /// - Parameter place: of the activity among those that were asked for.
    /// - Returns: for the questions below; nil when the ledger has no such row.
    func index(_ place: Int, _ version: Int64) -> Int? {
        let range = ranges[place]
        guard let lowest = range.first else { return nil }
        // Without a hole it is there; behind one it is in front.
        let distance = version - order[lowest].version
        guard distance >= 0 else { return nil }
        var index = min(lowest + Int(distance), range.upperBound - 1)
        while order[index].version > version { index -= 1 }
        return order[index].version == version ? order[index].row : nil
    }

    /// Whether the row says just what a decision does of what is sent and why, byte by byte. One of
    /// other bytes may still mean the same; most need not be decoded to know that they do.
    func says(_ decision: Decision, _ index: Int) throws(EventStoreError) -> Bool {
        let row = rows[index]
        do throws(PostgresError) {
            guard try row.int4(6) == decision.policyVersion,
                try row.int4(7) == decision.rulesVersion,
                try moment(row, 8) == decision.order?.sendAfter
            else { return false }
            return row.holds(2, decision.verdict.rawValue) && row.holds(3, decision.rule)
                && row.holds(5, decision.contentState)
                && row.holds(11, decision.significance?.rawValue)
                && Self.holds(row, 4, decision.alert) && Self.holds(row, 9, decision.order)
                && Self.holds(row, 10, decision.news)
        } catch { throw EventStoreError(error) }
    }

    /// Whether the row says that a change was held back and had nothing to say, and nothing else.
    func holdsBack(
        _ index: Int, rule: String, significance: Significance, contentState: Data,
        policyVersion: Int, rulesVersion: Int
    ) throws(EventStoreError) -> Bool {
        let row = rows[index]
        do throws(PostgresError) {
            guard try row.int4(6) == policyVersion, try row.int4(7) == rulesVersion else {
                return false
            }
            return row.isNull(8) && row.isNull(4) && row.isNull(9) && row.isNull(10)
                && row.holds(2, Verdict.hold.rawValue) && row.holds(3, rule)
                && row.holds(11, significance.rawValue) && row.holds(5, contentState)
        } catch { throw EventStoreError(error) }
    }

    private static func holds(
        _ row: Row, _ column: Int, _ value: (some CanonicalValue)?
    ) -> Bool {
        guard let value else { return row.isNull(column) }
        return row.holds(column) { WireCoder.isJSON($0, of: value) }
    }

    private func moment(_ row: Row, _ column: Int) throws(PostgresError) -> Moment? {
        row.isNull(column) ? nil : Moment(try row.timestamp(column))
    }

    /// The row's decision.
    /// - Parameter other: gives what is not read of the ledger.
    func decision(
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
