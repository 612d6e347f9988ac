import Domain
import EventStore

/// The wire form of a stream's messages, by the HTML standard's `text/event-stream`.
enum ServerSentEvent {
    /// Sent at once, so that the response's head leaves even when there is nothing to tell.
    static let opening = Array(": islet\nretry: 1000\n\n".utf8)
    static let heartbeat = Array(": alive\n\n".utf8)

    /// The client has everything there was when it connected. `now` lets it set its clocks.
    static func ready(at position: Int64, now: Moment) -> [UInt8] {
        message(
            "ready", id: position,
            ["position": .integer(position), "now": .string(now.rfc3339)])
    }

    /// - Parameters:
    ///   - decision: the ledger's row for the snapshot's version.
    ///   - id: where to go on after it; the snapshot's position, or before it.
    static func activity(_ snapshot: Snapshot, decision: LedgerRow?, id: Int64) -> [UInt8] {
        message(
            "activity", id: id,
            [
                "activity": ActivityDocument.activity(snapshot),
                "decision": decision.map { ActivityDocument.ledgerRow($0, of: snapshot) } ?? .null,
            ])
    }

    /// An activity has changed and does not pass the filter, as it may have done before.
    static func left(_ snapshot: Snapshot, id: Int64) -> [UInt8] {
        message(
            "left", id: id,
            [
                "id": .string(snapshot.activityID.rawValue),
                "phase": .string(snapshot.phase.rawValue),
                "version": .integer(snapshot.version),
            ])
    }

    /// Nothing is left of an activity: every event of it is skipped.
    static func gone(_ activity: ActivityID, id: Int64) -> [UInt8] {
        message("left", id: id, ["id": .string(activity.rawValue)])
    }

    /// An event of the log.
    static func recorded(_ event: RecordedEvent) -> [UInt8] {
        message("recorded", id: event.position, ActivityDocument.event(event))
    }

    /// Nothing to tell up to this position: a reader that comes back need not begin before it.
    static func mark(_ position: Int64) -> [UInt8] { Array(": alive\nid: \(position)\n\n".utf8) }

    /// JSON that we write has no line breaks; JSON kept by the store might, between its tokens.
    private static func message(_ name: String, id: Int64, _ data: JSON) -> [UInt8] {
        var bytes = Array("event: \(name)\nid: \(id)\ndata: ".utf8)
        for byte in data.bytes {
            bytes.append(byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") ? 0x20 : byte)
        }
        bytes.append(contentsOf: "\n\n".utf8)
        return bytes
    }
}
