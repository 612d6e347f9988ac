import API
public import Domain
import Foundation
import JSON
import Projections

/// A CloudEvent that somebody else's file says.
public struct ConvertedEvent: Encodable, Hashable {
    let specversion = "1.0"
    let id: String
    let source: String
    let type: String
    public let subject: String
    let time: Moment
    let datacontenttype = "application/json"
    /// The type's newest; nil for version 1, which needs no naming.
    let schemaversion: Int?
    /// Texts, whole numbers and booleans.
    let data: [String: JSON]

    /// - Throws: the first thing that a server refuses the event for.
    init(
        id: String, source: String, type: String, subject: String, time: Moment,
        data: [String: JSON]
    ) throws(API.InputError) {
        self.id = id
        self.source = source
        self.type = type
        self.subject = subject
        self.time = time
        self.data = data
        let newest = ActivityCatalog.standard.eventType(named: type)?.newestVersion ?? 1
        schemaversion = newest == 1 ? nil : newest
        if let error = API.errors(ofEvent: Array(line.utf8)).first { throw error }
    }

    public var line: String { String(decoding: WireCoder.encode(self), as: UTF8.self) }

    var event: NewEvent {
        NewEvent(
            id: id, source: source, type: type, schemaVersion: schemaversion ?? 1,
            activityID: ActivityID(rawValue: subject), occurredAt: time,
            data: WireCoder.encode(data))
    }
}

extension [ConvertedEvent] {
    /// By their times; those of one time as they stand.
    var inTime: [ConvertedEvent] { sorted { $0.time < $1.time } }

    /// As a log that took each of them when it happened.
    public var recorded: [RecordedEvent] {
        var versions: [ByteKey: Int64] = [:]
        return inTime.enumerated().map { index, event in
            versions[ByteKey(event.subject), default: 0] += 1
            return RecordedEvent(
                tenant: TenantID(rawValue: 1), position: Int64(index + 1),
                version: versions[ByteKey(event.subject)] ?? 1, recordedAt: event.time,
                event: event.event)
        }
    }
}
