import Domain
import Encodings
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
        a.place, d.version, d.verdict, d.rule, d.policy_version, d.rules_version, d.send_after,
        \(Decision.details.source("d."))
        """

    /// - Parameter places: how many activities were asked for.
    init(_ rows: Rows, places: Int) throws(PostgresError) {
        self.rows = rows
        var order: [Entry] = []
        order.reserveCapacity(rows.count)
        for (index, row) in rows.enumerated() {
            order.append(
                Entry(place: Int(try row.int4(0)), version: try row.int8(1), row: index))
        }
        // Mostly they are in order, and then it is only looked whether they are.
        order.sort { ($0.place, $0.version) < ($1.place, $1.version) }
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

    func index(_ place: Int, _ version: Int64) -> Int? {
        let range = ranges[place]
        guard let lowest = range.first else { return nil }
        // Without a gap it is there; behind one it is in front.
        let distance = version - order[lowest].version
        guard distance >= 0 else { return nil }
        var index = min(lowest + Int(distance), range.upperBound - 1)
        while order[index].version > version { index -= 1 }
        return order[index].version == version ? order[index].row : nil
    }

    func says(_ decision: Decision, _ index: Int) throws(EventStoreError) -> Bool {
        let row = rows[index]
        do throws(PostgresError) {
            guard try row.int4(4) == decision.policyVersion,
                try row.int4(5) == decision.rulesVersion,
                try row.optionalMoment(6) == decision.order?.sendAfter,
                row.equals(2, decision.verdict.rawValue), row.equals(3, decision.rule)
            else { return false }
            let details = try Details(row)
            return Decision.Detail.compared.allSatisfy { details.agree($0, with: decision) }
        } catch { throw EventStoreError(error) }
    }

    /// What a change that is held and has nothing to say leaves out.
    private static let leftOut = Decision.Detail.compared.filter {
        $0 != .significance && $0 != .contentState
    }

    func saysHold(
        _ index: Int, rule: String, significance: Significance, contentState: Data,
        policyVersion: Int, rulesVersion: Int
    ) throws(EventStoreError) -> Bool {
        let row = rows[index]
        do throws(PostgresError) {
            guard try row.int4(4) == policyVersion, try row.int4(5) == rulesVersion,
                row.isNull(6), row.equals(2, Verdict.hold.rawValue), row.equals(3, rule)
            else { return false }
            let details = try Details(row)
            return details.isSilent(about: Self.leftOut)
                && details.say(.significance, significance)
                && details.say(.contentState, contentState)
        } catch { throw EventStoreError(error) }
    }

    func decision(
        _ index: Int, insteadOf other: Decision
    ) throws(EventStoreError) -> Decision {
        let row = rows[index]
        do throws(PostgresError) {
            var decision = Decision(
                activityID: other.activityID, version: other.version, position: other.position,
                verdict: try row.choice(2), rule: try row.text(3), reason: other.reason,
                contentState: Data(), staleAt: other.staleAt, dismissAt: other.dismissAt,
                relevanceScore: other.relevanceScore, decidedAt: other.decidedAt,
                policyVersion: Int(try row.int8(4)), rulesVersion: Int(try row.int8(5)))
            try Details(row).read(into: &decision)
            decision.order?.sendAfter = try row.optionalMoment(6)
            return decision
        } catch { throw EventStoreError(error) }
    }
}

/// The texts of one row.
private struct Details {
    private static let column = 7

    private let texts: PackedTexts.Unpacked

    init(_ row: Row) throws(PostgresError) {
        texts = try PackedTexts.Unpacked(row, Self.column, count: Decision.Detail.allCases.count)
    }

    func isSilent(about details: [Decision.Detail]) -> Bool {
        details.allSatisfy { texts[$0.rawValue] == nil }
    }

    /// Whether a detail is as the decision has it, or is not compared.
    func agree(_ detail: Decision.Detail, with decision: Decision) -> Bool {
        switch detail {
        case .significance: say(detail, decision.significance)
        case .alert: say(detail, decision.alert)
        case .news: say(detail, decision.alertContext)
        case .contentState: say(detail, decision.contentState)
        case .order: say(detail, decision.order)
        case .reason, .relevanceScore, .staleAt: true
        }
    }

    /// Takes over what is compared.
    func read(into decision: inout Decision) throws(PostgresError) {
        for detail in Decision.Detail.compared {
            if let text = texts[detail.rawValue] { try detail.text.set(&decision, text) }
        }
    }

    func say(_ detail: Decision.Detail, _ content: Data) -> Bool {
        texts.matches(detail.rawValue) { text in
            content.withUnsafeBytes { $0.isSame(as: text) }
        }
    }

    func say(_ detail: Decision.Detail, _ choice: Significance?) -> Bool {
        guard let choice else { return texts[detail.rawValue] == nil }
        return texts.matches(detail.rawValue) { $0.elementsEqual(choice.rawValue.utf8) }
    }

    func say(_ detail: Decision.Detail, _ value: (some CanonicalValue)?) -> Bool {
        guard let value else { return texts[detail.rawValue] == nil }
        return texts.matches(detail.rawValue) { WireCoder.isJSON($0, of: value) }
    }
}
