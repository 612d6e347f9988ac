import Domain
import EventStore
import Postgres

extension ActivityChange {
    /// Each changed activity once, at its newest place. One query for all of a page: a reader of
    /// a busy tenant's changes asks it hundreds of times a second. `LIMIT 1` keeps a planner that
    /// knows nothing of young tables from reading all of a tenant's rows to join them. The first
    /// column is the live generation, and there is a row for it in any case. Each part gives every
    /// row that it reads, also of an activity that comes at a later place: else it might go through
    /// a whole log, where all activities were parked, to fill a page.
    /// - Parameters: `$1` tenant, `$2` and `$3` the place to begin after, `$4` how many.
    static let query = """
        WITH live AS MATERIALIZED (
            SELECT generation FROM projection_checkpoint WHERE tenant = $1
        )
        SELECT live.generation, c.*, d.* FROM live LEFT JOIN (
            (
                SELECT s.position AS place, 0::int8 AS notice, s.activity_id AS changed,
                    NULL::timestamptz, s.position <= coalesce((
                        SELECT n.position FROM activity_notice n
                        WHERE n.tenant = s.tenant AND n.activity_id = s.activity_id
                    ), 0), \(Snapshot.columns)
                FROM snapshot s
                WHERE s.tenant = $1 AND s.generation = \(generation)
                    AND s.position > 0 AND s.position > $2
                ORDER BY s.position LIMIT $4
            ) UNION ALL (
                SELECT n.position, n.serial, n.activity_id, n.noticed_at,
                    n.position < coalesce(s.position, 0), s.*
                FROM activity_notice n LEFT JOIN LATERAL (
                    SELECT \(Snapshot.columns) FROM snapshot
                    WHERE tenant = n.tenant AND generation = \(generation)
                        AND activity_id = n.activity_id
                    LIMIT 1
                ) s ON true
                WHERE n.tenant = $1 AND (n.position, n.serial) > ($2, $3)
                ORDER BY n.position, n.serial LIMIT $4
            )
            ORDER BY place, notice LIMIT $4
        ) c ON true LEFT JOIN LATERAL (
            SELECT \(LedgerRow.columns) FROM decision
            WHERE tenant = $1 AND activity_id = c.changed AND version = c.version LIMIT 1
        ) d ON true
        ORDER BY c.place, c.notice
        """

    /// As `live_generation()`, but looked up once and not for each row.
    private static let generation = "(SELECT generation FROM live)"

    /// - Returns: nil for a row that has but the generation.
    fileprivate static func place(_ row: inout RowReader) throws(PostgresError) -> Place? {
        guard let position: Int64 = try row.optional() else { return nil }
        return Place(position: position, noticeNumber: try row.get())
    }

    /// - Returns: nil for an event when the activity comes at another place, which is later; with a
    ///   notice, whether it does.
    fileprivate static func change(
        _ row: inout RowReader, at place: Place
    ) throws(PostgresError) -> (change: Self, isSuperseded: Bool)? {
        let (activity, noticedAt) = (try row.activity(), try row.optionalMoment())
        let isSuperseded: Bool = try row.get()
        if isSuperseded, place.noticeNumber == 0 { return nil }
        let change = Self(
            place: place, activityID: activity,
            snapshot: try row.joined(Snapshot.self, columns: Snapshot.list.count),
            decision: try row.joined(LedgerRow.self), noticedAt: noticedAt)
        return (change, isSuperseded)
    }
}

extension ActivityChanges {
    init(_ rows: Rows) throws(PostgresError) {
        self.init([], generation: try rows.first?.get(0) ?? 0)
        for row in rows {
            var row = RowReader(row, from: 1)
            guard let place = try ActivityChange.place(&row) else { continue }
            (end, looked) = (place, looked + 1)
            guard let found = try ActivityChange.change(&row, at: place) else { continue }
            if found.isSuperseded {
                superseded.append(found.change)
            } else {
                all.append(found.change)
            }
        }
        guard !superseded.isEmpty else { return }
        let here = Set(all.map(\.activityID))
        superseded.removeAll { here.contains($0.activityID) }
    }
}

extension Statement {
    /// Writes notices, by which readers receive activities at the positions.
    /// - Precondition: no activity comes twice; the tenant's checkpoint is locked.
    static func writeNotices(_ places: [ActivityID: Int64], _ tenant: TenantID) -> Statement {
        let rows = places.sorted { $0.key < $1.key }
        return Statement(
            """
            INSERT INTO activity_notice (tenant, activity_id, position)
            SELECT $1, i.* FROM unnest($2::text[], $3::int8[]) AS i
            ON CONFLICT ON CONSTRAINT activity_notice_key
                DO UPDATE SET position = excluded.position, serial = excluded.serial
            """,
            [.tenant(tenant), .texts(rows.map(\.key.rawValue)), .int8s(rows.map(\.value))])
    }

    /// Of an activity's parked events the first is the one that changed it.
    static func writeNotices(_ parked: [ParkedEvent], _ tenant: TenantID) -> Statement {
        writeNotices(
            Dictionary(parked.map { ($0.activityID, $0.position) }, uniquingKeysWith: min), tenant)
    }
}

extension FoldResult {
    /// Parked events of the activities that they block. An event of another kind changes nothing of
    /// the activity that it names, and one that waits behind another changes nothing more:
    /// readers would be sent once more what they have, and webhooks their last message.
    var blocking: [ParkedEvent] {
        guard !parked.isEmpty else { return [] }
        let blocked = Set(snapshots.lazy.filter { $0.blockage != nil }.map(\.activityID))
        return parked.filter { blocked.contains($0.activityID) }
    }
}
