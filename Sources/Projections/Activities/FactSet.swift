public import Domain

/// Facts under their own ids: reporting one again changes nothing, reporting it differently
/// corrects it, and the order of arrival does not matter.
///
/// Bounded, so that a broken feed cannot grow a state without end: of more than `Limits.factsMax`
/// ids the smallest stay, which again does not depend on the order of arrival.
public struct FactSet<Key, Fact>: Hashable, Sendable
where
    Key: Codable & Hashable & Comparable & Sendable, Fact: Codable & Hashable & Sendable
{
    private var facts: [Key: Latest<Fact>] = [:]

    public init() {}

    public var count: Int { facts.count }
    public var isEmpty: Bool { facts.isEmpty }
    public var values: some Collection<Latest<Fact>> { facts.values }

    public subscript(key: Key) -> Latest<Fact>? { facts[key] }

    public mutating func offer(_ fact: Fact, as key: Key, at moment: Moment) {
        facts[key].offer(fact, at: moment)
        if facts.count > Limits.factsMax, let largest = facts.keys.max() {
            facts[largest] = nil
        }
    }
}

extension FactSet: Codable {
    public init(from decoder: any Decoder) throws {
        facts = try decoder.singleValueContainer().decode([Key: Latest<Fact>].self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(facts)
    }
}
