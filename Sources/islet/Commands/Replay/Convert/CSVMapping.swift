import API
import Domain
import Foundation
import Projections
import TLS

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
        guard !events.isEmpty else { throw ConversionFault(reason: "the mapping names no events") }
        for rule in events {
            guard let type = ActivityCatalog.standard.eventType(named: rule.type) else {
                let known = ActivityCatalog.standard.eventTypes.map(\.name)
                let near = Similarity.nearest(to: rule.type, among: known)
                throw ConversionFault(
                    reason: "the mapping names \(rule.type), which is no type of event"
                        + (near.isEmpty ? "" : "; did you mean \(near.joined(separator: ", "))?"))
            }
            let fields = type.versions[type.newestVersion - 1]
            for name in (rule.data ?? [:]).keys.sorted()
            where !fields.contains(where: { $0.name == name }) {
                throw ConversionFault(
                    reason: "the mapping gives \(rule.type) a field \(name), which it has not; "
                        + "there is " + fields.map(\.name).joined(separator: ", "))
            }
            for field in fields where field.isRequired && rule.data?[field.name] == nil {
                throw ConversionFault(
                    reason: "the mapping gives \(rule.type) no column for \(field.name), without "
                        + "which there is no such event")
            }
        }
    }

    /// - Parameter table: in UTF-8.
    func events(_ table: Data) throws(ConversionFault) -> [ConvertedEvent] {
        guard let text = String(validating: table, as: UTF8.self) else {
            throw ConversionFault(reason: "is not UTF-8; save the table as CSV in UTF-8")
        }
        var rows = CSVRows(text)
        guard let head = try rows.next() else {
            throw ConversionFault(reason: "has no first line with names of columns")
        }
        // Two of one name do no harm while nobody asks for them.
        let columns = Dictionary(
            zip(head, 0...).map { ($0.0, $0.1) }, uniquingKeysWith: { first, _ in first })
        try check(columns, head)
        var made: [ConvertedEvent] = []
        var known: Set<String> = []
        var number = 1
        while let row = try rows.next() {
            number += 1
            if row == [""] { continue }
            guard row.count <= head.count else {
                throw ConversionFault(
                    reason: "row \(number) has \(row.count) cells, the first line "
                        + "\(head.count); put what holds a comma in quotes")
            }
            func cell(_ column: String) -> String {
                columns[column].flatMap { $0 < row.count ? row[$0] : nil } ?? ""
            }
            for (index, rule) in events.enumerated() where !cell(rule.time).isEmpty {
                let event = try event(rule, index + 1, number, cell)
                // The same row once more says nothing new.
                if known.insert(event.id).inserted { made.append(event) }
            }
        }
        guard !made.isEmpty else {
            let times = events.map { "'\($0.time)'" }.joined(separator: ", ")
            throw ConversionFault(reason: "has no row with a time in \(times)")
        }
        return made.sorted { ($0.time, $0.id) < ($1.time, $1.id) }
    }

    private func check(
        _ columns: [String: Int], _ head: [String]
    ) throws(ConversionFault) {
        let named = [subject] + events.flatMap { [$0.time] + Array(($0.data ?? [:]).values) }
        for column in named where columns[column] == nil {
            let near = Similarity.nearest(to: column, among: head)
            throw ConversionFault(
                reason: "has no column '\(column)'; there is "
                    + (near.isEmpty ? head : near).joined(separator: ", "))
        }
        for column in named {
            let places = head.indices.filter { head[$0] == column }.map { "\($0 + 1)" }
            guard places.count > 1 else { continue }
            throw ConversionFault(
                reason: "columns \(places.joined(separator: " and ")) have one name, '\(column)', "
                    + "which the mapping names; give all but the one that is meant another name")
        }
    }

    /// - Parameter number: of the rule, from 1: two of one type may read different columns.
    private func event(
        _ rule: Rule, _ number: Int, _ row: Int, _ cell: (String) -> String
    ) throws(ConversionFault) -> ConvertedEvent {
        guard let time = Moment(rfc3339: cell(rule.time)) else {
            throw ConversionFault(
                reason:
                    "row \(row), column '\(rule.time)': '\(cell(rule.time))' is no time with a "
                    + "zone such as 2026-05-01T12:00:00Z")
        }
        var data: [String: ConvertedEvent.Value] = [:]
        let type = ActivityCatalog.standard.eventType(named: rule.type)
        for (name, column) in rule.data ?? [:] where !cell(column).isEmpty {
            let field = type?.versions.last?.first { $0.name == name }
            data[name] = try Self.value(cell(column), of: field, row: row, column)
        }
        let event = ConvertedEvent(
            id: Self.id(rule, number, cell(subject), time, data), source: source ?? "/csv",
            type: rule.type, subject: cell(subject), time: time, data: data)
        if let fault = event.faults.first {
            throw ConversionFault(reason: complaint(fault, rule, row, cell))
        }
        return event
    }

    /// The same for the same content, wherever in which file it stands, so that a table can grow
    /// and be converted again.
    private static func id(
        _ rule: Rule, _ number: Int, _ subject: String, _ time: Moment,
        _ data: [String: ConvertedEvent.Value]
    ) -> String {
        let parts = [Data(subject.utf8), Data(time.rfc3339.utf8), WireCoder.encode(data)]
        // No byte of a text is 0xFF.
        let content = Data(parts.joined(separator: [0xFF]))
        let digits = SHA256.hash(Array(content)).prefix(12).map {
            String(UInt16($0) + 0x100, radix: 16).dropFirst()
        }
        return "\(rule.type)-\(number)-\(digits.joined())"
    }

    /// By the place in the table, and in the server's words.
    private func complaint(
        _ fault: API.EventFault, _ rule: Rule, _ row: Int, _ cell: (String) -> String
    ) -> String {
        let path = fault.pointer.split(separator: "/").map(String.init)
        if path.first == "source" { return "the mapping: \(fault.detail)" }
        let column: String? =
            switch path.first {
            case "subject": subject
            case "data": path.last.flatMap { rule.data?[$0] }
            default: nil
            }
        let place = column.map { ", column '\($0)': '\(cell($0))'" } ?? ""
        return "row \(row)\(place): \(fault.detail)"
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
