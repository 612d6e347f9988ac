public import Domain

/// What the types of events that somebody knows leave in the open.
public struct RedactionRules: Sendable {
    private let types: [String: (type: EventType, safe: SafeFields)]

    public init(_ types: [(type: EventType, safe: SafeFields)]) {
        self.types = Dictionary(types.map { ($0.type.name, $0) }, uniquingKeysWith: { $1 })
    }

    /// What is known of a member.
    struct Member {
        var field: EventField
        var isSafe: Bool
        var isReference: Bool
    }

    func knows(_ type: String) -> Bool {
        types[type] != nil || ActivityClock.schema(of: type) != nil
    }

    /// The members that an event of the type may have; none of a type or version that nobody knows.
    func members(of type: String, schemaVersion: Int) -> [String: Member] {
        guard let (type, safe) = types[type] else { return [:] }
        let fields = type.fields(of: schemaVersion) ?? []
        return Dictionary(
            fields.map { field in
                (
                    field.name,
                    Member(
                        field: field, isSafe: safe.names.contains(field.name),
                        isReference: safe.references.contains(field.name))
                )
            }, uniquingKeysWith: { $1 })
    }
}
