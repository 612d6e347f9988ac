import Domain
import JSON

/// JSON Schema (draft 2020-12) of events' data, made from the tables that Islet checks with.
enum JSONSchema {
    static func path(of type: EventType, version: Int) -> String {
        "/v1/schemas/\(type.name)?version=\(version)"
    }

    /// - Precondition: the version is one of the type's.
    static func schema(of type: EventType, version: Int) -> JSON {
        guard let fields = type.fields(of: version) else {
            preconditionFailure("\(type.name) has no version \(version)")
        }
        let required = fields.filter(\.isRequired).map { JSON.string($0.name) }
        return [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": .string(path(of: type, version: version)),
            "title": .string("\(type.name), schema version \(version)"),
            "description": "The `data` of the event. Other members are kept and ignored.",
            "type": "object",
            "required": .array(required),
            "properties": .object(
                fields.map { .init(name: $0.name, value: property($0)) }),
        ]
    }

    private static func property(_ field: EventField) -> JSON {
        var schema = rules(field.shape)
        if !field.isRequired, let kind = schema["type"] {
            schema["type"] = .array([kind, .string("null")])
            // An enumeration lists null as well, where null is allowed.
            if case .array(let values)? = schema["enum"] {
                schema["enum"] = .array(values + [.null])
            }
        }
        let person = field.isPersonal ? " It is personal: an erasure takes it." : ""
        schema["description"] = .string("Must be \(field.expectation).\(person)")
        return schema
    }

    private static func rules(_ shape: EventField.Shape) -> JSON {
        switch shape {
        case .text(let bytesMax):
            // Bytes cannot be said; no text of so many characters has fewer.
            ["type": "string", "maxLength": .integer(bytesMax), "pattern": .string(plainLine)]
        case .integer(let range):
            [
                "type": "integer", "minimum": .integer(range.lowerBound),
                "maximum": .integer(range.upperBound),
            ]
        // Of the years that the format has, 0000 is none that anybody means.
        case .moment: ["type": "string", "format": "date-time", "pattern": "^0{0,3}[1-9]"]
        case .choice(let values):
            ["type": "string", "enum": .array(values.map(JSON.string))]
        case .flag: ["type": "boolean"]
        }
    }

    /// Something that can be seen, and nothing that breaks a line or a terminal. Written out, since
    /// not every dialect of regular expressions knows the classes of Unicode.
    private static let plainLine: String = {
        let breaks = #"\u0000-\u001f\u007f-\u009f\u2028\u2029"#
        let spaces = #" \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"#
        let invisibles =
            #"\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160"#
            + #"\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800"#
            + #"\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"#
        return "^[^\(breaks)]*[^\(breaks)\(spaces)\(invisibles)][^\(breaks)]*$"
    }()
}
