public import Domain
public import Foundation

/// Data of events made up from their schemas: any values that pass the checks.
public struct RandomData {
    private var generator: SeededGenerator

    public init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    public mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    public mutating func flag() -> Bool { Bool.random(using: &generator) }

    public mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }

    public mutating func shuffled<T>(_ values: [T]) -> [T] { values.shuffled(using: &generator) }

    /// An object with all fields that must be there and some of the others.
    /// - Parameter moment: a time for a field that has one.
    public mutating func object(
        _ fields: [EventField], moment: (inout RandomData) -> Moment
    ) -> Data {
        var members: [String] = []
        for field in fields where field.isRequired || flag() {
            members.append("\"\(field.name)\":\(value(field.shape, moment))")
        }
        return Data("{\(members.joined(separator: ","))}".utf8)
    }

    private mutating func value(
        _ shape: EventField.Shape, _ moment: (inout RandomData) -> Moment
    ) -> String {
        switch shape {
        case .text(let bytesMax):
            // Two of them look the same and are not.
            let text = pick([
                "a", "b", "\u{DC}nal \u{D6}.", "U\u{308}nal O\u{308}.", "🍕", "c d e f g",
            ])
            return "\"\(text.utf8.count <= bytesMax ? text : "x")\""
        case .integer(let range):
            let span = min(range.upperBound - range.lowerBound, 5000)
            return "\(range.lowerBound + below(below(2) == 0 ? min(span, 4) + 1 : span + 1))"
        case .moment: return "\"\(moment(&self).rfc3339)\""
        case .choice(let values): return "\"\(pick(values))\""
        case .flag: return flag() ? "true" : "false"
        }
    }
}
