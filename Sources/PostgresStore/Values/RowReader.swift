import Domain
import Foundation
import Postgres

/// Takes the values of a row one after the other, in the order in which a list of columns names
/// them: so nobody counts columns, and a type can be read in the middle of another.
struct RowReader {
    let row: Row
    private(set) var column: Int

    /// - Parameter column: where it begins.
    init(_ row: Row, from column: Int = 0) {
        self.row = row
        self.column = column
    }

    /// What a left join may have found.
    /// - Parameter columns: how many to pass over where it found nothing; none at a row's end.
    /// - Returns: nil when the first of them, which is never NULL otherwise, is.
    mutating func joined<T: RowDecodable>(
        _ type: T.Type, columns: Int = 0
    ) throws(PostgresError) -> T? {
        guard !row.isNull(column) else {
            skip(columns)
            return nil
        }
        return try T(from: &self)
    }

    /// Passes over columns that nobody wants, or that the caller reads from the row itself.
    /// - Returns: the index of the first of them.
    @discardableResult
    mutating func skip(_ columns: Int) -> Int {
        defer { column += columns }
        return column
    }

    private mutating func next() -> Int { skip(1) }

    mutating func get<T: ColumnDecodable>(as type: T.Type = T.self) throws(PostgresError) -> T {
        try row.get(next(), as: type)
    }

    /// Nil for NULL.
    mutating func optional<T: ColumnDecodable>(
        as type: T.Type = T.self
    ) throws(PostgresError) -> T? {
        try row.optional(next(), as: type)
    }

    mutating func tenant() throws(PostgresError) -> TenantID { try row.tenant(next()) }

    mutating func activity() throws(PostgresError) -> ActivityID { try row.activity(next()) }

    mutating func moment() throws(PostgresError) -> Moment { try row.moment(next()) }

    /// Nil for NULL.
    mutating func optionalMoment() throws(PostgresError) -> Moment? {
        try row.optionalMoment(next())
    }

    mutating func seconds() throws(PostgresError) -> Double { try row.seconds(next()) }

    /// A string that must be one of an enum's raw values.
    mutating func choice<E: RawRepresentable<String>>() throws(PostgresError) -> E {
        try row.choice(next())
    }

    /// Nil for NULL.
    mutating func optionalChoice<E: RawRepresentable<String>>() throws(PostgresError) -> E? {
        try row.optionalChoice(next())
    }
}

/// What a row says, or some of its columns.
protocol RowDecodable {
    /// Reads its columns, in the order in which they were asked for.
    init(from row: inout RowReader) throws(PostgresError)
}

extension RowDecodable {
    /// - Parameter column: where it begins.
    init(_ row: Row, from column: Int) throws(PostgresError) {
        var reader = RowReader(row, from: column)
        try self.init(from: &reader)
    }

    init(_ row: Row) throws(PostgresError) { try self.init(row, from: 0) }
}
