import Encodings

/// As `get`, for the commonest types and without generics: where a whole log is read, looking up
/// what a generic function needs to know of its type takes several times as long as the reading.
extension Row {
    public func int8(_ column: Int) throws(PostgresError) -> Int64 {
        try plain(column, "an integer")
    }

    public func int4(_ column: Int) throws(PostgresError) -> Int32 {
        try plain(column, "an integer")
    }

    public func bool(_ column: Int) throws(PostgresError) -> Bool {
        try plain(column, "a truth value")
    }

    /// Nil for NULL.
    public func optionalText(_ column: Int) throws(PostgresError) -> String? {
        isNull(column) ? nil : try text(column)
    }

    public func text(_ column: Int) throws(PostgresError) -> String { try plain(column, "text") }

    public func timestamp(_ column: Int) throws(PostgresError) -> Timestamp {
        try plain(column, "a time")
    }

    /// The content of a `bytea`, `text`, `json` or `jsonb` where it lies, for as long as the rows
    /// are kept.
    public func contentInPlace(_ column: Int) throws(PostgresError) -> UnsafeRawBufferPointer {
        guard let bytes = raw(column), let content = contentBytes(bytes, type: oid(of: column))
        else { throw unexpected(column, "bytes") }
        return UnsafeRawBufferPointer(rebasing: content)
    }

    /// Equal for equal bytes, in every process (FNV-1a).
    public func fingerprint(_ column: Int) -> UInt64 {
        FNV1a.hash(raw(column) ?? UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// Whether it is this text, in UTF-8; for nil, whether it is NULL.
    public func equals(_ column: Int, _ text: String?) -> Bool {
        guard let bytes = raw(column) else { return text == nil }
        guard let text, text.utf8.count == bytes.count else { return false }
        var content = text
        return content.withUTF8 { UnsafeRawBufferPointer($0).isSame(as: bytes) }
    }

    /// Inlined, so that each of the above is code of its own.
    @inline(__always)
    private func plain<T: ColumnDecodable>(
        _ column: Int, _ expected: String
    ) throws(PostgresError) -> T {
        guard let bytes = raw(column), let value = T.decode(bytes, type: oid(of: column))
        else { throw unexpected(column, expected) }
        return value
    }

    private func unexpected(_ column: Int, _ expected: String) -> PostgresError {
        .decoding(column: name(column), expected: expected)
    }
}
