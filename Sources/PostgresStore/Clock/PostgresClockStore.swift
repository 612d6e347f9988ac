import Domain
import EventStore
import Postgres

struct PostgresClockStore: ClockStore {
    let pool: Pool

    func due(_ now: Moment, _ after: DueActivity.Place?, _ limit: Int) async throws(EventStoreError)
        -> [DueActivity]
    {
        try await pool.rows(
            Self.due,
            [
                .moment(now), .moment(after?.dueAt), .int4(after?.tenant.rawValue),
                .text(after?.activityID.rawValue), .count(limit),
            ], DueActivity.init)
    }

    func nextDue(_ now: Moment) async throws(EventStoreError) -> Moment? {
        try await asked(try await pool.query(Self.next, [.moment(now)]).first?.moment(0))
    }

    func correct(_ activities: [DueActivity]) async throws(EventStoreError) {
        try await pool.run(
            Self.correct,
            [
                .int4s(activities.map(\.place.tenant.rawValue)),
                .texts(activities.map(\.place.activityID.rawValue)),
                .int8s(activities.map(\.snapshot.version)),
                .timestamps(activities.map { $0.snapshot.dueAt?.timestamp }),
            ])
    }

    func time() async throws(EventStoreError) -> Moment {
        try await asked(try await pool.time())
    }

    /// A tenant is current unless it is catching up or its past is being imported: then its newest
    /// event was folded long after its recording. What is due by then may not be when the rest has
    /// come, and an event recorded now would give the time of now to all that come after it. So the
    /// clock waits until nothing has moved for as long.
    private static let isCurrent = """
        (c.moved_at - h.recorded_at < interval '\(Limits.clockRestSeconds) seconds'
            OR clock_timestamp() - c.moved_at > interval '\(Limits.clockRestSeconds) seconds')
        """

    /// They are chosen once for each statement. Of a tenant that catches up, all that is due is
    /// passed by before anything of others is found.
    private static let isOfCurrentTenant = """
        s.tenant <> ALL (ARRAY(
            SELECT c.tenant FROM projection_checkpoint c
            JOIN log_head h ON h.tenant = c.tenant
            WHERE NOT \(isCurrent)
        ))
        """

    /// A question for each snapshot in the order of their times, of which the first few are
    /// answered: joined, all of them would be looked at.
    private static let isCandidate = """
        s.fault IS NULL AND \(ClosedTenants.leftOut(by: "s.tenant")) AND \(isOfCurrentTenant) AND (
            SELECT NOT EXISTS (
                SELECT FROM event e
                WHERE e.tenant = s.tenant AND e.activity_id = s.activity_id
                    AND e.version > s.version AND e.position > c.position
            )
            FROM projection_checkpoint c
            WHERE c.tenant = s.tenant AND c.generation = s.generation
        )
        """

    static let due = """
        SELECT s.due_at, s.tenant, (
            SELECT e.version FROM event e
            WHERE e.tenant = s.tenant AND e.activity_id = s.activity_id
            ORDER BY e.version DESC LIMIT 1
        ), \(Snapshot.list.sources(of: "s"))
        FROM snapshot s
        WHERE \(isCandidate) AND s.due_at <= $1
            AND s.due_at >= coalesce($2::timestamptz, '-infinity') AND (
            $2::timestamptz IS NULL
            OR (s.due_at, s.tenant, s.activity_id) > ($2::timestamptz, $3::int4, $4::text)
        )
        ORDER BY s.due_at, s.tenant, s.activity_id LIMIT $5
        """

    static let next = """
        SELECT s.due_at FROM snapshot s
        WHERE \(isCandidate) AND s.due_at > $1 ORDER BY s.due_at LIMIT 1
        """

    private static let correct = """
        UPDATE snapshot s SET due_at = i.due_at
        FROM unnest($1::int4[], $2::text[], $3::int8[], $4::timestamptz[])
            AS i (tenant, activity_id, version, due_at)
        JOIN projection_checkpoint c ON c.tenant = i.tenant
        WHERE s.tenant = i.tenant AND s.generation = c.generation
            AND s.activity_id = i.activity_id AND s.version = i.version
        """
}

extension DueActivity: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        let (dueAt, tenant) = (try row.moment(), try row.tenant())
        let streamVersion: Int64? = try row.optional()
        let snapshot = try Snapshot(from: &row)
        self.init(
            place: Place(dueAt: dueAt, tenant: tenant, activityID: snapshot.activityID),
            snapshot: snapshot, streamVersion: streamVersion ?? snapshot.version)
    }
}
