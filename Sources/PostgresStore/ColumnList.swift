import Domain
import Foundation
import JSON
import Postgres

/// The columns of one type of row, each told once: its name, its type, how a value gives what
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
    typealias Read = @Sendable (Row, Int, inout Value) throws(PostgresError) -> Void

    let name: String
    /// As Postgres calls it.
    let type: String
    let parameter: @Sendable (Value) -> Parameter
    let array: @Sendable ([Value]) -> Parameter
    let read: Read
}

extension Column {
    static func text(
        _ name: String, _ get: @escaping @Sendable (Value) -> String?, _ read: @escaping Read
    ) -> Column {
        Column(
            name: name, type: "text", parameter: { .text(get($0)) },
            array: { .texts($0.map(get)) }, read: read)
    }

    /// One of an enum's raw values.
    static func choice<E: RawRepresentable<String> & SendableMetatype>(
        _ name: String, _ get: @escaping @Sendable (Value) -> E,
        _ set: @escaping @Sendable (inout Value, E) -> Void
    ) -> Column {
        text(name, { get($0).rawValue }) { (row, place, value) throws(PostgresError) in
            set(&value, try row.choice(place))
        }
    }

    static func int8(
        _ name: String, _ get: @escaping @Sendable (Value) -> Int64,
        _ set: @escaping @Sendable (inout Value, Int64) -> Void
    ) -> Column {
        Column(
            name: name, type: "int8", parameter: { .int8(get($0)) },
            array: { .int8s($0.map(get)) },
            read: { (row, place, value) throws(PostgresError) in
                set(&value, try row.int8(place))
            })
    }

    static func int4(
        _ name: String, _ get: @escaping @Sendable (Value) -> Int,
        _ set: @escaping @Sendable (inout Value, Int) -> Void
    ) -> Column {
        Column(
            name: name, type: "int4", parameter: { .int4(Int32(clamping: get($0))) },
            array: { .int4s($0.map { Int32(clamping: get($0)) }) },
            read: { (row, place, value) throws(PostgresError) in
                set(&value, Int(try row.int4(place)))
            })
    }

    static func float8(
        _ name: String, _ get: @escaping @Sendable (Value) -> Double?,
        _ set: @escaping @Sendable (inout Value, Double?) -> Void
    ) -> Column {
        Column(
            name: name, type: "float8", parameter: { .float8(get($0)) },
            array: { .float8s($0.map(get)) },
            read: { (row, place, value) throws(PostgresError) in
                set(&value, try row.optionalDouble(place))
            })
    }

    /// May be null.
    static func moment(
        _ name: String, _ get: @escaping @Sendable (Value) -> Moment?, _ read: @escaping Read
    ) -> Column {
        Column(
            name: name, type: "timestamptz", parameter: { .moment(get($0)) },
            array: { .timestamps($0.map { get($0)?.timestamp }) }, read: read)
    }

    static func moment(
        _ name: String, _ get: @escaping @Sendable (Value) -> Moment?,
        _ set: @escaping @Sendable (inout Value, Moment?) -> Void
    ) -> Column {
        moment(name, get) { (row, place, value) throws(PostgresError) in
            set(&value, try row.optionalMoment(place))
        }
    }

    /// As it stands.
    static func json(
        _ name: String, _ get: @escaping @Sendable (Value) -> Data,
        _ set: @escaping @Sendable (inout Value, Data) -> Void
    ) -> Column {
        Column(
            name: name, type: "json", parameter: { .json(Array(get($0))) },
            array: { .jsons($0.map(get)) },
            read: { (row, place, value) throws(PostgresError) in
                set(&value, try row.content(place))
            })
    }

    /// A value that JSON stands for, or null.
    static func coded<T: CanonicalValue & SendableMetatype>(
        _ name: String, _ get: @escaping @Sendable (Value) -> T?, _ read: @escaping Read
    ) -> Column {
        Column(
            name: name, type: "json",
            parameter: { .json(get($0).map { Array(WireCoder.encode($0)) }) },
            array: { .jsons($0.map { get($0).map { WireCoder.encode($0) } }) }, read: read)
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
