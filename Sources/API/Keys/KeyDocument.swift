public import Domain
public import EventStore
public import JSON

/// The JSON forms of API keys.
public enum KeyDocument {
    /// One of a list: never the key nor its hash.
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

    /// One that was just made.
    /// - Parameter text: the key itself, which is shown here alone: nobody keeps it.
    public static func made(_ key: NewAPIKey, _ id: Int64, text: String) -> JSON {
        [
            "id": .integer(id), "key": .string(text), "label": .optional(key.label),
            "scopes": .array(key.scopes.map(\.rawValue).sorted().map(JSON.string)),
            "expiresAt": .optional(key.expiresAt?.rfc3339),
        ]
    }
}
