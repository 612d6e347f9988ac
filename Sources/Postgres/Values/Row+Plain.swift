import Encodings
public import Foundation

/// As `get`, for the commonest types and without generics: where a whole log is read, looking up
/// what a generic function needs to know of its type takes several times as long as the reading.
extension Row {
    public func int8(_ column: Int) throws(PostgresError) -> Int64 {
        // Mostly it is just that.
        if let bytes = raw(column), bytes.count == 8,
            oid(of: column) == PostgresType.int8.rawValue
        {
            return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        }
        guard let bytes = raw(column), let value = Int64.decode(bytes, type: oid(of: column))
        else { throw unexpected(column, "an integer") }
        return value
    }

    public func int4(_ column: Int) throws(PostgresError) -> Int32 {
        if let bytes = raw(column), bytes.count == 4,
            oid(of: column) == PostgresType.int4.rawValue
        {
            return Int32(bigEndian: bytes.loadUnaligned(as: Int32.self))
        }
        guard let bytes = raw(column), let value = Int32.decode(bytes, type: oid(of: column))
        else { throw unexpected(column, "an integer") }
        return value
    }

    /// Nil for NULL.
    public func optionalDouble(_ column: Int) throws(PostgresError) -> Double? {
        guard let bytes = raw(column) else { return nil }
        guard let value = Double.decode(bytes, type: oid(of: column))
        else { throw unexpected(column, "a number") }
        return value
    }

    public func bool(_ column: Int) throws(PostgresError) -> Bool {
        guard let bytes = raw(column), let value = Bool.decode(bytes, type: oid(of: column))
        else { throw unexpected(column, "a truth value") }
        return value
    }

    /// Nil for NULL.
    public func optionalText(_ column: Int) throws(PostgresError) -> String? {
        isNull(column) ? nil : try text(column)
    }

    public func text(_ column: Int) throws(PostgresError) -> String {
        guard let bytes = raw(column), let value = String.decode(bytes, type: oid(of: column))
        else { throw unexpected(column, "text") }
        return value
    }

    public func timestamp(_ column: Int) throws(PostgresError) -> Timestamp {
        guard let bytes = raw(column), let value = Timestamp.decode(bytes, type: oid(of: column))
        else { throw unexpected(column, "a time") }
        return value
    }

    /// The content of a `bytea`, `text`, `json` or `jsonb`.
    public func content(_ column: Int) throws(PostgresError) -> Data {
        guard let bytes = raw(column), let value = Data.decode(bytes, type: oid(of: column))
        else { throw unexpected(column, "bytes") }
        return value
    }

    /// The same where it lies, for as long as the rows are kept.
    public func contentInPlace(_ column: Int) throws(PostgresError) -> UnsafeRawBufferPointer {
        guard let bytes = raw(column), let content = contentBytes(bytes, type: oid(of: column))
        else { throw unexpected(column, "bytes") }
        return UnsafeRawBufferPointer(rebasing: content)
    }

    /// Equal for equal bytes, in every process (FNV-1a).
    public func fingerprint(_ column: Int) -> UInt64 {
        FNV1a.hash(raw(column) ?? UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// Likewise, in UTF-8.
    public func holds(_ column: Int, _ text: String?) -> Bool {
        guard let bytes = raw(column) else { return text == nil }
        guard let text, text.utf8.count == bytes.count else { return false }
        var content = text
        return content.withUTF8 { UnsafeRawBufferPointer($0).isSame(as: bytes) }
    }

    private func unexpected(_ column: Int, _ expected: String) -> PostgresError {
        .decoding(column: name(column), expected: expected)
    }
}
