import Domain
import EventStore
import HTTP
import JSON

/// The wire form of a stream's messages, by the HTML standard's `text/event-stream`.
struct ServerSentEvent {
    let log: LogStatus

    /// Sent at once, so that the response's head leaves even when there is nothing to tell.
    static let opening = Array("\(openingLines)\n".utf8)
    private static let openingLines = ": islet\nretry: 1000\n"
    static let heartbeat = Array(": alive\n\n".utf8)

    /// This node stops. Readers come back after a time of their own each: all at once would be a
    /// crowd for the node that is left.
    static func closingBytes(retryMillis: Int) -> [UInt8] {
        Array(": this node stops\nretry: \(retryMillis)\n\n".utf8)
    }

    /// Sent at once, with the place that a reader comes back to if it got nothing else yet.
    func opening(at position: Int64) -> [UInt8] {
        Array("\(Self.openingLines)id: \(log.cursor(position))\n\n".utf8)
    }

    /// The client has everything there was when it connected. `now` lets it set its clocks.
    func ready(at position: Int64, generation: Int32, now: Moment) -> [UInt8] {
        message(
            "ready", id: position,
            [
                "position": .integer(position), "generation": .integer(Int64(generation)),
                "epoch": .integer(log.epoch), "now": .string(now.rfc3339),
            ])
    }

    /// All activities were folded again: what was sent of them may be otherwise now.
    func generation(_ generation: Int32, id: Int64) -> [UInt8] {
        message(
            "generation", id: id,
            ["generation": .integer(Int64(generation)), "position": .integer(id)])
    }

    /// - Parameters:
    ///   - decision: the ledger's row for the snapshot's version.
    ///   - id: where to go on after it; the snapshot's position, or before it.
    func activity(_ snapshot: Snapshot, decision: LedgerRow?, id: Int64) -> [UInt8] {
        message("activity", id: id, ActivityDocument.change(snapshot, decision))
    }

    func row(_ snapshot: Snapshot, decision: LedgerRow?, id: Int64, now: Moment) -> [UInt8] {
        message(
            "row", id: id,
            [
                "row": BoardDocument.row(snapshot, at: now),
                "verdict": .optional(decision?.decision.verdict.rawValue),
            ])
    }

    /// An activity has changed and does not pass the filter, as it may have done before.
    func removed(_ snapshot: Snapshot, id: Int64) -> [UInt8] {
        message(
            "removed", id: id,
            [
                "id": .string(snapshot.activityID.rawValue),
                "phase": .string(snapshot.phase.rawValue),
                "version": .integer(snapshot.version),
            ])
    }

    /// Nothing is left of an activity: every event of it is skipped.
    func gone(_ activity: ActivityID, id: Int64) -> [UInt8] {
        message("removed", id: id, ["id": .string(activity.rawValue)])
    }

    func recorded(_ event: RecordedEvent) -> [UInt8] {
        message("recorded", id: event.position, ActivityDocument.event(event))
    }

    /// Nothing to tell up to this position: a reader that comes back need not begin before it.
    func mark(_ position: Int64) -> [UInt8] {
        Array(": alive\nid: \(log.cursor(position))\n\n".utf8)
    }

    /// JSON that we write has no line breaks; JSON kept by the store might, between its tokens.
    private func message(_ name: String, id: Int64, _ data: JSON) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Limits.streamMessageBytes)
        bytes.append(contentsOf: "event: \(name)\nid: \(log.cursor(id))\ndata: ".utf8)
        let start = bytes.count
        data.append(to: &bytes)
        bytes.withUnsafeMutableBufferPointer { bytes in
            for index in start..<bytes.count where bytes[index] == 0x0A || bytes[index] == 0x0D {
                bytes[index] = 0x20
            }
        }
        bytes.append(contentsOf: "\n\n".utf8)
        return bytes
    }
}

extension Response {
    static func events(_ chunks: AsyncStream<[UInt8]>) -> Response {
        var response = Response(
            status: 200,
            headers: [
                "content-type": "text/event-stream", "cache-control": "no-store",
                // nginx gathers a response without this.
                "x-accel-buffering": "no",
            ], body: .stream(chunks))
        response.closingBytes = ServerSentEvent.closingBytes(
            retryMillis: Int.random(in: Limits.streamRetryMillis))
        return response
    }
}
