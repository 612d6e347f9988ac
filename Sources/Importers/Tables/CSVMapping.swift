import API
import Domain
import Encodings
import Foundation
import JSON
import Projections
import TLS
import Terminal

/// Says which events the rows of a table make.
struct CSVMapping: Decodable {
    struct Rule: Decodable {
        var type: String
        /// Column with the time; an empty one makes no event.
        var time: String
        /// Where the event's fields come from.
        var data: [String: Origin]?

        fileprivate enum CodingKeys: String, CodingKey, CaseIterable { case type, time, data }
    }

    /// Where a value comes from.
    enum Origin: Decodable, Hashable {
        case column(String)
        /// The same in every row.
        case constant(JSON)

        init(from decoder: any Decoder) throws {
            if let column = try? decoder.singleValueContainer().decode(String.self) {
                self = .column(column)
            } else {
                let fixed = try decoder.container(keyedBy: CodingKeys.self)
                let value = try fixed.decode(JSON.self, forKey: .constant)
                guard let simple = FieldValue(value), simple != .other else {
                    throw DecodingError.dataCorruptedError(
                        forKey: .constant, in: fixed,
                        debugDescription: "is no text, whole number or boolean")
                }
                self = .constant(value)
            }
        }

        fileprivate enum CodingKeys: String, CodingKey, CaseIterable { case constant }

        /// Nil for a constant.
        var column: String? {
            switch self {
            case .column(let column): column
            case .constant: nil
            }
        }
    }

    /// Of the activity's id.
    var subject: Origin
    var source: String?
    var events: [Rule]

    private enum CodingKeys: String, CodingKey, CaseIterable { case subject, source, events }

    init(_ data: Data) throws(ConversionError) {
        if let reason = data.textRefusal("save it as JSON in UTF-8") {
            throw ConversionError(reason: "the mapping \(reason)")
        }
        if let document = try? JSONDecoder().decode(JSON.self, from: data) {
            try Self.refuseUnknown(in: document)
        }
        do { self = try JSONDecoder().decode(CSVMapping.self, from: data) } catch {
            throw ConversionError(
                reason: "the mapping is not {\"subject\": COLUMN, \"source\": TEXT, \"events\": "
                    + "[{\"type\": TYPE, \"time\": COLUMN, \"data\": {FIELD: COLUMN}}]}, where "
                    + "{\"constant\": VALUE} may stand for a column but for that of a time, and "
                    + "the source may be left out")
        }
        guard !events.isEmpty else { throw ConversionError(reason: "the mapping names no events") }
        for rule in events {
            guard let type = ActivityCatalog.standard.eventType(named: rule.type) else {
                let known = ActivityCatalog.standard.eventTypes.map(\.name)
                let near = Similarity.nearest(to: rule.type, among: known)
                throw ConversionError(
                    reason: "the mapping names \(rule.type), which is no type of event"
                        + (near.isEmpty ? "" : "; did you mean \(near.joined(separator: ", "))?"))
            }
            let fields = type.versions[type.newestVersion - 1]
            for name in (rule.data ?? [:]).keys.sorted()
            where !fields.contains(where: { $0.name == name }) {
                throw ConversionError(
                    reason: "the mapping gives \(rule.type) a field \(name), which it has not; "
                        + "there is " + fields.map(\.name).joined(separator: ", "))
            }
            for field in fields where field.isRequired && rule.data?[field.name] == nil {
                throw ConversionError(
                    reason: "the mapping gives \(rule.type) no column for \(field.name), without "
                        + "which there is no such event")
            }
        }
    }

    /// Members that a mapping does not have: a slip would change the events without a word.
    private static func refuseUnknown(in mapping: JSON) throws(ConversionError) {
        try refuseUnknown(mapping, "the mapping", CodingKeys.self)
        try refuseUnknown(mapping["subject"], "the mapping's subject", Origin.CodingKeys.self)
        guard case .array(let rules)? = mapping["events"] else { return }
        for (index, rule) in rules.enumerated() {
            let place = "event \(index + 1) of the mapping"
            try refuseUnknown(rule, place, Rule.CodingKeys.self)
            guard case .object(let fields)? = rule["data"] else { continue }
            for field in fields {
                try refuseUnknown(
                    field.value, "\(field.name.shown()) of \(place)", Origin.CodingKeys.self)
            }
        }
    }

