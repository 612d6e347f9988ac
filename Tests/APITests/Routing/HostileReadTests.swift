import Domain
import EventStore
import JSON
import Postgres
import TestSupport
import Testing

@testable import API

/// What a route reads must not grow with what there is of its tenant: here is much of everything,
/// most of it beside the point, and the rows are counted that Postgres took from tables and
/// indexes for one request.
struct HostileReadTests {
    /// Of everything.
    private static let many = 25_000
    /// What one request may read: a page of the largest size with its neighbours. What is counted
    /// is counted up to 10,000, and an overview looks at 20,000 of each sort.
    private static let rowsMax = 2_000

    /// Requests that count besides, and what.
    private static let counted: [(start: String, rows: Int)] = [
        // Pushes, and messages of webhooks.
        ("/v1/dead-letters", 20_000),
        // Cards not served, phones that wait, and starts of two states.
        ("/v1/activities/crowd/why", 40_000), ("/v1/activities/crowd/audience", 20_000),
        // Cards that APNs refused for good, and closed ones among which those are; living ones,
        // among which those are that wait.
        ("/v1/activities/crowd/decisions", 6_000),
        // What waits, and what was given up.
        ("/v1/webhooks", 20_000),
        // Open, changed, alerted and blocked; too large, each with its snapshot, and phones.
        ("/v1/overview", 4 * 20_000 + 3 * 10_000),
        // Open, and blocked; parked, each with its activity; phones that wait; pushes, starts and
        // messages; webhooks; phones, channels and decisions among which an accepted push is
        // looked for.
        ("/v1/attention", 20_000 + 1_000 + 2 * 1_000 + 10_000 + 40_000 + 20_000 + 5 * 1_000),
        // Phones that wait, with their activities.
        ("/v1/board?waiting", 20_000),
        // Cards that are not served, and living ones, among which those are that wait.
        ("/v1/activities/crowd/phones", 10_000 + 2_000),
    ]

    private static func rowsMax(of target: String) -> Int {
        rowsMax + (counted.first { target.hasPrefix($0.start) }?.rows ?? 0)
    }

