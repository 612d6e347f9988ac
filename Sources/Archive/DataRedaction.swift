import Encodings
import Domain
import Foundation
import JSON

/// One event's data on their way through a redaction: read byte by byte and written again, so that
/// no number that stays loses a digit.
struct DataRedaction {
    private struct Malformed: Error {}

    private let text: [UInt8]
    private let pseudonyms: Pseudonyms
    private let type: String
    private let members: [String: EventField]
    private(set) var tally: RedactionTally
    private var index = 0
    private var depth = 0
    private var out: [UInt8] = []

    init(
        _ text: [UInt8], _ pseudonyms: Pseudonyms, type: String,
        members: [String: EventField], tally: RedactionTally
    ) {
        self.text = text
        self.pseudonyms = pseudonyms
        self.type = type
        self.members = members
        self.tally = tally
        out.reserveCapacity(text.count)
    }

    mutating func redacted() -> [UInt8]? {
        do {
            space()
            if peek == UInt8(ascii: "{") {
                try object(path: nil)
            } else {
                try value(path: "", member: nil)
            }
            space()
            return index == text.count ? out : nil
        } catch { return nil }
    }

    private var peek: UInt8? { index < text.count ? text[index] : nil }

    private mutating func space() {
        while let byte = peek, [0x20, 0x09, 0x0A, 0x0D].contains(byte) {
            out.append(byte)
            index += 1
        }
    }

    private mutating func take(_ byte: Character) throws(Malformed) {
        guard let value = byte.asciiValue, peek == value else { throw Malformed() }
        out.append(value)
        index += 1
    }

    private mutating func object(path: String?) throws(Malformed) {
        try take("{")
        space()
        if peek == UInt8(ascii: "}") { return try take("}") }
        while true {
            space()
            let raw = try string()
            let name = Self.decoded(raw)
            let member = path == nil ? members[name] : nil
            var inner: String?
            if member == nil {
                let pseudonym = pseudonyms.name(name.utf8)
                inner = "\(path ?? "")/\(pseudonym)"
                quote(pseudonym.utf8)
            } else {
                quote(raw)
            }
            space()
            try take(":")
            space()
            try value(path: inner, member: member)
            space()
            guard peek == UInt8(ascii: ",") else { break }
            try take(",")
        }
        try take("}")
    }

    private mutating func array(path: String?) throws(Malformed) {
        try take("[")
        space()
        if peek == UInt8(ascii: "]") { return try take("]") }
        while true {
            space()
            try value(path: path, member: nil)
            space()
            guard peek == UInt8(ascii: ",") else { break }
            try take(",")
        }
        try take("]")
    }

    /// - Parameters:
    ///   - path: of a member that no schema names; nil in one that a schema does.
    ///   - member: what is known of it; nil for a value that must be covered.
    private mutating func value(
        path: String?, member: EventField?
    ) throws(Malformed) {
        switch peek {
        // Members of what is no plain value are in no schema, wherever they are.
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard depth < Limits.nestingMax else { throw Malformed() }
            depth += 1
            let inside = path ?? (member.map { "/\($0.name)" } ?? "")
            if peek == UInt8(ascii: "{") {
                try object(path: inside)
            } else {
                try array(path: inside)
            }
            depth -= 1
        case UInt8(ascii: "\""): textValue(try string(), path, member)
        case nil: throw Malformed()
        default: try word(path, member)
        }
    }

    private mutating func textValue(
        _ raw: [UInt8], _ path: String?, _ member: EventField?
    ) {
        let text = Self.decoded(raw)
        if let member, member.disclosure == .open,
            member.refusal(of: .text(text), isStored: true) == nil
        {
            return quote(raw)
        }
        note(path)
        if let member, member.disclosure == .reference {
            return quote(pseudonyms.name(text.utf8).utf8)
        }
        quote(pseudonyms.likeness(Self.plainlyEscaped(text)))
    }

    private mutating func word(
        _ path: String?, _ member: EventField?
    ) throws(Malformed) {
        let start = index
        while let byte = peek, Self.isPartOfWord(byte) { index += 1 }
        let word = Array(text[start..<index])
        switch String(decoding: word, as: UTF8.self) {
        case "null": out += word
        case "true", "false":
            let flag = FieldValue.flag(word.first == UInt8(ascii: "t"))
            if let member, member.disclosure == .open,
                member.refusal(of: flag, isStored: true) == nil
            {
                out += word
            } else {
                note(path)
                out += "null".utf8
            }
        case let text:
            let digits = word.first == UInt8(ascii: "-") ? word.dropFirst() : word[...]
            guard Double(text) != nil, let first = digits.first, (48...57).contains(first) else {
                throw Malformed()
            }
            number(word, FieldValue(number: text), path, member)
        }
    }

    private mutating func number(
        _ word: [UInt8], _ value: FieldValue, _ path: String?, _ member: EventField?
    ) {
        let fits = member?.refusal(of: value, isStored: true) == nil
        if let member, member.disclosure == .open, fits { return out += word }
        note(path)
        let likeness = pseudonyms.likeness(ofNumber: word)
        // What fitted its field still does, so that the event is folded as before.
        if let member, fits, case .integer(let range) = member.shape,
            Int(String(decoding: likeness, as: UTF8.self)).map(range.contains) != true
        {
            out += String(range.lowerBound).utf8
        } else {
            out += likeness
        }
    }

    private mutating func note(_ path: String?) {
        tally.valuesCovered += 1
        guard let path else { return }
        tally.valuesUnlisted += 1
        tally.note(.init(type: type, path: path))
    }

    private mutating func quote(_ bytes: some Sequence<UInt8>) {
        out.append(UInt8(ascii: "\""))
        out += bytes
        out.append(UInt8(ascii: "\""))
    }

    /// Reads a string and writes nothing.
    /// - Returns: what is between its quotes.
    private mutating func string() throws(Malformed) -> [UInt8] {
        guard peek == UInt8(ascii: "\"") else { throw Malformed() }
        index += 1
        let start = index
        while let byte = peek, byte != UInt8(ascii: "\"") {
            index += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        guard peek == UInt8(ascii: "\"") else { throw Malformed() }
        defer { index += 1 }
        return Array(text[start..<index])
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func decoded(_ raw: [UInt8]) -> String {
        guard raw.contains(UInt8(ascii: "\\")) else { return String(decoding: raw, as: UTF8.self) }
        let quoted = Data([UInt8(ascii: "\"")] + raw + [UInt8(ascii: "\"")])
        let text = try? JSONDecoder().decode(String.self, from: quoted)
        // What cannot be read is covered as it stands, letters of its escapes included.
        return text ?? String(decoding: raw.filter { $0 != UInt8(ascii: "\\") }, as: UTF8.self)
    }

    /// The one way to write a text in which nothing is escaped but what must be.
    private static func plainlyEscaped(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        CanonicalText.append(text, to: &bytes, controls: .numbered)
        return Array(bytes.dropFirst().dropLast())
    }
}