    private static func refuseUnknown<Name: CaseIterable & RawRepresentable<String>>(
        _ value: JSON?, _ place: String, _ names: Name.Type
    ) throws(ConversionError) {
        guard case .object(let members)? = value else { return }
        let known = names.allCases.map { $0.rawValue }
        for member in members where !known.contains(member.name) {
            throw ConversionError(
                reason: "\(place) has a member '\(member.name.shown())', which it cannot have; "
                    + "there is \(known.joined(separator: ", "))")
        }
    }

    /// - Parameters:
    ///   - table: in UTF-8.
    ///   - rejects: takes rows of which a server would refuse an event; nil to refuse the table for
    ///     the first of them.
    func converted(
        _ table: Data, settingAside rejects: SetAside? = nil
    ) throws(ConversionError) -> Converted {
        var rejects = rejects
        if let reason = table.textRefusal("save the table as CSV in UTF-8") {
            throw ConversionError(reason: reason)
        }
        var rows = CSVRows(table)
        guard let head = try rows.next() else {
            throw ConversionError(reason: "has no first line with names of columns")
        }
        let carriageReturn = UInt8(ascii: "\r")
        if rows.isAtEnd, head.contains(where: { $0.utf8.contains(carriageReturn) }) {
            throw ConversionError(
                reason: "has one line only, for its lines end with CR alone; save the table with "
                    + "lines that end with LF or CRLF")
        }
        // Two of one name do no harm while nobody asks for them.
        let columns = Dictionary(
            zip(head, 0...).map { ($0.0, $0.1) }, uniquingKeysWith: { first, _ in first })
        try check(columns, head)
        rejects?.head = head
        var made: [ConvertedEvent] = []
        var known: Set<String> = []
        var number = 1
        while let row = try rows.next() {
            number += 1
            if row == [""] { continue }
            rejects?.rowsInAll += 1
            do throws(ConversionError) {
                // The same row once more says nothing new.
                made += try events(of: row, number, columns, head.count)
                    .filter { known.insert($0.id).inserted }
            } catch {
                guard rejects != nil, !error.isOfMapping else { throw error }
                rejects?.rows.append(
                    SetAside.Row(number: number, cells: row, reason: error.reason))
            }
        }
        guard !made.isEmpty || rejects?.rows.isEmpty == false else {
            var named: Set<String> = []
            let times = events.map(\.time).filter { named.insert($0).inserted }
            throw ConversionError(
                reason: "has no row with a time in "
                    + times.map { "'\($0)'" }.joined(separator: ", ")
                    + (number == 1 ? ": it has one line only" : ""))
        }
        return Converted(events: made.inTime, setAside: rejects)
    }

    /// Of a mapping that names none.
    private static let standardSource = "/csv"

    /// All of a row or none.
    private func events(
        of row: [String], _ number: Int, _ columns: [String: Int], _ cellsMax: Int
    ) throws(ConversionError) -> [ConvertedEvent] {
        guard row.count <= cellsMax else {
            throw ConversionError(
                reason: "row \(number) has \(row.count) cells, the first line \(cellsMax); put "
                    + "what has a comma in quotes")
        }
        func cell(_ column: String) -> String {
            columns[column].flatMap { $0 < row.count ? row[$0] : nil } ?? ""
        }
        var made: [ConvertedEvent] = []
        for (index, rule) in events.enumerated() where !cell(rule.time).isEmpty {
            made.append(try event(rule, index + 1, number, cell))
        }
        return made
    }

