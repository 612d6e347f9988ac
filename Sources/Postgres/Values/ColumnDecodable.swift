/// A Swift type that a column's binary value can be read as.
public protocol ColumnDecodable {
    /// - Returns: nil when the type does not fit or the bytes are malformed.
    static func decode(_ bytes: UnsafeRawBufferPointer, type: UInt32) -> Self?
}

extension Bool: ColumnDecodable {
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: UInt32) -> Bool? {
        type == PostgresType.bool.rawValue && bytes.count == 1 ? bytes[0] != 0 : nil
    }
}

extension Int16: ColumnDecodable {
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: UInt32) -> Int16? {
        type == PostgresType.int2.rawValue ? integer(bytes) : nil
    }
}

extension Int32: ColumnDecodable {
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: UInt32) -> Int32? {
        type == PostgresType.int4.rawValue ? integer(bytes) : nil
    }
}

extension Int64: ColumnDecodable {
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: UInt32) -> Int64? {
        switch type {
        // Mostly it is just that.
        case PostgresType.int8.rawValue: integer(bytes)
        case PostgresType.int4.rawValue: (integer(bytes) as Int32?).map(Int64.init)
        case PostgresType.int2.rawValue: (integer(bytes) as Int16?).map(Int64.init)
        default: nil
        }
    }
}

extension Int: ColumnDecodable {
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: UInt32) -> Int? {
        Int64.decode(bytes, type: type).map(Int.init)
    }
}

extension Double: ColumnDecodable {
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: UInt32) -> Double? {
        guard type == PostgresType.float8.rawValue, let bits: UInt64 = integer(bytes) else {
            return nil
        }
        return Double(bitPattern: bits)
    }
}

extension String: ColumnDecodable {
    /// Also takes `name`, `varchar` and `unknown`, whose bytes are the text too.
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: UInt32) -> String? {
        switch type {
        case PostgresType.text.rawValue, 19, 705, 1043: String(decoding: bytes, as: UTF8.self)
        default: nil
        }
    }
}

extension Timestamp: ColumnDecodable {
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: UInt32) -> Timestamp? {
        guard type == PostgresType.timestamptz.rawValue, let count: Int64 = integer(bytes) else {
            return nil
        }
        return Timestamp(postgresMicroseconds: count)
    }
}

extension [UInt8]: ColumnDecodable {
    /// `bytea` as it is; `json`, `jsonb` and `text` as their UTF-8.
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: UInt32) -> [UInt8]? {
        contentBytes(bytes, type: type).map { Array($0) }
    }
}

/// The bytes of a `bytea`, `text`, `json` or `jsonb` column; a `jsonb` has its version cut off.
func contentBytes(_ bytes: UnsafeRawBufferPointer, type: UInt32) -> Slice<UnsafeRawBufferPointer>? {
    switch type {
    case PostgresType.jsonb.rawValue: bytes.first == 1 ? bytes.dropFirst() : nil
    case PostgresType.bytea.rawValue, PostgresType.text.rawValue, PostgresType.json.rawValue:
        bytes[...]
    default: nil
    }
}

/// A one-dimensional array without NULLs.
public struct ColumnArray<Element: ColumnDecodable>: ColumnDecodable {
    public let values: [Element]

    public static func decode(_ bytes: UnsafeRawBufferPointer, type: UInt32) -> ColumnArray? {
        guard bytes.count >= 12, let dimensions: Int32 = integer(bytes[0..<4]),
            let element: UInt32 = integer(bytes[8..<12])
        else { return nil }
        if dimensions == 0 { return ColumnArray(values: []) }
        guard dimensions == 1, bytes.count >= 20, let count: Int32 = integer(bytes[12..<16]),
            // Each element has its length before it.
            count >= 0, Int(count) <= (bytes.count - 20) / 4
        else { return nil }
        var values: [Element] = []
        values.reserveCapacity(Int(count))
        var at = 20
        for _ in 0..<count {
            guard at + 4 <= bytes.count, let length: Int32 = integer(bytes[at..<(at + 4)]),
                length >= 0, at + 4 + Int(length) <= bytes.count
            else { return nil }
            let content = UnsafeRawBufferPointer(
                rebasing: bytes[(at + 4)..<(at + 4 + Int(length))])
            guard let value = Element.decode(content, type: element) else { return nil }
            values.append(value)
            at += 4 + Int(length)
        }
        return ColumnArray(values: values)
    }
}

private func integer<I: FixedWidthInteger>(_ bytes: UnsafeRawBufferPointer) -> I? {
    guard bytes.count == MemoryLayout<I>.size else { return nil }
    return I(bigEndian: bytes.loadUnaligned(as: I.self))
}

private func integer<I: FixedWidthInteger>(_ bytes: Slice<UnsafeRawBufferPointer>) -> I? {
    integer(UnsafeRawBufferPointer(rebasing: bytes))
}
