import Domain
import EventStore
import Postgres

struct PostgresLogPage: LogPage {
    private let rows: Rows
    let lastPosition: Int64?

    /// Without ids and sources, which no fold looks at: those are a quarter of a log.
    static let columns = """
        position, version, recorded_at, type, schema_version, activity_id, occurred_at, data
        """
    private static let activityColumn = 5

    init(_ rows: Rows) throws(PostgresError) {
        self.rows = rows
        lastPosition = rows.isEmpty ? nil : try rows[rows.count - 1].int8(0)
    }

    var indices: Range<Int> { rows.startIndex..<rows.endIndex }

    func fingerprint(_ index: Int) -> UInt64 {
        rows[index].fingerprint(Self.activityColumn)
    }

    func isEvent(_ index: Int, of activity: ActivityID) -> Bool {
        rows[index].equals(Self.activityColumn, activity.rawValue)
    }

    func place(_ index: Int) throws(EventStoreError) -> EventPlace {
        let row = rows[index]
        do throws(PostgresError) {
            return EventPlace(
                position: try row.int8(0), version: try row.int8(1),
                recordedAt: Moment(try row.timestamp(2)))
        } catch { throw EventStoreError(error) }
    }

    func activity(_ index: Int) throws(EventStoreError) -> ActivityID {
        do {
            return ActivityID(rawValue: try rows[index].text(Self.activityColumn))
        } catch { throw EventStoreError(error) }
    }

    func borrowedEvent(
        _ index: Int, at place: EventPlace, of activity: ActivityID
    ) throws(EventStoreError) -> BorrowedEvent {
        let row = rows[index]
        do throws(PostgresError) {
            return BorrowedEvent(
                position: place.position, version: place.version, recordedAt: place.recordedAt,
                activityID: activity, occurredAt: Moment(try row.timestamp(6)),
                schemaVersion: Int(try row.int4(4)), type: try row.contentInPlace(3),
                data: try row.contentInPlace(7))
        } catch { throw EventStoreError(error) }
    }
}
