import Foundation
import Testing

/// A value's JSON, member by member. The server writes it with sorted members, and an app reads it
/// with a stock `JSONDecoder`.
struct WireForm<Value: Codable & Hashable> {
    /// With all its members.
    var value: Value
    /// JSON of the members that are always there, by name.
    var required: [String: String]
    /// JSON of those that may be missing.
    var optional: [String: String]

    init(_ value: Value, _ required: [String: String], optional: [String: String] = [:]) {
        self.value = value
        self.required = required
        self.optional = optional
    }

    /// All of it that an app relies on.
    func expect(_ location: SourceLocation = #_sourceLocation) throws {
        let all = required.merging(optional) { $1 }
        #expect(try written(value) == text(all), sourceLocation: location)
        #expect(try read(text(all)) == value, sourceLocation: location)
        try expectEverySubset(location)
        for name in required.keys {
            let rest = all.filter { $0.key != name }
            #expect(throws: DecodingError.self, "\(name)", sourceLocation: location) {
                try read(text(rest))
            }
        }
        // What a later server adds, of any shape, before and behind what the app knows.
        for name in ["AAA", "zzz", "\u{E9}"] {
            for json in ["null", "7", #"{"a":[{"b":1.5}]}"#] {
                let more = all.merging([name: json]) { $1 }
                #expect(try read(text(more)) == value, sourceLocation: location)
            }
        }
    }

    /// With some of the optional members the state is read, and written again as it was.
    private func expectEverySubset(_ location: SourceLocation) throws {
        let names = optional.keys.sorted()
        for mask in 0..<(1 << names.count) {
            let missing = names.indices.filter { mask >> $0 & 1 == 1 }.map { names[$0] }
            let known = optional.filter { !missing.contains($0.key) }
            let part = required.merging(known) { $1 }
            let value = try read(text(part))
            #expect(try written(value) == text(part), sourceLocation: location)
            // Another server may write them out.
            let nulls = Dictionary(uniqueKeysWithValues: missing.map { ($0, "null") })
            #expect(
                try read(text(part.merging(nulls) { $1 })) == value, sourceLocation: location)
        }
    }

    /// Compact and sorted by the bytes of names.
    private func text(_ members: [String: String]) -> String {
        let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return "{" + sorted.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    private func read(_ text: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }

    private func written(_ value: Value) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
