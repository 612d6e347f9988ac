import Foundation
import IsletActivities

extension JSON {
    /// Compact UTF-8, members in their order.
    public var bytes: [UInt8] { written(sortingMembers: false) }

    /// As `bytes`, behind what is there.
    public func append(to output: inout [UInt8]) { write(to: &output, sortingMembers: false) }

    /// Compact UTF-8 with sorted members at every level, so that equal objects are equal bytes.
    public var canonicalBytes: [UInt8] { written(sortingMembers: true) }

    private func written(sortingMembers: Bool) -> [UInt8] {
        var output: [UInt8] = []
        write(to: &output, sortingMembers: sortingMembers)
        return output
    }

    private func write(to output: inout [UInt8], sortingMembers: Bool) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let literal): output.append(contentsOf: literal.utf8)
        case .string(let text): CanonicalText.append(text, to: &output)
        case .encoded(let data): data.withUnsafeBytes { output.append(contentsOf: $0) }
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                element.write(to: &output, sortingMembers: sortingMembers)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            // By bytes, because Swift's own order of strings depends on Unicode tables.
            let ordered =
                sortingMembers ? members.sorted { $0.name.precedes($1.name) } : members
            output.append(UInt8(ascii: "{"))
            for (index, member) in ordered.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                CanonicalText.append(member.name, to: &output)
                output.append(UInt8(ascii: ":"))
                member.value.write(to: &output, sortingMembers: sortingMembers)
            }
            output.append(UInt8(ascii: "}"))
        }
    }
}
