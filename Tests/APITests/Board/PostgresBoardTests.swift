import Domain
import EventStore
import JSON
import Postgres
import TestSupport
import Testing

@testable import API

/// The board over the real store.
struct `The board over Postgres` {
    private static func rows(_ api: PostgresAPI, _ query: String) async throws -> [JSON] {
        let answer = try await api.call("GET", "/v1/board?\(query)")
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.json()["rows"]?.elements ?? []
    }

    private static func ids(_ api: PostgresAPI, _ query: String) async throws -> [String] {
        try await rows(api, query).compactMap { $0["id"]?.text }
    }

    /// Orders a, b and c; b changed last, c has ended.
    private static func make() async throws -> PostgresAPI {
        let api = try await PostgresAPI.make()
        for order in ["a", "b", "c"] { try await api.place("order-\(order)") }
        try await api.report("OrderDelivered", "order-c")
        try await api.report("DriverAssigned", "order-b", #"{"driverName":"Ada"}"#)
        try await api.fold()
        return api
    }

    private static func register(
        _ api: PostgresAPI, _ order: String, _ count: Int, waiting: String? = nil
    ) async throws {
        _ = try await api.pool.query(
            """
            INSERT INTO registration (
                tenant, activity_id, push_token, environment, bundle_id, retry_at, last_failure,
                attempts
            )
            SELECT $1, $2, n, 'sandbox', 'com.example',
                CASE WHEN $3::text IS NOT NULL THEN now() END, $3,
                CASE WHEN $3::text IS NULL THEN 0 ELSE 1 END
            FROM generate_series(1, $4::int8) n
            """,
            [
                .int4(api.tenant.rawValue), .text(order), .text(waiting), .int8(Int64(count)),
            ])
    }

    @Test func `lists in each order, page by page`() async throws {
        let api = try await Self.make()
        let orders = [
            "id": ["order-a", "order-b", "order-c"], "-id": ["order-c", "order-b", "order-a"],
            "-change": ["order-b", "order-c", "order-a"],
        ]
        for (order, expected) in orders {
            #expect(try await Self.ids(api, "order=\(order)") == expected, "\(order)")
            var next: String? = "/v1/board?limit=1&order=\(order)"
            var found: [String] = []
            while let target = next {
                let page = try await api.call("GET", target).json()
                found += page["rows"]?.elements.compactMap { $0["id"]?.text } ?? []
                next = page["next"]?.text
            }
            #expect(found == expected, "\(order)")
        }
        #expect(try await Self.ids(api, "phase=ended&order=-change") == ["order-c"])
        #expect(try await Self.ids(api, "phase=live&order=-id") == ["order-b", "order-a"])
        #expect(
            try await Self.ids(api, "late=true&order=-id") == ["order-c", "order-b", "order-a"])
    }

    @Test func `finds by beginnings of ids and of words`() async throws {
        let api = try await Self.make()
        #expect(try await Self.ids(api, "search=order-b") == ["order-b"])
        #expect(try await Self.ids(api, "search=order-") == ["order-a", "order-b", "order-c"])
        #expect(try await Self.ids(api, "search=7&phase=ended") == ["order-c"])
        #expect(try await Self.ids(api, "search=8").isEmpty)
    }

    @Test func `says for how many phones the newest was accepted`() async throws {
        let api = try await Self.make()
        try await Self.register(api, "order-b", 3)
        try await Self.register(api, "order-a", 2, waiting: "key-refused")
        _ = try await api.pool.query(
            """
            UPDATE decision SET settled_at = now(), carried_by = version, accepted = 3, failed = 0,
                sent_timestamp = 1
            WHERE tenant = $1 AND activity_id = 'order-b' AND verdict <> 'hold'
            """, [.int4(api.tenant.rawValue)])
        let rows = try await Self.rows(api, "order=id")
        #expect(rows[1]["delivery"]?["upToDate"] == .integer(3))
        #expect(rows[1]["delivery"]?["acceptedVersion"] == .integer(2))
        #expect(rows[1]["said"]?["isPending"] == .bool(false))
        #expect(rows[0]["delivery"]?["waiting"] == .integer(2))
        #expect(rows[0]["delivery"]?["acceptedVersion"] == nil)
        #expect(rows[0]["said"]?["isPending"] == .bool(true))
        #expect(try await Self.ids(api, "waiting=true") == ["order-a"])
        #expect(try await Self.ids(api, "waiting=true&order=-id") == ["order-a"])
        let phones = try await api.call("GET", "/v1/activities/order-a/phones").json()
        #expect(phones["phones"]?.elements.map { $0["sentVersion"] } == [.integer(0), .integer(0)])
        // Of phones that are up to date nothing is written down.
        let upToDate = try await api.call("GET", "/v1/activities/order-b/phones?limit=1").json()
        #expect(upToDate["phones"]?.elements.map { $0["sentVersion"] } == [.integer(2)])
        let attention = try await api.call("GET", "/v1/attention").json()
        #expect(attention["waiting"]?.elements.first?["phones"] == .integer(2))
        #expect(attention["hasPhone"] == .bool(true))
        #expect(attention["hasPush"] == .bool(true))
        #expect(attention["late"] == .integer(2))
    }

