extension ByBytes: Decodable where Value: Decodable {
    public init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode(Value.self)
    }
}

extension ByBytes: Encodable where Value: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension ByBytes: CodingKeyRepresentable where Value == String {
    public var codingKey: any CodingKey { wrappedValue.codingKey }

    public init?<Key: CodingKey>(codingKey: Key) { wrappedValue = codingKey.stringValue }
}

// What follows is found by the coding that the compiler writes for a type with such members. So a
// member is coded like a plain text, and left out where there is none.

extension KeyedDecodingContainer {
    /// A text that must be there.
    public func decode(_ type: ByBytes<String>.Type, forKey key: Key) throws -> ByBytes<String> {
        ByBytes(try decode(String.self, forKey: key))
    }

    /// A text that may be missing.
    public func decode(
        _ type: ByBytes<String?>.Type, forKey key: Key
    ) throws -> ByBytes<String?> {
        ByBytes(try decodeIfPresent(String.self, forKey: key))
    }
}

extension KeyedEncodingContainer {
    public mutating func encode(_ value: ByBytes<String>, forKey key: Key) throws {
        try encode(value.wrappedValue, forKey: key)
    }

    public mutating func encode(_ value: ByBytes<String?>, forKey key: Key) throws {
        try encodeIfPresent(value.wrappedValue, forKey: key)
    }
}