    private func check(
        _ columns: [String: Int], _ head: [String]
    ) throws(ConversionError) {
        let named =
            [subject.column].compactMap(\.self)
            + events.flatMap { [$0.time] + ($0.data ?? [:]).values.compactMap(\.column) }
        for column in named where columns[column] == nil {
            let shown = head.map { $0.shown() }
            let near = Similarity.nearest(to: column, among: shown)
            throw ConversionError(
                reason: "has no column '\(column.shown())'; there is "
                    + (near.isEmpty ? shown : near).joined(separator: ", ").shown(400))
        }
        for column in named {
            let places = head.indices.filter { head[$0] == column }.map { "\($0 + 1)" }
            guard places.count > 1 else { continue }
            throw ConversionError(
                reason: "columns \(places.joined(separator: " and ")) have one name, '\(column)', "
                    + "which the mapping names; give all but the one that is meant another name")
        }
    }

    /// - Parameter number: of the rule, from 1: two of one type may read different columns.
    private func event(
        _ rule: Rule, _ number: Int, _ row: Int, _ cell: (String) -> String
    ) throws(ConversionError) -> ConvertedEvent {
        guard let time = Moment(rfc3339: cell(rule.time)) else {
            throw ConversionError(
                reason: "row \(row), column '\(rule.time)': '\(cell(rule.time).shown())' is no "
                    + "time with a zone such as 2026-05-01T12:00:00Z")
        }
        var data: [String: JSON] = [:]
        let type = ActivityCatalog.standard.eventType(named: rule.type)
        for (name, origin) in rule.data ?? [:] {
            switch origin {
            case .constant(let value): data[name] = value
            case .column(let column) where cell(column).isEmpty: break
            case .column(let column):
                let field = type?.versions.last?.first { $0.name == name }
                data[name] = try Self.value(cell(column), of: field, row: row, column)
            }
        }
        let subject =
            switch self.subject {
            case .column(let column): cell(column)
            case .constant(.string(let text)), .constant(.number(let text)): text
            case .constant:
                throw ConversionError(
                    reason: "the mapping: subject must be a text", isOfMapping: true)
            }
        do throws(API.InputError) {
            return try ConvertedEvent(
                id: Self.id(rule, number, subject, time, data),
                source: source ?? Self.standardSource, type: rule.type, subject: subject,
                time: time, data: data)
        } catch { throw complaint(error, rule, row, cell) }
    }

    /// The same for the same content, wherever in which file it stands, so that a table can grow
    /// and be converted again.
    private static func id(
        _ rule: Rule, _ number: Int, _ subject: String, _ time: Moment,
        _ data: [String: JSON]
    ) -> String {
        let parts = [Data(subject.utf8), Data(time.rfc3339.utf8), WireCoder.encode(data)]
        // No byte of a text is 0xFF.
        let content = Data(parts.joined(separator: [0xFF]))
        let digits = Hexadecimal.encode(SHA256.hash(Array(content)).prefix(12))
        return "\(rule.type)-\(number)-\(digits)"
    }

    /// By the place in the table, and in the server's words.
    private func complaint(
        _ error: API.InputError, _ rule: Rule, _ row: Int, _ cell: (String) -> String
    ) -> ConversionError {
        let path = error.pointer.split(separator: "/").map(String.init)
        let origin: Origin? =
            switch path.first {
            case "subject": subject
            case "data": path.last.flatMap { rule.data?[$0] }
            default: nil
            }
        if path.first == "source" || origin.map({ $0.column == nil }) == true {
            return ConversionError(reason: "the mapping: \(error.detail)", isOfMapping: true)
        }
        let place = origin?.column.map { ", column '\($0)': '\(cell($0).shown())'" } ?? ""
        return ConversionError(reason: "row \(row)\(place): \(error.detail)")
    }

    private static func value(
        _ text: String, of field: EventField?, row: Int, _ column: String
    ) throws(ConversionError) -> JSON {
        switch field?.shape {
        case .integer:
            if let number = Int(text) { return .integer(number) }
        case .flag:
            if let flag = ["true": true, "false": false, "1": true, "0": false][text.lowercased()] {
                return .bool(flag)
            }
        case .text, .moment, .choice, nil: return .string(text)
        }
        throw ConversionError(
            reason: "row \(row), column '\(column)': '\(text.shown())' must be "
                + (field?.expectation ?? ""))
    }
}
