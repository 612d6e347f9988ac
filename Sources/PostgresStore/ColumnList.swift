import Domain
import Foundation
import JSON
import Postgres

/// The columns of one type of row, each written once: its name, its type, how a value gives what
/// stands there, and how a value is made from it.
struct ColumnList<Value: Sendable>: Sendable {
    let columns: [Column<Value>]
    /// As a statement has them.
    let names: String

    init(_ columns: [Column<Value>]) {
        self.columns = columns
        names = columns.map(\.name).joined(separator: ", ")
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
    func read(
        _ row: Row, from first: Int, into value: inout Value
    ) throws(PostgresError) {
        var place = first
        for column in columns {
            try column.read(row, place, &value)
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
            })
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

    static func optionalChoice<E: RawRepresentable<String> & SendableMetatype>(
        _ name: String, _ get: @escaping Getter<E?>, _ set: @escaping Setter<E?>
    ) -> Column {
        of(
            name, "text", get, set, one: { .text($0?.rawValue) },
            many: { .texts($0.map { $0?.rawValue }) }
        ) { (row, place) throws(PostgresError) in try row.optionalChoice(place) }
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

    static func float8(
        _ name: String, _ get: @escaping Getter<Double?>, _ set: @escaping Setter<Double?>
    ) -> Column {
        of(name, "float8", get, set, one: { .float8($0) }, many: { .float8s($0) }) {
            (row, place) throws(PostgresError) in try row.optionalDouble(place)
        }
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

    /// As it stands.
    static func json(
        _ name: String, _ get: @escaping Getter<Data>, _ set: @escaping Setter<Data>
    ) -> Column {
        of(name, "json", get, set, one: { .json(Array($0)) }, many: { .jsons($0) }) {
            (row, place) throws(PostgresError) in try row.content(place)
        }
    }

    /// A value that JSON stands for, or null.
    static func coded<T: CanonicalValue & PlainValue & SendableMetatype>(
        _ name: String, _ get: @escaping Getter<T?>, _ set: @escaping Setter<T?>
    ) -> Column {
        of(
            name, "json", get, set, one: { .json($0.map { Array(WireCoder.encode($0)) }) },
            many: { .jsons($0.map { $0.map { WireCoder.encode($0) } }) }
        ) { (row, place) throws(PostgresError) in try Decision.json(row, place) }
    }
}

/// A list of columns as a statement has it.
extension String {
    var columnNames: [String] {
        split { $0 == "," || $0.isWhitespace }.map(String.init)
    }

    /// Each said to be of the table by that name.
    func columns(of alias: String) -> String {
        columnNames.map { "\(alias).\($0)" }.joined(separator: ", ")
    }
}