    @Test func `no question of a route goes through all that its tenant has`() async throws {
        let api = try await PostgresAPI.make(connectionsMax: 1)
        try await fill(api)
        let ticketed = "/v1/activities/crowd"
        let next = try await api.call("GET", "/v1/dead-letters?limit=10").json()["next"]?.text
        let webhooks = try await api.call("GET", "/v1/webhooks").json()["webhooks"]?.elements ?? []
        let webhook = try #require(webhooks.first?["id"]?.text)
        for target in [
            // One activity of which there is next to nothing, and one of which there is all.
            "/v1/activities/lone", "/v1/activities/lone/state?version=1",
            "/v1/activities/lone/decisions", ticketed, "\(ticketed)/state?version=2",
            "\(ticketed)/decisions?after=15000", "/v1/activities/sparse/decisions?after=1",
            "/v1/activities/lone/events?limit=10",
            "\(ticketed)/events?after=15000&limit=10", "/v1/activities/lone/why",

            // Lists.
            "/v1/activities?limit=10", "/v1/activities?limit=10&q=lone",
            "/v1/board?limit=10", "/v1/board?limit=10&order=-change",
            "/v1/board?limit=10&order=-id", "/v1/board?limit=10&search=lone",
            "/v1/board?waiting=true&limit=10", "/v1/attention",
            "/v1/activities/lone/phones?limit=10", "\(ticketed)/phones?limit=10",
            "/v1/activities/lone/payload", "\(ticketed)/payload",
            "/v1/scoreboard?limit=10", "/v1/scoreboard?limit=10&competition=Cup",
            "/v1/scoreboard?limit=10&after=0_a", "/v1/scoreboard?limit=10&after=_a",
            "/v1/dead-letters?limit=10", "/v1/dead-letters?limit=10&activity=lone",
            "/v1/dead-letters?limit=10&carrier=push&activity=lone",
            "/v1/dead-letters?limit=10&since=2100-01-01T00:00:00Z", next,
            "/v1/activities/lone/channels/com.example", "/v1/activities/lone/audience",
            "\(ticketed)/why", "\(ticketed)/audience", "/v1/overview?since=2000-01-01T00:00:00Z",
            "/v1/webhooks", "/v1/webhooks/\(webhook)", "/v1/policies",
            "/v1/dead-letters?limit=10&carrier=webhook",
            // The log, and one activity of it.
            "/v1/events?limit=10", "/v1/events?limit=10&after=15000",
            "/v1/events?limit=10&after=15000&activity=crowd",
            "/v1/events?limit=10&after=1&activity=crowd&type=PizzaDelivery.OrderPickedUp",
        ].compactMap(\.self) {
            let rows = try await rowsRead(api) {
                let status = try await api.call("GET", target).status
                #expect(status == 200 || status == 404, "\(target): \(status)")
            }
            #expect(rows <= Self.rowsMax(of: target), "\(target) read \(rows) rows")
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

    @Test func `the first page of a stream does not go through all that its tenant has`()
        async throws
    {
        let api = try await PostgresAPI.make(connectionsMax: 1)
        try await fill(api)
        for query in ["", "?after=15000", "?after=latest", "?phase=live"] {
            let rows = try await rowsRead(api) {
                let answer = try await api.call("GET", "/v1/stream\(query)")
                var reader = try StreamReader(answer.response)
                _ = try await reader.next()
            }
            #expect(rows <= Self.rowsMax, "/v1/stream\(query) read \(rows) rows")
        }
    }

    @Test func `what is counted no further says so`() async throws {
        let api = try await PostgresAPI.make(connectionsMax: 1)
        try await fill(api)
        let why = try await api.call("GET", "/v1/activities/crowd/why").json()["sentences"]
        let sentences = (why?.elements ?? []).compactMap(\.text).joined(separator: " ")
        #expect(sentences.contains("of whom there are 10000 or more"), "\(sentences)")
        #expect(
            sentences.contains("10000 or more phones wait, since the app com.example is not there"))
        #expect(sentences.contains("on 10000 or more phones; 10000 or more are still"))
        let audience = try await api.call("GET", "/v1/activities/crowd/audience").json()
        #expect(audience["starts"]?["started"] == .integer(10_000))
        // Of those that wait, the first is due next.
        #expect(audience["nextAt"]?.text == "2030-01-01T00:00:01Z")
        let webhooks = try await api.call("GET", "/v1/webhooks").json()["webhooks"]?.elements
        #expect(webhooks?.first?["waiting"] == .integer(10_000))
        #expect(webhooks?.first?["givenUp"] == .integer(10_000))
        let overview = try await api.call("GET", "/v1/overview?since=2000-01-01T00:00:00Z").json()
        #expect(overview["activities"]?["isPartial"] == .bool(true))
        #expect(overview["activities"]?["changed"] == .integer(20_000))
    }

    /// Without these the tests above could not fail.
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
        let webhook = #"{"url":"https://example.com/hook"}"#
        #expect(try await api.call("POST", "/v1/webhooks", webhook).status == 201)
        let audience = #"{"topics":["team:ARG"]}"#
        #expect(
            try await api.call("PUT", "/v1/activities/crowd/audience", audience).status == 201)
        for activity in ["lone", "crowd"] {
            let body = registration(activity == "lone" ? "11" : "22")
            #expect(
                try await api.call("POST", "/v1/activities/\(activity)/registrations", body).status
                    == 201)
        }
        try await api.fold()
        // Takes as long as the machine's disk does; what is measured is the questions alone.
        let connection = try await api.pool.openDedicated(callTimeoutSeconds: 120)
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
                    'alert', '{"title":"T","body":"B","sound":"default"}'::jsonb,
                    'settled_at', now(), 'carried_by', 1, 'accepted', 0, 'failed', 0
                """
            ),
            copy(
                "snapshot", "lone",
                """
                'activity_id', 'match-' || n, 'position', n + 10, 'phase', 'live',
                    'competition', 'Cup', 'starts_at', '2026-05-01T19:00:00Z', 'fault', 'parked'
                """),
            // One of whose events nearly all are of another kind, so that nothing was decided.
            copy(
                "event", "lone",
                """
                'activity_id', 'sparse', 'position', n + \(many + 10), 'version', n,
                    'event_id', 's-' || n
                """),
            copy(
                "decision", "lone",
                "'activity_id', 'sparse', 'position', n + \(many + 10), 'version', n",
                where: "n IN (1, \(many))"),
            copy(
                "snapshot", "lone",
                "'activity_id', 'sparse', 'position', n + \(many + 10), 'version', n",
                where: "n = \(many)"),
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
                "registration", "crowd",
                """
                'id', n + 2000000, 'push_token', 'closed-' || n, 'retry_at', NULL,
                    'closed_at', '2026-05-01T19:00:00Z', 'closed_by', 'dismissed'
                """, where: "m.closed_at IS NULL AND m.given_up_at IS NULL"),
            copy(
                "registration", "crowd",
                """
                'id', n + 3000000, 'push_token', 'waits-' || n, 'retry_at', now(),
                    'last_failure', 'no-app'
                """, where: "m.closed_at IS NULL AND m.given_up_at IS NULL"),
            """
            INSERT INTO card_start (tenant, activity_id, device_id, state, due_at, put_version)
            SELECT tenant, 'crowd', n * 2 + s, (ARRAY['started', 'waiting'])[s + 1],
                CASE s WHEN 1 THEN '2030-01-01T00:00:00Z'::timestamptz + n * interval '1 s' END, 1
            FROM projection_checkpoint, generate_series(1, \(many)) n, generate_series(0, 1) s
            """,
            """
            INSERT INTO webhook_message (
                tenant, webhook_id, activity_id, after_version, version, attempts, first_tried_at,
                tried_at, retry_at, given_up_at, last_failure
            )
            SELECT tenant, id, 'match-' || n, 0, 1, 1, now(), now(),
                CASE s WHEN 0 THEN now() END,
                CASE s WHEN 1 THEN '2026-05-01T19:00:00Z'::timestamptz + n * interval '1 ms' END,
                'none'
            FROM webhook, generate_series(1, \(many)) n, generate_series(0, 1) s
            """,
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

    /// Copies of an activity's only row with other values, or of the one that is meant.
    private static func copy(
        _ table: String, _ activity: String, _ changes: String, where condition: String = "true"
    ) -> String {
        """
        INSERT INTO \(table) OVERRIDING SYSTEM VALUE
        SELECT r.* FROM \(table) m, generate_series(1, \(many)) n,
            LATERAL jsonb_populate_record(m, jsonb_build_object(\(changes))) r
        WHERE m.activity_id = '\(activity)' AND (\(condition))
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
