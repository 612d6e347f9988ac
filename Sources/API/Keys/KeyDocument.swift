public import Domain
public import EventStore
public import JSON

/// The JSON form of API keys: never the key nor its hash.
public enum KeyDocument {
    /// One of a list.
    public static func key(_ key: APIKeyRecord, now: Moment) -> JSON {
        [
            "id": .integer(key.id), "label": .optional(key.label),
            "scopes": .array(key.scopes.map(\.rawValue).sorted().map(JSON.string)),
            "state": .string(key.state(at: now).rawValue),
            "createdAt": .string(key.createdAt.rfc3339),
            "expiresAt": .optional(key.expiresAt?.rfc3339),
            "lastUsedAt": .optional(key.lastUsedAt?.rfc3339),
            "revokedAt": .optional(key.revokedAt?.rfc3339),
        ]
    }
}
