import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

private func note(
    _ activity: String, at position: Int64, _ tenant: TenantID, in database: TestDatabase
) async throws {
    let statement = Statement.writeNotices([ActivityID(rawValue: activity): position], tenant)
    _ = try await database.pool.query(statement.sql, statement.parameters)
}

/// Since the beginning of the test, in order of places.
private func times(in database: TestDatabase) async throws -> [Double] {
    try await database.pool.query(
        """
        SELECT extract(epoch FROM noticed_at)::float8 FROM activity_notice
        ORDER BY position, serial
        """
    ).decoded { (row) throws(PostgresError) in try row.get(0, as: Double.self) }
}

struct `When an activity was parked or released` {
    @Test func `is not before what was noticed already, whatever the clock says`() async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("acme").id
        let other = try await database.store.tenants.ensure("other").id
        try await note("a", at: 1, tenant, in: database)
        try await note("b", at: 1, tenant, in: database)
        // The trigger only looks where it is written to by ordinary sessions.
        _ = try await database.pool.withConnection { (connection) async throws(PostgresError) in
            try await connection.script(
                """
                BEGIN; SET LOCAL session_replication_role = replica;
                UPDATE activity_notice SET noticed_at = noticed_at + interval '1 hour'
                WHERE activity_id = 'b';
                COMMIT
                """)
        }
        // As an older program writes them.
        try await note("c", at: 2, tenant, in: database)
        try await note("a", at: 3, tenant, in: database)
        try await note("z", at: 4, other, in: database)
        let times = try await times(in: database)
        #expect(times[0] == times[1] && times[1] == times[2])
        #expect(times[3] < times[0])
    }
}

@Test func `pages of changes have each activity once, however many come later`()
    async throws
{
    let database = try await TestDatabase.make()
    let tenant = try await database.store.tenants.ensure("acme").id
    for number in 1...9 {
        let event = Samples.event("\(number)", "a-\(number)")
        _ = try await database.store.log.append(tenant, [event])
    }
    try await Samples.foldAll(database.store, .timely)
    // Most of them were parked after that, and some went on after they had been.
    for number in 1...6 { try await note("a-\(number)", at: 9, tenant, in: database) }
    for number in 7...8 { try await note("a-\(number)", at: 1, tenant, in: database) }
    var place = ActivityChange.Place(position: 0)
    var told: [String] = []
    var pages = 0
    while true {
        let page = try await database.store.projections.changes(
            tenant, after: place, 3, isFollowing: false)
        told += page.all.map(\.activityID.rawValue)
        guard let end = page.end else { break }
        #expect(end > place)
        #expect(page.looked <= 3)
        (place, pages) = (end, pages + 1)
    }
    #expect(told == (["a-7", "a-8", "a-9"] + (1...6).map { "a-\($0)" }))
    // Of nine that were folded and eight that were noticed.
    #expect(pages == 6)
}

@Test func `a list in order of changes walks along its indexes`() async throws {
    let database = try await TestDatabase.make()
    let tenant = try await database.store.tenants.ensure("acme").id
    _ = try await database.pool.query(
        """
        INSERT INTO snapshot (tenant, activity_id, kind, version, position, phase, state,
            attributes, content_state, dispatch, updated_at)
        SELECT $1, 'a-' || n, 'Sample', 1, n, 'live', '{}', '{}', '{}', '{}', now()
        FROM generate_series(1, 5000) n
        """, [.tenant(tenant)])
    _ = try await database.pool.query(
        """
        INSERT INTO activity_notice (tenant, activity_id, position)
        SELECT $1, 'a-' || n, 5000 FROM generate_series(1, 5000, 3) n
        """, [.tenant(tenant)])
    _ = try await database.pool.query("ANALYZE")
    let listing = ActivityListing(
        filter: ActivityFilter(isBlocked: false, updatedSince: Samples.time),
        after: .change(.init(position: 7, noticeNumber: 1)), limit: 50, now: Samples.time)
    let statement = listing.statement(for: tenant)
    let rows = try await database.pool.query("EXPLAIN \(statement.sql)", statement.parameters)
    let lines = try rows.map { try $0.get(0, as: String.self) }
    let plan = lines.drop { !$0.contains("CTE beginning") }.prefix { !$0.contains("CTE page") }
    for index in ["snapshot_by_position", "activity_notice_by_place", "activity_notice_by_time"] {
        #expect(plan.contains { $0.contains(index) }, "\(index)")
    }
    // Nothing has to be gone through to its end before the first comes.
    let looked = plan.drop { !$0.contains("CTE looked") }
    #expect(
        !looked.contains { $0.contains("->  Sort") || $0.contains("Seq Scan") },
        "\(plan.joined(separator: "\n"))")
}
