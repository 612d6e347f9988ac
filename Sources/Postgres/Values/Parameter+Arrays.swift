/// Arrays for `unnest`: many rows in one statement.
///
/// Inlinable, so that a caller's own kind of collection is walked by code made for it: through
/// witness tables a thousand events of ten columns take several times as long.
extension Parameter {
    @inlinable
    public static func bools(_ values: some Collection<Bool?>) -> Parameter {
        array(.boolArray, of: .bool, values) { $1.append($0 ? 1 : 0) }
    }

    @inlinable
    public static func int4s(_ values: some Collection<Int32?>) -> Parameter {
        array(.int4Array, of: .int4, values) { append($0, to: &$1) }
    }

    @inlinable
    public static func int8s(_ values: some Collection<Int64?>) -> Parameter {
        array(.int8Array, of: .int8, values) { append($0, to: &$1) }
    }

    @inlinable
    public static func texts(_ values: some Collection<String?>) -> Parameter {
        array(.textArray, of: .text, values) { $1.append(contentsOf: $0.utf8) }
    }

    @inlinable
    public static func byteas(_ values: some Collection<[UInt8]?>) -> Parameter {
        array(.byteaArray, of: .bytea, values) { $1.append(contentsOf: $0) }
    }

    @inlinable
    public static func timestamps(_ values: some Collection<Timestamp?>) -> Parameter {
        array(.timestamptzArray, of: .timestamptz, values) {
            append($0.postgresMicroseconds, to: &$1)
        }
    }

    /// Elements are kept as written; any collection of bytes, such as `Data`.
    @inlinable
    public static func jsons<Bytes: Collection<UInt8>>(_ values: some Collection<Bytes?>)
        -> Parameter
    {
        array(.jsonArray, of: .json, values) { $1.append(contentsOf: $0) }
    }

    @inlinable
    public static func jsonbs<Bytes: Collection<UInt8>>(_ values: some Collection<Bytes?>)
        -> Parameter
    {
        array(.jsonbArray, of: .jsonb, values) {
            $1.append(1)
            $1.append(contentsOf: $0)
        }
    }

    /// The binary form: dimensions, a flag, the element type, length and lower bound, then every
    /// element after its length (-1 for NULL).
    @inlinable
    static func array<Element>(
        _ type: PostgresType, of element: PostgresType, _ values: some Collection<Element?>,
        _ encode: (Element, inout [UInt8]) -> Void
    ) -> Parameter {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20 + values.count * 12)
        append(Int32(values.isEmpty ? 0 : 1), to: &bytes)
        append(Int32(values.contains { $0 == nil } ? 1 : 0), to: &bytes)
        append(element.rawValue, to: &bytes)
        guard !values.isEmpty else { return Parameter(type, bytes) }
        append(Int32(values.count), to: &bytes)
        append(Int32(1), to: &bytes)
        for value in values {
            guard let value else {
                append(Int32(-1), to: &bytes)
                continue
            }
            let lengthAt = bytes.count
            append(Int32(0), to: &bytes)
            encode(value, &bytes)
            let length = UInt32(bytes.count - lengthAt - 4)
            bytes[lengthAt] = UInt8(truncatingIfNeeded: length >> 24)
            bytes[lengthAt + 1] = UInt8(truncatingIfNeeded: length >> 16)
            bytes[lengthAt + 2] = UInt8(truncatingIfNeeded: length >> 8)
            bytes[lengthAt + 3] = UInt8(truncatingIfNeeded: length)
        }
        return Parameter(type, bytes)
    }

    @inlinable
    static func append<I: FixedWidthInteger>(_ value: I, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
