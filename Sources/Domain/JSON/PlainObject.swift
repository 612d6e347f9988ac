import Foundation

/// A flat JSON object, read once into its members without building strings for those that nobody
/// asks for.
struct PlainObject {
    private struct Member {
        var name: Range<Int>
        var literal: Range<Int>
        var value: PlainJSONScanner.Scalar
    }

    private let scanner: PlainJSONScanner
    private let members: [Member]

    /// - Returns: nil when the text is anything but a flat object that is plainly written; then
    ///   `JSONDecoder` has to say what it is.
    init?(_ text: UnsafeBufferPointer<UInt8>) {
        var scanner = PlainJSONScanner(text)
        var members: [Member] = []
        members.reserveCapacity(8)
        guard scanner.take(UInt8(ascii: "{")) else { return nil }
        if !scanner.take(UInt8(ascii: "}")) {
            repeat {
                guard let name = scanner.string(), scanner.take(UInt8(ascii: ":")),
                    !members.contains(where: { scanner.equals($0.name, name.range) }),
                    let value = scanner.scalar()
                else { return nil }
                let literal = scanner.scalarStart..<scanner.index
                members.append(Member(name: name.range, literal: literal, value: value))
            } while scanner.take(UInt8(ascii: ","))
            guard scanner.take(UInt8(ascii: "}")) else { return nil }
        }
        guard scanner.isAtEnd() else { return nil }
        self.scanner = scanner
        self.members = members
    }

    /// As an event's field sees it; nil when there is none, or `null`.
    func field(_ name: String) -> FieldValue? {
        guard let member = members.first(where: { scanner.equals($0.name, name) }) else {
            return nil
        }
        return switch member.value {
        case .null: nil
        case .flag(let flag): .flag(flag)
        case .integer(let integer): .integer(integer)
        case .fraction: FieldValue(number: scanner.string(member.literal))
        case .text(let text): .text(scanner.string(text.range))
        }
    }
}
