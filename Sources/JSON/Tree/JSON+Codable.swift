import IsletActivities

/// For members whose shape only others know, among such as are coded by `Codable`.
extension JSON: Codable {
    public init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: AnyName.self) {
            // In an order that does not depend on the decoder's.
            let names = object.allKeys.sorted { $0.stringValue.precedes($1.stringValue) }
            self = .object(
                try names.map {
                    Member(name: $0.stringValue, value: try object.decode(JSON.self, forKey: $0))
                })
        } else if var array = try? decoder.unkeyedContainer() {
            var elements: [JSON] = []
            while !array.isAtEnd { elements.append(try array.decode(JSON.self)) }
            self = .array(elements)
        } else {
            self = try Self.scalar(decoder.singleValueContainer())
        }
    }

    private static func scalar(_ container: any SingleValueDecodingContainer) throws -> JSON {
        if container.decodeNil() { return .null }
        if let text = try? container.decode(String.self) { return .string(text) }
        if let flag = try? container.decode(Bool.self) { return .bool(flag) }
        if let number = try? container.decode(Int64.self) { return .integer(number) }
        if let number = try? container.decode(UInt64.self) { return .integer(number) }
        var literal: [UInt8] = []
        CanonicalText.append(try container.decode(Double.self), to: &literal)
        return .number(String(decoding: literal, as: UTF8.self))
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: AnyName.self)
            for member in members {
                try container.encode(member.value, forKey: AnyName(member.name))
            }
        case .array(let elements): try elements.encode(to: encoder)
        case .encoded(let data): try JSONParser.parse(Array(data)).encode(to: encoder)
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let flag): try flag.encode(to: encoder)
        case .string(let text): try text.encode(to: encoder)
        case .number(let literal):
            if let number = Int64(literal) {
                try number.encode(to: encoder)
            } else if let number = UInt64(literal) {
                try number.encode(to: encoder)
            } else {
                try (Double(literal) ?? 0).encode(to: encoder)
            }
        }
    }
}

/// Any name of a member.
public struct AnyName: CodingKey {
    /// The name as it stands.
    public let stringValue: String
    /// None is a number.
    public var intValue: Int? { nil }

    public init(_ name: String) { stringValue = name }
    public init(stringValue: String) { self.stringValue = stringValue }
    public init?(intValue: Int) { nil }
}
