import Domain
import Foundation
import JSON
import Postgres

/// The columns of one type of row, each written once: its name, its type, how a value gives what
/// stands there, and how a value is made from it.
struct ColumnList<Value: Sendable>: Sendable {
    let columns: [Column<Value>]
    /// As a statement has them that writes.
    let names: String
    /// As a statement has them that reads.
    let sources: String

    init(_ columns: [Column<Value>]) {
        self.columns = columns
        names = columns.map(\.name).joined(separator: ", ")
        sources = columns.map { $0.source("") }.joined(separator: ", ")
    }

    /// Likewise, each said to be of the table by that name.
    func sources(of alias: String) -> String {
        columns.map { $0.source("\(alias).") }.joined(separator: ", ")
    }

    var count: Int { columns.count }

    /// One row's parameters.
    func row(_ value: Value) -> [Parameter] { columns.map { $0.parameter(value) } }

    /// An array for each column.
    func arrays(_ values: [Value]) -> [Parameter] { columns.map { $0.array(values) } }

    /// The rows of `arrays`, from parameter `$first` on.
    func unnested(from first: Int) -> String {
        let arrays = columns.enumerated().map { "$\(first + $0)::\($1.type)[]" }
        return "unnest(\(arrays.joined(separator: ", ")))"
    }

    /// As many rows of `row`, from parameter `$first` on.
    func values(_ rows: Int, from first: Int) -> String {
        let texts = (0..<rows).map { row in
            let places = columns.enumerated().map { "$\(first + row * count + $0)::\($1.type)" }
            return "(\(places.joined(separator: ", ")))"
        }
        return "(VALUES \(texts.joined(separator: ", ")))"
    }

    /// - Parameter value: of which every column takes its part.
    func read(_ row: inout RowReader, into value: inout Value) throws(PostgresError) {
        var place = row.skip(count)
        for column in columns {
            try column.read(row.row, place, &value)
            place += 1
        }
    }
}

struct Column<Value: Sendable>: Sendable {
    let name: String
    /// As Postgres calls it.
    let type: String
    let parameter: @Sendable (Value) -> Parameter
    let array: @Sendable ([Value]) -> Parameter
    let read: @Sendable (Row, Int, inout Value) throws(PostgresError) -> Void
    /// What a statement reads, by what comes before the name of a column.
    let source: @Sendable (String) -> String
}

extension Column {
    typealias Getter<T> = @Sendable (Value) -> T
    typealias Setter<T> = @Sendable (inout Value, T) -> Void

    /// What all columns have in common.
    private static func of<T: SendableMetatype>(
        _ name: String, _ type: String, _ get: @escaping Getter<T>, _ set: @escaping Setter<T>,
        one: @escaping @Sendable (T) -> Parameter, many: @escaping @Sendable ([T]) -> Parameter,
        read: @escaping @Sendable (Row, Int) throws(PostgresError) -> T
    ) -> Column {
        Column(
            name: name, type: type, parameter: { one(get($0)) }, array: { many($0.map(get)) },
            read: { (row, place, value) throws(PostgresError) in
                set(&value, try read(row, place))
            }, source: { $0 + name })
    }

    static func text(
        _ name: String, _ get: @escaping Getter<String>, _ set: @escaping Setter<String>
    ) -> Column {
        of(name, "text", get, set, one: { .text($0) }, many: { .texts($0) }) {
            (row, place) throws(PostgresError) in try row.text(place)
        }
    }

    static func optionalText(
        _ name: String, _ get: @escaping Getter<String?>, _ set: @escaping Setter<String?>
    ) -> Column {
        of(name, "text", get, set, one: { .text($0) }, many: { .texts($0) }) {
            (row, place) throws(PostgresError) in try row.optionalText(place)
        }
    }

    /// One of an enum's raw values.
    static func choice<E: RawRepresentable<String> & SendableMetatype>(
        _ name: String, _ get: @escaping Getter<E>, _ set: @escaping Setter<E>
    ) -> Column {
        of(
            name, "text", get, set, one: { .text($0.rawValue) },
            many: { .texts($0.map(\.rawValue)) }
        ) { (row, place) throws(PostgresError) in try row.choice(place) }
    }

    static func int8(
        _ name: String, _ get: @escaping Getter<Int64>, _ set: @escaping Setter<Int64>
    ) -> Column {
        of(name, "int8", get, set, one: { .int8($0) }, many: { .int8s($0) }) {
            (row, place) throws(PostgresError) in try row.int8(place)
        }
    }

    static func int4(
        _ name: String, _ get: @escaping Getter<Int>, _ set: @escaping Setter<Int>
    ) -> Column {
        of(
            name, "int4", get, set, one: { .int4(Int32(clamping: $0)) },
            many: { .int4s($0.map { Int32(clamping: $0) }) }
        ) { (row, place) throws(PostgresError) in Int(try row.int4(place)) }
    }

    static func moment(
        _ name: String, _ get: @escaping Getter<Moment>, _ set: @escaping Setter<Moment>
    ) -> Column {
        of(
            name, "timestamptz", get, set, one: { .moment($0) },
            many: { .timestamps($0.map(\.timestamp)) }
        ) { (row, place) throws(PostgresError) in try row.moment(place) }
    }

    static func optionalMoment(
        _ name: String, _ get: @escaping Getter<Moment?>, _ set: @escaping Setter<Moment?>
    ) -> Column {
        of(
            name, "timestamptz", get, set, one: { .moment($0) },
            many: { .timestamps($0.map { $0?.timestamp }) }
        ) { (row, place) throws(PostgresError) in try row.optionalMoment(place) }
    }

    /// Written where there is something of which another column has the rest: for an index.
    static func mark(_ name: String, where isThere: @escaping Getter<Bool>) -> Column {
        let json = Data("true".utf8)
        return Column(
            name: name, type: "json", parameter: { .json(isThere($0) ? Array(json) : nil) },
            array: { .jsons($0.map { isThere($0) ? json : nil }) }, read: { _, _, _ in },
            source: { $0 + name })
    }

    /// Several texts as `PackedTexts` keeps them; null where none of them is there.
    /// - Parameter source: what a row says that has the texts in columns of their own.
    static func packed(
        _ name: String, _ texts: [PackedText<Value>],
        orElse source: @escaping @Sendable (String) -> String
    ) -> Column {
        Column(
            name: name, type: "bytea",
            parameter: { value in .bytea(PackedTexts.packed(texts.map { $0.get(value) })) },
            array: { values in
                .byteas(values.map { value in PackedTexts.packed(texts.map { $0.get(value) }) })
            },
            read: { (row, place, value) throws(PostgresError) in
                let found = try PackedTexts.Unpacked(row, place, count: texts.count)
                for (index, part) in texts.enumerated() {
                    if let text = found[index] { try part.set(&value, text) }
                }
            }, source: { "coalesce(\($0)\(name), \(source($0))) AS \(name)" })
    }
}
