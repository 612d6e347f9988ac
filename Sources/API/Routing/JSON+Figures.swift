import JSON

extension JSON {
    /// An object with another one's members after its own.
    func adding(_ other: JSON) -> JSON {
        guard case .object(let own) = self, case .object(let more) = other else { return self }
        return .object(own + more)
    }

    /// An object of whole numbers.
    static func figures<Count: BinaryInteger>(_ figures: [(key: String, value: Count)]) -> JSON {
        .object(figures.map { Member(name: $0.key, value: .integer($0.value)) })
    }

    /// `null` for nil.
    static func optionalInteger(_ number: (some BinaryInteger)?) -> JSON {
        number.map { JSON.integer($0) } ?? .null
    }

    /// With three decimals; `null` for nil.
    static func decimal(_ value: Double?) -> JSON {
        value.map { .encoded(WireCoder.encode(($0 * 1_000).rounded() / 1_000)) } ?? .null
    }

    /// `null` for a part of nothing.
    static func ratio<Count: BinaryInteger>(_ part: Count, _ whole: Count) -> JSON {
        whole == 0 ? .null : decimal(Double(part) / Double(whole))
    }
}
