import JSON

extension JSON {
    /// An object with another one's members after its own.
    func adding(_ other: JSON) -> JSON {
        guard case .object(let own) = self, case .object(let more) = other else { return self }
        return .object(own + more)
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
