import Domain
public import EventStore
public import JSON
public import Pipeline

/// The JSON forms of events that could not be folded.
public enum ParkedEventDocument {
    /// One of a list.
    public static func event(_ row: ParkedRow) -> JSON {
        [
            "position": .integer(row.event.position),
            "activity": .string(row.event.activityID.rawValue),
            "version": .integer(row.version), "type": .string(row.type),
            "reason": .string(row.event.reason), "parkedAt": .string(row.parkedAt.rfc3339),
            "isSkipped": .bool(row.isSkipped),
        ]
    }

    /// What has come of an activity's.
    public static func repair(_ result: Repair.Result) -> JSON {
        [
            "activity": .string(result.activityID.rawValue),
            "released": .integer(result.released), "remaining": .integer(result.remaining),
            "reason": .optional(result.reason),
        ]
    }
}
