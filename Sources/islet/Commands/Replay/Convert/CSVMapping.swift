import Domain
import Foundation
import Projections

/// Says which events the rows of a table make.
struct CSVMapping: Decodable {
    struct Rule: Decodable {
        var type: String
        /// Column with the time; an empty one makes no event.
        var time: String
        /// Columns by the fields of the event.
        var data: [String: String]?
    }

    /// Column with the activity's id.
    var subject: String
    var source: String?
    var events: [Rule]

    init(_ data: Data) throws(ConversionFault) {
        do { self = try JSONDecoder().decode(CSVMapping.self, from: data) } catch {
            throw ConversionFault(
                reason: "the mapping is not {\"subject\": COLUMN, \"events\": [{\"type\": TYPE, "
                    + "\"time\": COLUMN, \"data\": {FIELD: COLUMN}}]}")
        }
        for rule in events {
            guard let type = ActivityCatalog.standard.eventType(named: rule.type) else {
                let known = ActivityCatalog.standard.eventTypes.map(\.name)
                let near = Similarity.nearest(to: rule.type, among: known)
                throw ConversionFault(
                    reason: "the mapping names \(rule.type), which is no type of event"
                        + (near.isEmpty ? "" : "; did you mean \(near.joined(separator: ", "))?"))
            }
            let fields = type.versions[type.newestVersion - 1].map(\.name)
            for name in (rule.data ?? [:]).keys.sorted() where !fields.contains(name) {
                throw ConversionFault(
                    reason: "\(rule.type) has no field \(name); there is "
                        + fields.joined(separator: ", "))
            }
        }
    }

    func events(_ text: String) throws(ConversionFault) -> [ConvertedEvent] {
        var rows = CSVRows(text)
        guard let head = rows.next() else { throw ConversionFault(reason: "has no first line") }
        let columns = Dictionary(
            zip(head, 0...).map { ($0.0, $0.1) }, uniquingKeysWith: { first, _ in first })
        let named = [subject] + events.flatMap { [$0.time] + Array(($0.data ?? [:]).values) }
        for column in named where columns[column] == nil {
            let near = Similarity.nearest(to: column, among: head)
            throw ConversionFault(
                reason: "has no column '\(column)'; there is "
                    + (near.isEmpty ? head : near).joined(separator: ", "))
        }
        var made: [ConvertedEvent] = []
        var number = 1
        while let row = rows.next() {
            number += 1
            if row == [""] { continue }
            func cell(_ column: String) -> String {
                columns[column].flatMap { $0 < row.count ? row[$0] : nil } ?? ""
            }
            for rule in events where !cell(rule.time).isEmpty {
                made.append(try event(rule, number, cell))
            }
        }
        return made.sorted { ($0.time, $0.id) < ($1.time, $1.id) }
    }

    private func event(
        _ rule: Rule, _ line: Int, _ cell: (String) -> String
    ) throws(ConversionFault) -> ConvertedEvent {
        guard let time = Moment(rfc3339: cell(rule.time)) else {
            throw ConversionFault(
                reason:
                    "row \(line), column '\(rule.time)': '\(cell(rule.time))' is no time with a "
                    + "zone such as 2026-05-01T12:00:00Z")
        }
        var data: [String: ConvertedEvent.Value] = [:]
        let type = ActivityCatalog.standard.eventType(named: rule.type)
        for (name, column) in rule.data ?? [:] where !cell(column).isEmpty {
            let field = type?.versions.last?.first { $0.name == name }
            data[name] = try Self.value(cell(column), of: field, row: line, column)
        }
        return ConvertedEvent(
            id: "\(line)-\(rule.type)", source: source ?? "/csv", type: rule.type,
            subject: cell(subject), time: time, data: data)
    }

    private static func value(
        _ text: String, of field: EventField?, row: Int, _ column: String
    ) throws(ConversionFault) -> ConvertedEvent.Value {
        switch field?.shape {
        case .integer:
            if let number = Int(text) { return .integer(number) }
        case .flag:
            if let flag = ["true": true, "false": false, "1": true, "0": false][text.lowercased()] {
                return .flag(flag)
            }
        case .text, .moment, .choice, nil: return .text(text)
        }
        throw ConversionFault(
            reason: "row \(row), column '\(column)': '\(text)' must be \(field?.expectation ?? "")")
    }
}

/// Takes a table apart: commas, quotes where a cell holds one, two for one (RFC 4180).
struct CSVRows: IteratorProtocol {
    private var rest: Substring.UnicodeScalarView

    init(_ text: String) {
        rest = Substring(text.replacing("\r\n", with: "\n")).unicodeScalars
    }

    /// - Returns: nil at the end.
    mutating func next() -> [String]? {
        guard !rest.isEmpty else { return nil }
        var cells: [String] = []
        var cell = ""
        var isQuoted = false
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"" where isQuoted && rest.first == "\"":
                cell.unicodeScalars.append("\"")
                rest.removeFirst()
            case "\"": isQuoted.toggle()
            case "," where !isQuoted:
                cells.append(cell)
                cell = ""
            case "\n" where !isQuoted: return cells + [cell]
            default: cell.unicodeScalars.append(scalar)
            }
        }
        return cells + [cell]
    }
}
