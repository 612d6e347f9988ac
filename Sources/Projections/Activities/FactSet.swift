public import Domain

/// Facts under their own ids: reporting one again changes nothing, reporting it differently
/// corrects it, and the order of arrival does not matter.
///
/// Bounded, so that a broken feed cannot grow a state without end: of more than `Limits.factsMax`
/// ids the smallest stay, which again does not depend on the order of arrival.
public struct FactSet<Key: FactKey, Fact: Codable & Hashable & Sendable>: Hashable, Sendable {
    private var facts: [Key: ReportedFact<Fact>] = [:]

    public init() {}

    /// How many facts there are.
    public var count: Int { facts.count }
    /// True before the first fact.
    public var isEmpty: Bool { facts.isEmpty }
    /// The facts, in no order.
    public var values: some Collection<ReportedFact<Fact>> { facts.values }

    /// The fact under the key; nil when none is known.
    public subscript(key: Key) -> ReportedFact<Fact>? { facts[key] }

    /// Takes in a fact; of two under one key the newer stands.
    public mutating func offer(_ fact: Fact, as key: Key, at moment: Moment) {
        if facts[key] == nil {
            facts[key] = ReportedFact(fact, at: moment)
        } else {
            facts[key]?.offer(fact, at: moment)
        }
        if facts.count > Limits.factsMax, let largest = facts.keys.max() {
            facts[largest] = nil
        }
    }
}

/// What facts have as their ids.
public protocol FactKey: Codable, Hashable, Comparable, Sendable {
    /// As a name of a member; nil where no two look alike.
    var text: String? { get }
}

extension Int: FactKey {
    /// What a key reads as in JSON; nil for one that is no text.
    public var text: String? { nil }
}

extension ByteKey: FactKey {
    /// The text itself.
    public var text: String? { wrappedValue }
}

extension FactSet where Key == ByteKey {
    /// The fact under the name; nil when none is known.
    public subscript(name: String) -> ReportedFact<Fact>? { self[ByteKey(name)] }

    /// Takes in a fact; of two under one name the newer stands.
    public mutating func offer(_ fact: Fact, as name: String, at moment: Moment) {
        offer(fact, as: ByteKey(name), at: moment)
    }
}

/// An object by the keys. Where two of them look alike and are not the same, an array of each key
/// with its fact behind it: readers of an object take such names for one.
extension FactSet: Codable {
    public init(from decoder: any Decoder) throws {
        do {
            facts = try decoder.singleValueContainer().decode([Key: ReportedFact<Fact>].self)
        } catch {
            guard var pairs = try? decoder.unkeyedContainer() else { throw error }
            while !pairs.isAtEnd {
                let key = try pairs.decode(Key.self)
                facts[key] = try pairs.decode(ReportedFact<Fact>.self)
            }
        }
    }

    public func encode(to encoder: any Encoder) throws {
        guard haveLookalikes else {
            var container = encoder.singleValueContainer()
            return try container.encode(facts)
        }
        var pairs = encoder.unkeyedContainer()
        for (key, fact) in facts.sorted(by: { $0.key < $1.key }) {
            try pairs.encode(key)
            try pairs.encode(fact)
        }
    }

    private var haveLookalikes: Bool {
        // Texts of ASCII alone look alike only if they are the same.
        let isOdd = facts.keys.contains { $0.text?.utf8.contains { $0 >= 0x80 } ?? false }
        return isOdd && Set(facts.keys.compactMap(\.text)).count < facts.count
    }
}
