import CPostgres

/// The rows that a statement returned, read in place from libpq's result.
public struct Rows: RandomAccessCollection, Sendable {
    @usableFromInline let result: ResultHandle

    public var startIndex: Int { 0 }
    public var endIndex: Int { result.rowCount }
    // Inlined, so that who only looks into a row need not refer to the result, which several
    // threads may do at once.
    @inlinable public subscript(index: Int) -> Row { Row(result: result, index: Int32(index)) }

    /// The first row of a statement that gives one in any case.
    /// - Parameter column: one of its columns, for the error.
    public func row(with column: String) throws(PostgresError) -> Row {
        guard let first else { throw .decoding(column: column, expected: "a row") }
        return first
    }

    /// Rows that an INSERT, UPDATE or DELETE touched, or a SELECT returned.
    public var affectedCount: Int {
        guard let text = PQcmdTuples(result.pointer) else { return 0 }
        return Int(String(cString: text)) ?? 0
    }
}

/// Owns a `PGresult`.
///
/// `@unchecked Sendable`: immutable after libpq handed it over, freed once by `deinit`.
@usableFromInline final class ResultHandle: @unchecked Sendable {
    let pointer: OpaquePointer
    let rowCount: Int
    let columnCount: Int
    /// Of each column; asked for with each value.
    let types: [UInt32]

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
        rowCount = Int(PQntuples(pointer))
        columnCount = Int(PQnfields(pointer))
        types = (0..<Int32(columnCount)).map { PQftype(pointer, $0) }
    }

    deinit { PQclear(pointer) }
}
