import Domain
import JSON

import struct Foundation.Data

/// The attributes of an event that Islet keeps without reading them.
struct ExtensionAttributes {
    private var members: [JSON.Member] = []

    /// - Returns: the end of a sentence that begins with the name; nil when it is taken.
    mutating func add(_ name: String, _ value: JSON) -> String? {
        var value = value
        switch value {
        case .null: return nil
        case .bool: break
        case .number(let literal):
            guard let number = value.wholeNumber, Int32(exactly: number) != nil else {
                return "must be a whole number of 32 bits; send others as text"
            }
            // Kept as CloudEvents writes it: `1.0` as `1`.
            if Int32(literal) == nil { value = .integer(number) }
        case .string(let text):
            if text.unicodeScalars.contains(where: AttributeText.isControl) {
                return "must not have control characters"
            }
        case .array, .object, .encoded:
            return "must be text, a whole number or a boolean, not \(value.kind)"
        }
        members.append(.init(name: name, value: value))
        return nil
    }

    /// What they all are together; nil when all is well.
    var refusal: String? {
        if members.count > Limits.extensionsMax {
            return "must not have more than \(Limits.extensionsMax) extension attributes"
        }
        if let data, data.count > Limits.extensionBytesMax {
            return "must not have more than \(Limits.extensionBytesMax) bytes of extension "
                + "attributes"
        }
        return nil
    }

    /// In the form in which they are kept; nil for none.
    var data: Data? {
        members.isEmpty ? nil : Data(JSON.object(members).canonicalBytes)
    }
}
