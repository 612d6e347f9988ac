import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import API

/// What a route reads must not grow with what there is of its tenant: here is much of everything,
/// most of it beside the point, and the rows are counted that Postgres took from tables and
/// indexes for one request.
struct HostileReadTests {
    /// Of everything.
    private static let many = 20_000
    /// What one request may read: a page of the largest size with its neighbours. Dead letters are
    /// counted too, up to 10,000 of each carrier.
    private static let rowsMax = 2_000
    private static let countedRowsMax = 12_000

    @Test func `no question of a route goes through all that its tenant has`() async throws {
        let api = try await PostgresAPI.make(connectionsMax: 1)
        try await fill(api)
        let ticketed = "/v1/activities/crowd"
        let next = try await api.call("GET", "/v1/dead-letters?limit=10").json()["next"]?.text
        for target in [
            // One activity of which there is next to nothing, and one of which there is all.
            "/v1/activities/lone", "/v1/activities/lone/state?version=1",
            "/v1/activities/lone/decisions", ticketed, "\(ticketed)/state?version=2",
            "\(ticketed)/decisions?after=15000", "/v1/activities/lone/events?limit=10",
            "\(ticketed)/events?after=15000&limit=10", "/v1/activities/lone/why",

            // Lists.
            "/v1/activities?limit=10", "/v1/activities?limit=10&q=lone",
            "/v1/scoreboard?limit=10", "/v1/scoreboard?limit=10&competition=Cup",
            "/v1/dead-letters?limit=10", "/v1/dead-letters?limit=10&activity=lone",
            "/v1/dead-letters?limit=10&carrier=push&activity=lone",
            "/v1/dead-letters?limit=10&since=2100-01-01T00:00:00Z", next,
            "/v1/activities/lone/channels/com.example", "/v1/activities/lone/audience",
            "/v1/webhooks", "/v1/policies",
            // The log, and one activity of it.
            "/v1/events?limit=10", "/v1/events?limit=10&after=15000",
            "/v1/events?limit=10&after=15000&activity=crowd",
            "/v1/events?limit=10&after=1&activity=crowd&type=PizzaDelivery.OrderPickedUp",
        ].compactMap(\.self) {
            let rows = try await rowsRead(api) {
                let status = try await api.call("GET", target).status
                #expect(status == 200 || status == 404, "\(target): \(status)")
            }
            let isCounted = target.hasPrefix("/v1/dead-letters")
            let rowsMax = isCounted ? Self.countedRowsMax : Self.rowsMax
            #expect(rows <= rowsMax, "\(target) read \(rows) rows")
        }
        for (path, body) in [
            ("\(ticketed)/registrations", registration("ab")),
            ("\(ticketed)/registrations/rotation", rotation("ab", "cd")),
            ("\(ticketed)/registrations/report", report("cd")),
            ("\(ticketed)/registrations/removal", #"{"pushToken":"\#(token("cd"))"}"#),
            ("/v1/activities/lone/registrations", registration("ef")),
            ("/v1/activities/lone/tickets", "{}"),
        ] {
            let rows = try await rowsRead(api) {
                let status = try await api.call("POST", path, body).status
                #expect([200, 201].contains(status), "\(path): \(status)")
            }
            #expect(rows <= Self.rowsMax, "\(path) read \(rows) rows")
        }
    }

    /// Without this the test above could not fail.
    @Test func `a question that goes through a table is seen to`() async throws {
        let api = try await PostgresAPI.make(connectionsMax: 1)
        try await fill(api)
        let rows = try await rowsRead(api) {
            _ = try await api.pool.query(
                "SELECT count(*) FROM parked_event WHERE reason = 'none'")
        }
        #expect(rows >= Self.many)
    }

    // MARK: Counting

    /// A session tells of what it read when it is asked to; there is but one.
    private func rowsRead(
        _ api: PostgresAPI, _ body: () async throws -> Void
    ) async throws -> Int {
        let before = try await rowsSoFar(api)
        try await body()
        return try await rowsSoFar(api) - before
    }

    private func rowsSoFar(_ api: PostgresAPI) async throws -> Int {
        _ = try await api.pool.query("SELECT pg_stat_force_next_flush()")
        let rows = try await api.pool.query(
            """
            SELECT (SELECT coalesce(sum(seq_tup_read), 0) FROM pg_stat_user_tables)::int8
                + (SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes)::int8
            """)
        return try Int(#require(rows.first).get(0, as: Int64.self))
    }

    // MARK: Filling

    private func fill(_ api: PostgresAPI) async throws {
        try await api.place("lone")
        try await api.place("crowd")
        for activity in ["lone", "crowd"] {
            let body = registration(activity == "lone" ? "11" : "22")
            #expect(
                try await api.call("POST", "/v1/activities/\(activity)/registrations", body).status
                    == 201)
        }
        try await api.fold()
        let connection = try await api.pool.openDedicated()
        try await connection.script(
            """
            SET session_replication_role = replica;
            \(Self.copies);
            UPDATE log_head SET position = (SELECT max(position) FROM event);
            UPDATE projection_checkpoint SET position = (SELECT max(position) FROM event);
            RESET session_replication_role;
            ANALYZE;
            """)
        await connection.close()
    }

    /// All events of one activity, all activities live, parked, and with a given-up phone; and one
    /// activity with as many phones.
    private static var copies: String {
        [
            copy("event", "crowd", #"'position', n + 10, 'version', n + 1, 'event_id', 'c-' || n"#),
            copy(
                "decision", "crowd",
                """
                'position', n + 10, 'version', n + 1, 'rule', 'too-large', 'verdict', 'timely',
                    'settled_at', now(), 'carried_by', 1, 'accepted', 0, 'failed', 0
                """
            ),
            copy(
                "snapshot", "lone",
                """
                'activity_id', 'match-' || n, 'position', n + 10, 'phase', 'live',
                    'competition', 'Cup', 'starts_at', '2026-05-01T19:00:00Z', 'fault', 'parked'
                """),
            """
            INSERT INTO parked_event (tenant, generation, position, activity_id, reason, is_skipped)
            SELECT tenant, generation, n + 10, 'match-' || n, 'none', true
            FROM projection_checkpoint, generate_series(1, \(many)) n
            """,
            """
            INSERT INTO activity_notice (tenant, activity_id, position, noticed_at)
            SELECT tenant, 'match-' || n, n + 10, now()
            FROM projection_checkpoint, generate_series(1, \(many)) n
            """,
            copy(
                "registration", "crowd",
                """
                'id', n + 1000, 'push_token', md5(n::text) || md5(n::text),
                    'installation', 'phone-' || n, 'retry_at', NULL,
                    'given_up_at', '2026-05-01T19:00:00Z'::timestamptz + n * interval '1 ms'
                """),
            copy(
                "registration", "lone",
                """
                'id', n + 1000000, 'activity_id', 'match-' || n, 'retry_at', NULL,
                    'closed_at', '2026-05-01T19:00:00Z', 'closed_by', 'dismissed',
                    'given_up_at', '2026-05-02T19:00:00Z'::timestamptz + n * interval '1 ms'
                """),
            """
            INSERT INTO channel (
                tenant, activity_id, bundle_id, environment, storage, state, wanted_at, closed_at
            )
            SELECT tenant, 'match-' || n, 'com.example', 'sandbox', 'none', 'closed', now(), now()
            FROM projection_checkpoint, generate_series(1, \(many)) n
            """,
        ].joined(separator: ";\n")
    }

    /// Copies of an activity's only row with other values.
    private static func copy(_ table: String, _ activity: String, _ changes: String) -> String {
        """
        INSERT INTO \(table) OVERRIDING SYSTEM VALUE
        SELECT r.* FROM \(table) m, generate_series(1, \(many)) n,
            LATERAL jsonb_populate_record(m, jsonb_build_object(\(changes))) r
        WHERE m.activity_id = '\(activity)'
        """
    }

    // MARK: Bodies

    private func token(_ digits: String) -> String { String(repeating: digits, count: 32) }

    private func registration(_ digits: String) -> String {
        #"{"pushToken":"\#(token(digits))","environment":"sandbox","bundleId":"com.example"}"#
    }

    private func rotation(_ from: String, _ to: String) -> String {
        #"{"from":"\#(token(from))","to":"\#(token(to))"}"#
    }

    private func report(_ digits: String) -> String {
        #"{"pushToken":"\#(token(digits))","state":"stale"}"#
    }
}
