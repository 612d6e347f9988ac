import Domain
import JSON

/// One event's data on their way through a redaction: a tree in which no number loses a digit,
/// written as the log's database writes it.
struct DataRedaction {
    let pseudonyms: Pseudonyms
    let type: String
    /// Those that the type's schema names, by their names.
    let fields: [String: EventField]
    var tally: RedactionTally
    var out: [UInt8] = []

    /// - Returns: nil where the text is no JSON.
    mutating func redacted(_ text: [UInt8]) -> [UInt8]? {
        guard
            let data = try? JSONParser.parse(text, depthMax: Limits.nestingMax, isStrict: false)
        else { return nil }
        out.reserveCapacity(text.count)
        if case .object(let members) = data {
            object(members, path: nil)
        } else {
            value(data, "", nil)
        }
        return out
    }

    private mutating func object(_ members: [JSON.Member], path: String?) {
        out.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { out += ", ".utf8 }
            let field = path == nil ? fields[member.name] : nil
            let name = field?.name ?? pseudonyms.name(member.name.utf8)
            CanonicalText.append(name, to: &out)
            out += ": ".utf8
            value(member.value, field == nil ? "\(path ?? "")/\(name)" : nil, field)
        }
        out.append(UInt8(ascii: "}"))
    }

    private mutating func array(_ elements: [JSON], path: String) {
        out.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { out += ", ".utf8 }
            value(element, path, nil)
        }
        out.append(UInt8(ascii: "]"))
    }

    /// - Parameters:
    ///   - path: of a member that no schema names; nil in one that a schema does.
    ///   - field: what is known of it; nil for a value that must be masked.
    private mutating func value(_ value: JSON, _ path: String?, _ field: EventField?) {
        // Members of what is no plain value are in no schema, wherever they are.
        let inside = path ?? field.map { "/\($0.name)" } ?? ""
        switch value {
        case .null: out += "null".utf8
        case .bool(let flag) where isOpen(.flag(flag), field):
            out += (flag ? "true" : "false").utf8
        case .bool:
            note(path)
            out += "null".utf8
        case .number(let literal): number(literal, path, field)
        case .string(let text): self.text(text, path, field)
        case .array(let elements): array(elements, path: inside)
        case .object(let members): object(members, path: inside)
        case .encoded: preconditionFailure("nothing is encoded in what was parsed")
        }
    }

    /// Whether everybody may see it: the field says so, and it is as values of the field are.
    private func isOpen(_ value: FieldValue, _ field: EventField?) -> Bool {
        guard let field, field.refusal(of: value, isStored: true) == nil else { return false }
        switch (field.disclosure, value) {
        case (.open, _): return true
        case (.openAmong(let known), .text(let text)):
            return known.containsBytes(of: text.lowercased())
        case (.openAmong, _), (.reference, _), (.masked, _): return false
        }
    }

    private mutating func text(_ text: String, _ path: String?, _ field: EventField?) {
        if isOpen(.text(text), field) {
            CanonicalText.append(text, to: &out)
            return
        }
        note(path)
        if field?.disclosure == .reference {
            CanonicalText.append(pseudonyms.name(text.utf8), to: &out)
            return
        }
        // The one way to write a text in which nothing is escaped but what must be.
        var escaped: [UInt8] = []
        CanonicalText.append(text, to: &escaped, controls: .numbered)
        let quote = [UInt8(ascii: "\"")]
        out += quote + pseudonyms.likeness(Array(escaped.dropFirst().dropLast())) + quote
    }

    private mutating func number(_ literal: String, _ path: String?, _ field: EventField?) {
        let value = FieldValue(number: literal)
        if isOpen(value, field) { return out += literal.utf8 }
        note(path)
        let likeness = pseudonyms.likeness(ofNumber: Array(literal.utf8))
        // What fitted its field still does, so that the event is folded as before.
        if let field, case .integer(let range) = field.shape,
            field.refusal(of: value, isStored: true) == nil,
            Int(String(decoding: likeness, as: UTF8.self)).map(range.contains) != true
        {
            out += String(range.lowerBound).utf8
        } else {
            out += likeness
        }
    }

    private mutating func note(_ path: String?) {
        tally.valuesMasked += 1
        guard let path else { return }
        tally.valuesUnlisted += 1
        tally.note(.init(type: type, path: path))
    }
}
