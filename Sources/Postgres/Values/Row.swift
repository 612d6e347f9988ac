import CPostgres

/// One row. Columns are read by index.
public struct Row: Sendable {
    @usableFromInline let result: ResultHandle
    @usableFromInline let index: Int32

    @inlinable init(result: ResultHandle, index: Int32) {
        self.result = result
        self.index = index
    }

    public func get<T: ColumnDecodable>(_ column: Int, as type: T.Type = T.self)
        throws(PostgresError) -> T
    {
        guard let value = try optional(column, as: type) else {
            throw .decoding(column: name(column), expected: "\(type), found NULL")
        }
        return value
    }

    /// Nil for NULL.
    public func optional<T: ColumnDecodable>(_ column: Int, as type: T.Type = T.self)
        throws(PostgresError) -> T?
    {
        guard let bytes = raw(column) else { return nil }
        guard let value = T.decode(bytes, type: oid(of: column)) else {
            throw .decoding(column: name(column), expected: "\(type)")
        }
        return value
    }

    func raw(_ column: Int) -> UnsafeRawBufferPointer? {
        precondition((0..<result.columnCount).contains(column), "no column \(column)")
        let count = Int(PQgetlength(result.pointer, index, Int32(column)))
        // NULL has no length, and hardly anything else has none.
        guard count > 0 || !isNull(column) else { return nil }
        return UnsafeRawBufferPointer(
            start: PQgetvalue(result.pointer, index, Int32(column)), count: count)
    }

    public func isNull(_ column: Int) -> Bool {
        PQgetisnull(result.pointer, index, Int32(column)) != 0
    }

    func oid(of column: Int) -> UInt32 { result.types[column] }

    func name(_ column: Int) -> String {
        PQfname(result.pointer, Int32(column)).map { String(cString: $0) } ?? "\(column)"
    }
}