    @Test func `says why no phone is served, of the one that went last`() async throws {
        let api = try await Self.make()
        _ = try await api.pool.query(
            """
            INSERT INTO registration (
                tenant, activity_id, push_token, environment, bundle_id, dead_at, is_unfit,
                closed_at, closed_by
            ) VALUES ($1, 'order-a', 'a', 'sandbox', 'com.example', now(), true, NULL, NULL),
                ($1, 'order-b', 'a', 'sandbox', 'com.example', now() - interval '1 minute', true,
                    NULL, NULL),
                ($1, 'order-b', 'b', 'sandbox', 'com.example', NULL, false, now(), 'dismissed')
            """, [.int4(api.tenant.rawValue)])
        func reasons() async throws -> [String?] {
            try await Self.rows(api, "order=id").map { $0["delivery"]?["goneBy"]?.text }
        }
        #expect(try await reasons() == ["unfit", "dismissed", nil])
        let phones = try await api.call("GET", "/v1/activities/order-a/phones").json()
        #expect(phones["delivery"]?["goneBy"]?.text == "unfit")
        // While another one is served, there is nothing to explain.
        try await Self.register(api, "order-a", 1)
        #expect(try await reasons() == [nil, "dismissed", nil])
    }

    @Test func `counts parked events that block nothing, but none that was skipped`() async throws {
        let api = try await Self.make()
        _ = try await api.pool.query(
            "UPDATE snapshot SET fault = 'unfit' WHERE tenant = $1 AND activity_id = 'order-b'",
            [.int4(api.tenant.rawValue)])
        _ = try await api.pool.query(
            """
            INSERT INTO parked_event (tenant, position, activity_id, reason, is_skipped)
            VALUES ($1, 1, 'order-a', 'another kind', false), ($1, 2, 'order-b', 'unfit', false),
                ($1, 3, 'order-c', 'another kind', true)
            """, [.int4(api.tenant.rawValue)])
        let attention = try await api.call("GET", "/v1/attention").json()
        #expect(attention["faulted"] == .integer(1))
        #expect(attention["parked"] == .integer(1))
    }

    @Test func `lists the phones that need help before all others, however many there are`()
        async throws
    {
        let api = try await Self.make()
        try await Self.register(api, "order-b", 70)
        _ = try await api.pool.query(
            """
            UPDATE registration r SET attempts = 3, last_failure = i.failure,
                retry_at = CASE WHEN i.waits THEN now() END,
                given_up_at = CASE WHEN NOT i.waits THEN now() END,
                dead_at = CASE WHEN i.is_unfit THEN now() END, is_unfit = i.is_unfit
            FROM (
                VALUES ('67', 'BadDeviceToken', false, true),
                    ('68', 'ServiceUnavailable', true, false), ('69', 'key-refused', true, false),
                    ('70', 'PayloadTooLarge', false, false)
            ) AS i (token, failure, waits, is_unfit)
            WHERE r.tenant = $1 AND r.activity_id = 'order-b' AND r.push_token = i.token
            """, [.int4(api.tenant.rawValue)])
        let page = try await api.call("GET", "/v1/activities/order-b/phones").json()
        #expect(
            page["behind"]?.elements.map { $0["lastFailure"]?.text } == [
                "BadDeviceToken", "PayloadTooLarge", "ServiceUnavailable", "key-refused",
            ])
        #expect(page["phones"]?.elements.count == 50)
        let others = try await api.call("GET", "/v1/activities/order-a/phones").json()
        #expect(others["behind"]?.elements.isEmpty == true)
    }

    @Test func `lists phones that wait for another try beside many that wait for their app`()
        async throws
    {
        let api = try await Self.make()
        try await Self.register(api, "order-b", 62, waiting: "key-refused")
        _ = try await api.pool.query(
            """
            UPDATE registration
            SET last_failure = CASE push_token WHEN '61' THEN 'ServiceUnavailable' END
            WHERE tenant = $1 AND activity_id = 'order-b' AND push_token IN ('61', '62')
            """, [.int4(api.tenant.rawValue)])
        let page = try await api.call("GET", "/v1/activities/order-b/phones").json()
        let failures = (page["behind"]?.elements ?? []).map { $0["lastFailure"]?.text }
        #expect(failures.filter { $0 == "key-refused" }.count == 50)
        #expect(failures.filter { $0 != "key-refused" } == ["ServiceUnavailable", nil])
    }

    /// Each is all that APNs has ever accepted.
    @Test(arguments: [
        "UPDATE registration SET is_proven = true, accepted_at = now() WHERE tenant = $1",
        """
        INSERT INTO channel (
            tenant, activity_id, bundle_id, environment, storage, state, channel_id, sent_version,
            wanted_at
        ) VALUES ($1, 'order-b', 'com.example', 'sandbox', 'none', 'open', 'c', 2, now())
        """,
        """
        UPDATE decision SET settled_at = now(), carried_by = version, accepted = 0, failed = 0,
            channels_accepted = 1
        WHERE tenant = $1 AND activity_id = 'order-b' AND alert IS NOT NULL
        """,
        """
        UPDATE decision SET settled_at = now(), carried_by = version, accepted = 1, failed = 0
        WHERE tenant = $1 AND activity_id = 'order-b' AND alert IS NULL
        """,
    ])
    func `knows that a push was accepted, by whatever it went`(accepting sql: String) async throws {
        let api = try await Self.make()
        try await Self.register(api, "order-b", 1)
        let before = try await api.call("GET", "/v1/attention").json()
        #expect(before["hasPhone"] == .bool(true) && before["hasPush"] == .bool(false))
        _ = try await api.pool.query(sql, [.int4(api.tenant.rawValue)])
        #expect(try await api.call("GET", "/v1/attention").json()["hasPush"] == .bool(true))
    }

    @Test func `counts no more phones of an activity than its bound`() async throws {
        let api = try await Self.make()
        try await Self.register(api, "order-b", 300)
        let row = try await Self.rows(api, "search=order-b")[0]
        #expect(row["delivery"]?["phones"] == .integer(200))
        #expect(row["delivery"]?["isPartial"] == .bool(true))
    }
}
