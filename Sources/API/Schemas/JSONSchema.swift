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
        let (kind, rules) = rules(field.shape)
        var members = rules
        if field.isRequired {
            members.insert(.init(name: "type", value: .string(kind)), at: 0)
        } else {
            members.insert(
                .init(name: "type", value: .array([.string(kind), "null"])), at: 0)
        }
        let person = field.isPersonal ? " It is personal: an erasure takes it." : ""
        members.append(
            .init(
                name: "description",
                value: .string("Must be \(field.expectation).\(person)")))
        guard !field.isRequired, case .choice(let values) = field.shape else {
            return .object(members)
        }
        // An enumeration lists null as well, where null is allowed.
        return .object(
            members.map { member in
                member.name == "enum"
                    ? .init(name: "enum", value: .array(values.map(JSON.string) + [.null]))
                    : member
            })
    }

    private static func rules(_ shape: EventField.Shape) -> (kind: String, [JSON.Member]) {
        switch shape {
        case .text(let bytesMax):
            // Bytes cannot be said; no text of so many characters has fewer.
            (
                "string",
                [
                    .init(name: "maxLength", value: .integer(bytesMax)),
                    .init(name: "pattern", value: .string(plainLine)),
                ]
            )
        case .integer(let range):
            (
                "integer",
                [
                    .init(name: "minimum", value: .integer(range.lowerBound)),
                    .init(name: "maximum", value: .integer(range.upperBound)),
                ]
            )
        case .moment: ("string", [.init(name: "format", value: "date-time")])
        case .choice(let values):
            ("string", [.init(name: "enum", value: .array(values.map(JSON.string)))])
        case .flag: ("boolean", [])
        }
    }

    /// Something that is no space, and nothing that breaks a line or a terminal. Written out, since
    /// not every dialect of regular expressions knows the classes of Unicode.
    private static let plainLine: String = {
        let breaks = #"\u0000-\u001f\u007f-\u009f\u2028\u2029"#
        let spaces = #" \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"#
        return "^[^\(breaks)]*[^\(breaks)\(spaces)][^\(breaks)]*$"
    }()
}
