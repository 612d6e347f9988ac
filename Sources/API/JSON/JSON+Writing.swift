import Foundation

extension JSON {
    /// Compact UTF-8, members in their order.
    var bytes: [UInt8] {
        var output: [UInt8] = []
        write(to: &output, sortingMembers: false)
        return output
    }

    /// As `bytes`, behind what is there.
    func append(to output: inout [UInt8]) { write(to: &output, sortingMembers: false) }

    /// Compact UTF-8 with sorted members at every level, so that equal objects are equal bytes.
    var canonicalBytes: [UInt8] {
        var output: [UInt8] = []
        write(to: &output, sortingMembers: true)
        return output
    }

    private func write(to output: inout [UInt8], sortingMembers: Bool) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let literal): output.append(contentsOf: literal.utf8)
        case .string(let text): JSON.write(text, to: &output)
        case .encoded(let data): data.withUnsafeBytes { output.append(contentsOf: $0) }
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                element.write(to: &output, sortingMembers: sortingMembers)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            let ordered = sortingMembers ? JSON.sorted(members) : members
            output.append(UInt8(ascii: "{"))
            for (index, member) in ordered.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                JSON.write(member.name, to: &output)
                output.append(UInt8(ascii: ":"))
                member.value.write(to: &output, sortingMembers: sortingMembers)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    /// By bytes, because Swift's own order of strings depends on Unicode tables.
    private static func sorted(_ members: [Member]) -> [Member] {
        members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// In decimal digits.
    static func write(_ number: Int64, to output: inout [UInt8]) {
        var digits = String(number)
        digits.withUTF8 { output.append(contentsOf: $0) }
    }

    /// As a string, with what must be escaped.
    static func write(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { bytes in
            if bytes.allSatisfy(isPlain) {
                output.append(contentsOf: bytes)
            } else {
                writeEscaped(bytes, to: &output)
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private static func writeEscaped(
        _ bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]
    ) {
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\""): output.append(contentsOf: "\\\"".utf8)
            case UInt8(ascii: "\\"): output.append(contentsOf: "\\\\".utf8)
            case UInt8(ascii: "\n"): output.append(contentsOf: "\\n".utf8)
            case UInt8(ascii: "\r"): output.append(contentsOf: "\\r".utf8)
            case UInt8(ascii: "\t"): output.append(contentsOf: "\\t".utf8)
            case 0..<0x20:
                output.append(contentsOf: "\\u00".utf8)
                output.append(hexDigit(byte >> 4))
                output.append(hexDigit(byte & 15))
            default: output.append(byte)
            }
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
