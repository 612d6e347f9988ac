import Foundation

/// The attributes of an event that are kept without being read. Their values are texts, whole
/// numbers and booleans, so none is changed by being decoded.
struct KeptAttributes {
    private enum Value: Codable {
        case flag(Bool)
        case number(Int)
        case text(String)

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let flag = try? value.decode(Bool.self) {
                self = .flag(flag)
            } else if let number = try? value.decode(Int.self) {
                self = .number(number)
            } else {
                self = .text(try value.decode(String.self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var value = encoder.singleValueContainer()
            switch self {
            case .flag(let flag): try value.encode(flag)
            case .number(let number): try value.encode(number)
            case .text(let text): try value.encode(text)
            }
        }
    }

    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    let bytes: Data?

    init(from decoder: any Decoder, besides known: Set<String>) throws {
        let members = try decoder.container(keyedBy: Name.self)
        var values: [String: Value] = [:]
        for name in members.allKeys where !known.contains(name.stringValue) {
            values[name.stringValue] = try members.decode(Value.self, forKey: name)
        }
        guard !values.isEmpty else {
            bytes = nil
            return
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        bytes = try encoder.encode(values)
    }
}
