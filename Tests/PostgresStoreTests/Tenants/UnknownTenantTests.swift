import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// Ten tenants that Postgres has statistics of, and one that was imported or has moved here since:
/// the planner takes it for empty.
private struct UnknownTenantScene {
    /// Of one connection, so that what it has read is known at once.
    let pool: Pool
    let store: EventStore
    let tenant: TenantID

    init() async throws {
        pool = try await TestDatabase.make().makePool(connectionsMax: 1)
        store = .postgres(pool: pool)
        var others: [TenantID] = []
        for number in 1...10 { others.append(try await store.tenants.ensure("other-\(number)").id) }
        tenant = try await store.tenants.ensure("acme").id
        try await fill(others, activities: 100)
        _ = try await pool.query("ANALYZE")
        try await fill([tenant], activities: 2_000)
    }

    /// How many rows of tables were read for it.
    func rowsRead(_ ask: () async throws -> Void) async throws -> Int64 {
        let before = try await rowsReadSoFar()
        try await ask()
        return try await rowsReadSoFar() - before
    }

    private func rowsReadSoFar() async throws -> Int64 {
        _ = try await pool.query("SELECT pg_stat_force_next_flush()")
        let sum: Int64? = try await pool.query(
            """
            SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int8 FROM pg_stat_user_tables
            """
        ).first?.get(0)
        return try #require(sum)
    }

    /// All activities have ended and are archived.
    private func fill(_ tenants: [TenantID], activities: Int32) async throws {
        let parameters: [Parameter] = [.int4s(tenants.map(\.rawValue)), .int4(activities)]
        try await pool.withTransaction { (connection) async throws(PostgresError) in
            try await connection.script("SET LOCAL session_replication_role = replica")
            for sql in Self.rows {
                _ = try await connection.query(
                    """
                    WITH own AS (
                        SELECT t, n, 'order-' || n AS id, n * 3 AS position, n + 1000000 AS device
                        FROM unnest($1::int4[]) AS t, generate_series(1, $2::int4) AS n
                    ) \(sql)
                    """, parameters)
            }
        }
    }

    private static let rows = [
        """
        INSERT INTO event (tenant, position, activity_id, version, event_id, source, type,
            schema_version, occurred_at, recorded_at, data)
        SELECT t, position + v - 3, id, v, id || v, 'tests', 'Sample.Happened', 1, now(), now(),
            '{"n": 1}'
        FROM own, generate_series(1, 3) AS v
        """,
        """
        INSERT INTO decision (tenant, activity_id, version, position, verdict, rule, reason,
            content_state, decided_at, settled_at, carried_by, accepted, failed)
        SELECT t, id, v, position + v - 3, CASE v WHEN 3 THEN 'end' ELSE 'quiet' END, 'r', 'r',
            '{}', now(), now(), v, 0, 0
        FROM own, generate_series(1, 3) AS v
        """,
        """
        INSERT INTO snapshot (tenant, activity_id, kind, version, position, phase, state,
            attributes, content_state, dispatch, updated_at, due_at, words)
        SELECT t, id, 'Sample', 3, position, 'ended', '{}', '{}', '{}', '{}', now(), NULL,
            'one' || n % 10
        FROM own
        """,
        """
        INSERT INTO activity_word (tenant, word, activity_id)
        SELECT t, 'one' || n % 10, id FROM own
        """,
        """
        INSERT INTO activity_notice (tenant, activity_id, position, noticed_at)
        SELECT t, id, position, now() FROM own WHERE n % 10 = 0
        """,
        """
        INSERT INTO parked_event (tenant, position, activity_id, reason)
        SELECT t, position, id, 'odd' FROM own WHERE n % 10 = 0
        """,
        """
        INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id,
            closed_at, closed_by)
        SELECT t, id, n, 'sandbox', 'com.example', now(), 'ended' FROM own
        """,
        """
        INSERT INTO start_device (tenant, id, installation, bundle_id) OVERRIDING SYSTEM VALUE
        SELECT t, device, device, 'com.example' FROM own
        """,
        """
        INSERT INTO start_token (tenant, device_id, kind, push_token, environment, put_at,
            changed_at)
        SELECT t, device, 'Sample', n, 'sandbox', now(), now() FROM own
        """,
        """
        INSERT INTO card_start (tenant, activity_id, device_id, state, reason, due_at, put_version)
        SELECT t, id, device, 'waiting', 'no-app', now(), 1 FROM own
        """,
        """
        INSERT INTO activity_audience (tenant, activity_id, topics) SELECT t, id, '{a:1}' FROM own
        """,
        """
        INSERT INTO audience_topic (tenant, topic, activity_id)
        SELECT t, 'a:' || n % 10, id FROM own
        """,
        """
        INSERT INTO webhook (tenant, id, url, kinds, phases, position)
        SELECT DISTINCT t, 'w', '', '{}'::text[], '{}'::text[], 1000000 FROM own
        """,
        """
        INSERT INTO webhook_message (tenant, webhook_id, activity_id, after_version, version,
            attempts, first_tried_at, tried_at, given_up_at, last_failure)
        SELECT t, 'w', id, 0, 1, 1, now(), now(), now(), '' FROM own
        """,
        """
        INSERT INTO delivery_state (tenant, activity_id, last_timestamp) SELECT t, id, 1 FROM own
        """,
        """
        INSERT INTO channel (tenant, activity_id, bundle_id, environment, storage, state, wanted_at,
            closed_at)
        SELECT t, id, 'com.example', 'sandbox', 'none', 'closed', now(), now() FROM own
        """,
        """
        INSERT INTO log_archive (tenant, after, through, place, chain)
        SELECT t, 0, max(position), '/archive', 'c' FROM own GROUP BY t
        """,
        """
        UPDATE log_head SET position = o.position
        FROM (SELECT t, max(position) AS position FROM own GROUP BY t) o WHERE tenant = o.t
        """,
        """
        UPDATE projection_checkpoint SET position = o.position
        FROM (SELECT t, max(position) AS position FROM own GROUP BY t) o WHERE tenant = o.t
        """,
    ]
}

