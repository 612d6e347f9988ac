import JSON
import TestSupport

/// Values made of a seed, and texts that mean the same as each of them.
struct RandomJSON {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    mutating func flag() -> Bool { Bool.random(using: &generator) }

    mutating func value(depth: Int) -> JSON {
        switch below(depth > 0 ? 9 : 6) {
        case 0: return .null
        case 1: return .bool(flag())
        case 2, 3: return .number(number())
        case 4, 5: return .string(text())
        case 6: return .array((0..<below(5)).map { _ in value(depth: depth - 1) })
        default:
            // Unequal by their bytes, and some look the same.
            let names = (0..<below(24)).map { "\(text())\($0)" }
            return .object(
                names.map { JSON.Member(name: $0, value: value(depth: depth - 1)) })
        }
    }

    /// A literal with any number of digits and zeros.
    mutating func number() -> String {
        var literal = flag() ? "-" : ""
        literal += below(3) == 0 ? "0" : "\(1 + below(9))" + digits(below(12))
        if flag() { literal += "." + digits(1 + below(12)) }
        if below(3) == 0 {
            literal += ["e", "E", "e+", "e-", "E-"][below(5)] + "\(below(40))"
        }
        return literal
    }

    mutating func text() -> String {
        let pieces = [
            "a", "Z", "é", "e\u{301}", "\"", "\\", "/", "\n", "\u{1f}", "🍕", " ", "0", "{", "]",
            ",", "\u{2028}", "\u{7f}",
        ]
        return (0..<below(9)).map { _ in pieces[below(pieces.count)] }.joined()
    }

    private mutating func digits(_ count: Int) -> String {
        (0..<count).map { _ in "\(below(10))" }.joined()
    }

    /// With space anywhere, members in any order and any character escaped.
    mutating func written(_ value: JSON) -> String {
        let json: String
        switch value {
        case .array(let elements):
            json = "[" + space() + elements.map { written($0) }.joined(separator: ",") + "]"
        case .object(let members):
            let shuffled = members.shuffled(using: &generator).map { member in
                space() + quoted(member.name) + space() + ":" + written(member.value)
            }
            json = "{" + space() + shuffled.joined(separator: ",") + "}"
        case .string(let text): json = quoted(text)
        case .null, .bool, .number, .encoded: json = String(decoding: value.bytes, as: UTF8.self)
        }
        return space() + json + space()
    }

    private mutating func space() -> String {
        ["", "", "", " ", "\n", "\t\r\n"][below(6)]
    }

    private mutating func quoted(_ text: String) -> String {
        var json = "\""
        for scalar in text.unicodeScalars {
            let mustEscape = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
            if mustEscape || below(4) == 0 {
                for unit in Character(scalar).utf16 {
                    let hex = String(unit, radix: 16, uppercase: flag())
                    json += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
                }
            } else {
                json.unicodeScalars.append(scalar)
            }
        }
        return json + "\""
    }
}
