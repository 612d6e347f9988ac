/// Decodes a payload from the fields of its event, which have been checked: several times as fast
/// as by way of `JSONDecoder`, and a rebuild decodes every event there ever was.
///
/// Knows what fields can hold, and nothing that is nested.
struct FieldDecoder: Decoder {
    /// Values of the fields that are there, in any order.
    let fields: [(name: String, value: FieldValue)]

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(FieldContainer<Key>(fields: fields))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw FieldDecoding.unsupported("an array")
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        throw FieldDecoding.unsupported("a single value")
    }
}

private enum FieldDecoding {
    static func unsupported(_ what: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "a field is not \(what)"))
    }

    static func mismatch<T>(_ type: T.Type, _ value: FieldValue) -> DecodingError {
        .typeMismatch(type, .init(codingPath: [], debugDescription: "the field holds \(value)"))
    }
}

private struct FieldContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let fields: [(name: String, value: FieldValue)]

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { fields.compactMap { Key(stringValue: $0.name) } }

    func contains(_ key: Key) -> Bool { value(key) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { value(key) == nil }

    private func value(_ key: Key) -> FieldValue? {
        let name = key.stringValue
        return fields.first { $0.name == name }?.value
    }

    private func present(_ key: Key) throws -> FieldValue {
        guard let value = value(key) else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: [], debugDescription: "no such field"))
        }
        return value
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try FieldBox(value: present(key)).decode(type)
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try FieldBox(value: present(key)).decode(type)
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try FieldBox(value: present(key)).decode(type)
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decode(type, from: present(key))
    }

    // Here and not by way of the standard library, which would look for the field three times.
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let value = value(key) else { return nil }
        return try decode(type, from: value)
    }

    private func decode<T: Decodable>(_ type: T.Type, from value: FieldValue) throws -> T {
        // Most fields that are neither text nor number.
        if type == Moment.self, case .text(let text) = value,
            let moment = Moment(rfc3339: text) as? T
        {
            return moment
        }
        return try T(from: FieldBox(value: value))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        throw FieldDecoding.unsupported("an object")
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw FieldDecoding.unsupported("an array")
    }

    func superDecoder() throws -> any Decoder { throw FieldDecoding.unsupported("a class") }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        throw FieldDecoding.unsupported("a class")
    }
}

/// One field, for types that decode from a single value.
private struct FieldBox: Decoder, SingleValueDecodingContainer {
    let value: FieldValue

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        throw FieldDecoding.unsupported("an object")
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw FieldDecoding.unsupported("an array")
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { false }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .flag(let flag) = value else { throw FieldDecoding.mismatch(type, value) }
        return flag
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .text(let text) = value else { throw FieldDecoding.mismatch(type, value) }
        return text
    }

    func decode(_ type: Double.Type) throws -> Double { Double(try decode(Int.self)) }
    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Int.self)) }
    func decode(_ type: Int.Type) throws -> Int { try whole(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try whole(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try whole(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try whole(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try whole(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try whole(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try whole(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try whole(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try whole(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try whole(type) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try T(from: self) }

    private func whole<I: FixedWidthInteger>(_ type: I.Type) throws -> I {
        guard case .integer(let integer) = value, let whole = I(exactly: integer) else {
            throw FieldDecoding.mismatch(type, value)
        }
        return whole
    }
}
