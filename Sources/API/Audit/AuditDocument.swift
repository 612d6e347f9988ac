import Domain
public import EventStore
public import JSON

/// The JSON form of what administrators have done.
public enum AuditDocument {
    /// One of a list.
    public static func act(_ entry: AuditEntry) -> JSON {
        [
            "id": .integer(entry.id), "at": .string(entry.at.rfc3339),
            "actor": .string(entry.actor), "act": .string(entry.act),
            "subject": .string(entry.subject),
            "before": entry.before.map(JSON.encoded) ?? .null,
            "after": entry.after.map(JSON.encoded) ?? .null,
        ]
    }
}
