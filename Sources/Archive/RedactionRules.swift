public import Domain

/// What the types of events that somebody knows leave in the open.
public struct RedactionRules: Sendable {
    private let types: [String: EventType]

    public init(_ types: [EventType]) {
        self.types = Dictionary(types.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    }

    func knows(_ type: String) -> Bool {
        types[type] != nil || ActivityClock.schema(of: type) != nil
    }

    /// The members that an event of the type may have; none of a type or version that nobody knows.
    func members(of type: String, schemaVersion: Int) -> [String: EventField] {
        let fields = types[type]?.fields(of: schemaVersion) ?? []
        return Dictionary(fields.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    }
}
