/// Any JSON value, in the form that upcasters rewrite.
///
/// Numbers that no field could take lose digits here; the log keeps them as they were sent.
public enum DataValue: Hashable, Sendable {
    case null
    case flag(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case list([DataValue])
    case object([String: DataValue])

    /// As a field sees it; nil for `null`.
    var field: FieldValue? {
        switch self {
        case .null: nil
        case .flag(let flag): .flag(flag)
        case .integer(let integer): .integer(integer)
        case .text(let text): .text(text)
        case .number, .list, .object: .other
        }
    }
}

extension DataValue: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let integer = try? container.decode(Int.self) {
            self = .integer(integer)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([DataValue].self) {
            self = .list(list)
        } else {
            self = .object(try container.decode([String: DataValue].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .flag(let flag): try container.encode(flag)
        case .integer(let integer): try container.encode(integer)
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let list): try container.encode(list)
        case .object(let members): try container.encode(members)
        }
    }
}
