import JSON

extension JSON {
    /// A document of the API as commands print it: without members that are null, and with the name
    /// of the tenant where it may be one of several: a key of the API has but one.
    func printed(of tenant: String? = nil) -> JSON {
        var document = self
        if let tenant { document["tenant"] = .string(tenant) }
        return document.withoutNulls
    }

    /// What the store has written stays as it is.
    private var withoutNulls: JSON {
        switch self {
        case .object(let members):
            .object(
                members.filter { $0.value != .null }
                    .map { Member(name: $0.name, value: $0.value.withoutNulls) })
        case .array(let elements): .array(elements.map(\.withoutNulls))
        case .null, .bool, .number, .string, .encoded: self
        }
    }
}
