public import Domain
import Foundation
import Postgres

/// A stretch of the log as Postgres gave it out. Its events are decoded one at a time, by whoever
/// needs them and by several at once, and none of them is kept.
public struct LogPage: Sendable {
    private let rows: Rows
    private let tenant: TenantID
    /// Of its last event; nil when there is none.
    public let lastPosition: Int64?

    /// Without ids and sources, which no fold looks at: those are a quarter of a log.
    static let columns = """
        position, version, recorded_at, type, schema_version, activity_id, occurred_at, data
        """
    private static let activityColumn = 5

    init(_ rows: Rows, of tenant: TenantID) throws(PostgresError) {
        self.rows = rows
        self.tenant = tenant
        lastPosition = rows.isEmpty ? nil : try rows[rows.count - 1].int8(0)
    }

    public var indices: Range<Int> { rows.startIndex..<rows.endIndex }

    /// Spreads activities evenly: the events of one are all in the same share.
    public func share(of index: Int, among count: Int) -> Int {
        Int(Self.spread(fingerprint(index)) % UInt64(count))
    }

    /// Makes numbers of fingerprints whose every bit depends on the whole id. As they are, ids that
    /// differ in their last two characters alone have all but the same bits in the middle, and of
    /// orders that are numbered a hundred in a row would be in one share.
    public static func spread(_ fingerprint: UInt64) -> UInt64 {
        (fingerprint &* 0x9E37_79B9_7F4A_7C15) >> 32
    }

    /// Of the activity's id (FNV-1a).
    public func fingerprint(_ index: Int) -> UInt64 {
        rows[index].fingerprint(Self.activityColumn)
    }

    /// Whether the event is of an activity.
    public func isEvent(_ index: Int, of activity: ActivityID) -> Bool {
        rows[index].holds(Self.activityColumn, activity.rawValue)
    }

    /// Places and time of recording, without a look at the rest.
    public func place(_ index: Int) throws(EventStoreError) -> EventPlace {
        let row = rows[index]
        do throws(PostgresError) {
            return EventPlace(
                position: try row.int8(0), version: try row.int8(1),
                recordedAt: Moment(try row.timestamp(2)))
        } catch { throw EventStoreError(error) }
    }

    public func activity(_ index: Int) throws(EventStoreError) -> ActivityID {
        do {
            return ActivityID(rawValue: try rows[index].text(Self.activityColumn))
        } catch { throw EventStoreError(error) }
    }

    /// Its id and its source are empty.
    public func event(_ index: Int) throws(EventStoreError) -> RecordedEvent {
        try event(index, of: try activity(index))
    }

    /// For whoever knows whose it is.
    public func event(
        _ index: Int, of activity: ActivityID
    ) throws(EventStoreError) -> RecordedEvent {
        do {
            return try RecordedEvent(rows[index], of: activity, tenant)
        } catch { throw EventStoreError(error) }
    }
}

extension LogPage {
    /// An event where it lies, for whoever knows its place and whose it is. Valid for as long as
    /// the page is kept.
    public func eventInPlace(
        _ index: Int, at place: EventPlace, of activity: ActivityID
    ) throws(EventStoreError) -> EventInPlace {
        let row = rows[index]
        do throws(PostgresError) {
            return EventInPlace(
                position: place.position, version: place.version, recordedAt: place.recordedAt,
                activityID: activity, occurredAt: Moment(try row.timestamp(6)),
                schemaVersion: Int(try row.int4(4)), type: try row.contentInPlace(3),
                data: try row.contentInPlace(7))
        } catch { throw EventStoreError(error) }
    }
}

extension RecordedEvent {
    /// From the columns of a `LogPage`.
    fileprivate init(
        _ row: Row, of activity: ActivityID, _ tenant: TenantID
    ) throws(PostgresError) {
        self.init(
            tenant: tenant, position: try row.int8(0), version: try row.int8(1),
            recordedAt: Moment(try row.timestamp(2)),
            event: NewEvent(
                id: "", source: "", type: try row.text(3), schemaVersion: Int(try row.int8(4)),
                activityID: activity,
                occurredAt: Moment(try row.timestamp(6)), data: try row.content(7)))
    }
}
