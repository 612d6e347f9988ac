import Domain
import Postgres

extension ActivityChange {
    /// Each changed activity once, at its newest place.
    /// - Parameters: `$1` tenant, `$2` and `$3` the place to begin after, `$4` how many.
    static let query = """
        WITH change AS (
            (
                SELECT s.activity_id, s.position AS place, 0::int8 AS notice FROM snapshot s
                WHERE s.tenant = $1 AND s.generation = live_generation($1) AND s.position > $2
                    AND s.position > coalesce((
                        SELECT n.position FROM activity_notice n
                        WHERE n.tenant = s.tenant AND n.activity_id = s.activity_id
                    ), 0)
                ORDER BY s.position LIMIT $4
            ) UNION ALL (
                SELECT n.activity_id, n.position, n.serial FROM activity_notice n
                WHERE n.tenant = $1 AND (n.position, n.serial) > ($2, $3)
                    AND n.position >= coalesce((
                        SELECT s.position FROM snapshot s
                        WHERE s.tenant = n.tenant AND s.generation = live_generation($1)
                            AND s.activity_id = n.activity_id
                    ), 0)
                ORDER BY n.position, n.serial LIMIT $4
            )
            ORDER BY place, notice LIMIT $4
        )
        SELECT c.place, c.notice, c.activity_id, s.* FROM change c LEFT JOIN LATERAL (
            SELECT \(Snapshot.columns) FROM snapshot
            WHERE tenant = $1 AND generation = live_generation($1)
                AND activity_id = c.activity_id
        ) s ON true
        ORDER BY c.place, c.notice
        """

    init(_ row: Row) throws(PostgresError) {
        let isThere = try row.optional(3, as: String.self) != nil
        self.init(
            place: Place(position: try row.get(0), notice: try row.get(1)),
            activityID: try row.activity(2), snapshot: isThere ? try Snapshot(row, from: 3) : nil)
    }
}

extension Statement {
    /// Has followers told of activities at the positions.
    /// - Precondition: no activity comes twice; the tenant's checkpoint is locked.
    static func notice(_ places: [ActivityID: Int64], _ tenant: TenantID) -> Statement {
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
    static func notice(_ parked: [ParkedEvent], _ tenant: TenantID) -> Statement {
        notice(
            Dictionary(parked.map { ($0.activityID, $0.position) }, uniquingKeysWith: min), tenant)
    }
}
