import Domain
import Foundation
import HTTP
import JSON
import Projections
import Testing

@testable import API

@Test func `every type and version has a schema that its list leads to`() async throws {
    let api = await Harness()
    let rows = try await api.get("/v1/schemas", key: nil).json()["schemas"]?.elements ?? []
    #expect(rows.map { $0["type"]?.text } == ActivityCatalog.standard.eventTypes.map(\.name))
    for (row, type) in zip(rows, ActivityCatalog.standard.eventTypes) {
        let newest = try await api.get(try #require(row["newest"]?.text), key: nil)
        #expect(newest.status == 200)
        #expect(newest.header("content-type") == "application/schema+json")
        #expect(try await api.get("/v1/schemas/\(type.name)", key: nil).text == newest.text)
        for version in 1...type.newestVersion {
            let path = "/v1/schemas/\(type.name)?version=\(version)"
            let schema = try await api.get(path, key: nil).json()
            #expect(schema["$id"]?.text == path)
            #expect(schema["$schema"]?.text == "https://json-schema.org/draft/2020-12/schema")
            let fields = type.fields(of: version) ?? []
            #expect(schema["properties"]?.names == fields.map(\.name) || fields.isEmpty)
            let required = schema["required"]?.elements.compactMap(\.text)
            #expect(required == fields.filter(\.isRequired).map(\.name))
        }
    }
}

@Test func `a type or version that does not exist is a problem`() async throws {
    let api = await Harness()
    let unknown = try await api.get("/v1/schemas/Match.GoalScore", key: nil)
    let document = try unknown.expectProblem(.unknownSchema)
    #expect(document["detail"]?.text?.contains("`Match.GoalScored`") == true)
    try await api.get("/v1/schemas/Match.GoalScored?version=2", key: nil)
        .expectProblem(.unknownSchema)
    for version in ["0", "-1", "x", ""] {
        try await api.get("/v1/schemas/Match.GoalScored?version=\(version)", key: nil)
            .expectProblem(.invalidParameter)
    }
}

/// What the schema says about one value; only the words that it uses.
private func accepts(_ schema: JSON, _ value: JSON) throws -> Bool {
    let kinds = schema["type"]?.text.map { [$0] } ?? schema["type"]?.elements.compactMap(\.text)
    let kind: String
    switch value {
    case .null: kind = "null"
    case .bool: kind = "boolean"
    case .string: kind = "string"
    case .number(let text):
        kind = Double(text)?.rounded() == Double(text) ? "integer" : "number"
    case .array: kind = "array"
    case .object, .encoded: kind = "object"
    }
    guard kinds?.contains(kind) == true else { return false }
    if let choices = schema["enum"]?.elements, !choices.contains(value) { return false }
    switch value {
    case .string(let text):
        if case .number(let most) = schema["maxLength"], text.unicodeScalars.count > Int(most) ?? 0
        {
            return false
        }
        if let pattern = schema["pattern"]?.text,
            text.range(of: pattern, options: .regularExpression) == nil
        {
            return false
        }
        return schema["format"]?.text != "date-time" || isDateTime(text)
    case .number(let text):
        func bound(_ name: String) -> Double? {
            if case .number(let bound) = schema[name] { Double(bound) } else { nil }
        }
        let number = Double(text) ?? .nan
        return number >= bound("minimum") ?? -.infinity && number <= bound("maximum") ?? .infinity
    case .null, .bool, .array, .object, .encoded: return true
    }
}

/// The production `date-time` of RFC 3339, by which a schema means its format.
private func isDateTime(_ text: String) -> Bool {
    let time = "[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?([Zz]|[-+][0-9]{2}:[0-9]{2})"
    let form = "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt]\(time)$"
    let hasForm = text.range(of: form, options: .regularExpression) != nil
    let isLeap = text.contains(":60") && text != "2026-12-31T23:59:60Z"
    return hasForm && !isLeap && Moment(rfc3339: text) != nil
}

@Test func `the published schema and the check at the door agree`() async throws {
    let values = [
        "null", "true", "0", "1", "1.0", "2.5", "36000", "36001", "-1", #""""#, #"" ""#, #""x""#,
        "\"\u{3000}\"", "\"\u{200B}\"", "\"\u{FEFF}\u{2800}\"", "\"a\u{200D}🚀\"", #""a\nb""#,
        #""a\u2028b""#, #""a\u0085b""#, "\"\u{202E}\"", "\"\u{2066} \u{2069}\"",
        "\"\u{FFF9}\u{FFFB}\"", "\"\u{600}\u{6DD}\"", "\"\u{202E}a\"", "\"\u{FFFC}\"",
        #""2026-05-01T12:00:00Z""#, #""2026-05-01T12:00:00""#, #""home""#, #""scored""#,
        #""2026-05-01 12:00:00Z""#, #""2026-05-01T12:00:60Z""#, #""2026-12-31T23:59:60Z""#,
        #""0000-01-01T00:00:00Z""#, #""2026-05-01t12:00:00.5+02:00""#,
        #""firstHalf""#, "[]", "{}", "\"\(String(repeating: "x", count: 60))\"",
        "\"\(String(repeating: "x", count: 141))\"",
    ]
    for type in ActivityCatalog.standard.eventTypes {
        for version in 1...type.newestVersion {
            let schema = JSONSchema.schema(of: type, version: version)
            for field in type.fields(of: version) ?? [] {
                let rule = try #require(schema["properties"]?[field.name])
                for text in values {
                    let value = try JSONParser.parse(Array(text.utf8))
                    if value == .null, field.isRequired { continue }
                    let isTaken = field.refusal(of: fieldValue(value)) == nil
                    #expect(
                        try accepts(rule, value) == isTaken,
                        "\(type.name) v\(version) \(rule) \(text)")
                }
            }
        }
    }

    func fieldValue(_ value: JSON) -> FieldValue? {
        switch value {
        case .null: nil
        case .bool(let flag): .flag(flag)
        case .number(let text): FieldValue(number: text)
        case .string(let text): .text(text)
        case .array, .object, .encoded: .other
        }
    }
}
