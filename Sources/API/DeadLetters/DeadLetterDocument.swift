import Domain
public import EventStore
public import JSON

/// The JSON forms of what was given up.
public enum DeadLetterDocument {
    /// One of a list.
    public static func letter(_ letter: DeadLetter) -> JSON {
        [
            "id": .string(letter.id.text), "carrier": .string(letter.id.carrier.rawValue),
            "activity": .string(letter.activityID.rawValue), "to": .string(letter.to),
            "reason": .string(letter.reason), "attempts": .integer(letter.attempts),
            "version": .optionalInteger(letter.version),
            "givenUpAt": .string(letter.givenUpAt.rfc3339),
            "canRetry": .bool(letter.id.carrier != .start),
        ]
    }

    /// How many there are by carrier, also of those that have none.
    public static func counts(_ counts: [DeadLetter.Carrier: Int]) -> JSON {
        .figures(DeadLetter.Carrier.allCases.map { (key: $0.rawValue, value: counts[$0] ?? 0) })
    }
}
