import API
import Domain
import EventStore
import JSON
import Replay

/// A timeline as one JSON document.
enum TimelineDocument {
    /// - Parameter phones: nil when they were not asked for.
    static func json(_ timeline: Timeline, phones: [PhoneRow]?) -> JSON {
        let document: JSON = [
            "activity": .string(timeline.activityID.rawValue),
            "entries": .array(timeline.entries.map(entry)),
            "phones": phones.map { .array($0.map(BoardDocument.phone)) } ?? .null,
        ]
        return document.printed()
    }

    private static func entry(_ entry: Timeline.Entry) -> JSON {
        let event = entry.event
        return [
            "version": .integer(event.version), "position": .integer(event.position),
            "type": .string(event.event.type),
            "occurredAt": .string(event.event.occurredAt.rfc3339),
            "recordedAt": .string(event.recordedAt.rfc3339),
            "changes": .array(entry.changes.map(ActivityDocument.change)),
            "parked": .optional(entry.parked), "skipped": entry.isSkipped ? .bool(true) : .null,
            "presentation": entry.presentation.map { .encoded(WireCoder.encode($0)) } ?? .null,
            "decision": entry.decision.map(ActivityDocument.decision) ?? .null,
            "today": entry.today.map(ActivityDocument.decision) ?? .null,
            "outcome": entry.ledger?.outcome.map(ActivityDocument.outcome) ?? .null,
        ]
    }
}