/// As many rows are read as a question is about, and not all of the tenant's for each of them.
@Suite(.timeLimit(.minutes(2)))
struct `Of a tenant that Postgres does not know yet` {
    @Test func `lists read the activities that they give`() async throws {
        let scene = try await UnknownTenantScene()
        let filters = [
            ActivityFilter(), ActivityFilter(order: .idDescending),
            ActivityFilter(order: .newestChange), ActivityFilter(words: SearchWords("one3")),
        ]
        for filter in filters {
            let rows = try await scene.rowsRead {
                let page = try await scene.store.reads.list(
                    scene.tenant, filter, nil, 50, Samples.time)
                #expect(page.snapshots.count == 50)
            }
            #expect(rows < 1_000, "\(filter)")
        }
    }

    @Test func `the board reads what it finds and counts`() async throws {
        let scene = try await UnknownTenantScene()
        let found = try await scene.rowsRead {
            let found = try await scene.store.board.search(scene.tenant, "order-7", ["one7"])
            #expect(found.snapshots.count > 300)
        }
        #expect(found < 5_000)
        let counted = try await scene.rowsRead {
            let overview = try await scene.store.reads.overview(
                scene.tenant, Samples.time, Samples.time)
            #expect(overview.deferred.first?.starts == 2_000)
        }
        #expect(counted < 20_000)
    }

    @Test func `a search of several words gives as many as that of one, those of rare words first`()
        async throws
    {
        let scene = try await UnknownTenantScene()
        _ = try await scene.pool.query(
            "INSERT INTO activity_word (tenant, word, activity_id) VALUES ($1, 'rare', $2)",
            [.int4(scene.tenant.rawValue), .text("order-999")])
        let found = try await scene.store.board.search(
            scene.tenant, "none", ["one1", "one2", "one3", "one4", "rare"])
        #expect(found.isPartial)
        // As many by words as there are of those that changed last.
        #expect(found.snapshots.count <= 2 * Limits.searchedActivitiesMax)
        #expect(found.snapshots.contains { $0.activityID.rawValue == "order-999" })
    }

    @Test func `a phone's topics lead to their activities`() async throws {
        let scene = try await UnknownTenantScene()
        let topic = try #require(AudienceTopic(rawValue: "a:1"))
        let wish = StartWish(
            installation: "phone", kind: "Other", token: Samples.token("a"),
            environment: .sandbox, bundleID: "com.example", topics: [topic])
        let rows = try await scene.rowsRead {
            _ = try await scene.store.startTokens.putToken(scene.tenant, wish)
        }
        #expect(rows < 1_000)
    }

    @Test func `what a verification compares is read once`() async throws {
        let scene = try await UnknownTenantScene()
        for kind in Stray.Kind.allCases {
            let rows = try await scene.rowsRead {
                let strays = try await scene.store.replays.strays(scene.tenant, kind, 6_000, 10)
                #expect(strays.isEmpty)
            }
            #expect(rows < 20_000, "\(kind)")
        }
        let parked = try await scene.rowsRead {
            let parked = try await scene.store.upkeep.parked(
                scene.tenant, nil, isSkipped: nil, 0, 100)
            #expect(parked.count == 100)
        }
        #expect(parked < 1_000)
    }

    @Test func `activities are archived and dropped by their keys`() async throws {
        let scene = try await UnknownTenantScene()
        let retention = scene.store.retention
        let few = (1...10).map { number in
            DroppableActivity(
                id: ActivityID(rawValue: "order-\(number)"),
                before: Moment(unixSeconds: 4_000_000_000))
        }
        let read = try await scene.rowsRead {
            let archives = try await retention.archives(scene.tenant, of: few.map(\.id))
            #expect(archives.count == 1)
            let records = try await retention.records(scene.tenant, few)
            #expect(records.count == 50)
        }
        #expect(read < 1_000)
        let dropped = try await scene.rowsRead {
            let dropped = try await retention.drop(scene.tenant, few)
            #expect(dropped.activities == 10 && dropped.events == 30)
        }
        #expect(dropped < 10_000)
    }

    @Test func `an activity is erased by its keys`() async throws {
        let scene = try await UnknownTenantScene()
        let rows = try await scene.rowsRead {
            let result = try await scene.store.erasure.erase(
                scene.tenant, ActivityID(rawValue: "order-1")
            ) { content in
                var outcome = ErasureChanges()
                outcome.events = content.events
                outcome.decisions = content.decisions
                outcome.snapshot = content.snapshot
                return .success(outcome)
            }
            #expect(try result.get().events.count == 3)
        }
        #expect(rows < 1_000)
    }
}
