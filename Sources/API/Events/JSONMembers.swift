/// Lets `Decodable` types look into an object that is parsed already, instead of writing it out and
/// having Foundation parse it again, which takes several times as long.
///
/// It knows what nearly all events consist of: texts, whole numbers and booleans, each a member of
/// the object itself. It throws at anything else, and then Foundation's decoder has the last word;
/// so what passes here must pass there.
struct JSONMembers: Decoder {
    fileprivate let members: [JSON.Member]

    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    /// Nil for anything but an object.
    init?(_ json: JSON) {
        guard case .object(let members) = json else { return nil }
        self.members = members
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Members<Key>(members: members))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unknown() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Unknown() }
}

/// Nobody looks at what it says.
private struct Unknown: Error {}

private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [JSON.Member]

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { members.compactMap { Key(stringValue: $0.name) } }

    private func value(_ key: Key) throws -> Scalar {
        let name = key.stringValue
        guard let member = members.first(where: { $0.name == name }) else { throw Unknown() }
        return Scalar(value: member.value)
    }

    func contains(_ key: Key) -> Bool {
        let name = key.stringValue
        return members.contains { $0.name == name }
    }

    func decodeNil(forKey key: Key) throws -> Bool { try value(key).decodeNil() }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try value(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try value(key).decode(type)
    }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try T(from: try value(key))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw Unknown() }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw Unknown()
    }
    func superDecoder() throws -> any Decoder { throw Unknown() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw Unknown() }
}

private struct Scalar: Decoder, SingleValueDecodingContainer {
    let value: JSON

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func decodeNil() -> Bool { value == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .bool(let flag) = value else { throw Unknown() }
        return flag
    }

    /// Only plain digits: what `1.0` or `1e3` are is for Foundation to say.
    func decode(_ type: Int.Type) throws -> Int {
        guard case .number(let literal) = value, literal != "-0", let number = Int(literal) else {
            throw Unknown()
        }
        return number
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .string(let text) = value else { throw Unknown() }
        return text
    }

    /// Stands for all other numbers too, which would only ask again.
    func decode<T: Decodable>(_ type: T.Type) throws -> T { throw Unknown() }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unknown() }
    func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> { throw Unknown() }
}
