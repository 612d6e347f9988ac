import Domain
import EventStore
import JSON
import Postgres
import TestSupport
import Testing

@testable import API

extension PostgresAPI {
    /// Phones to which pushes were refused.
    fileprivate func refuse(_ count: Int) async throws {
        _ = try await database.pool.query(
            """
            INSERT INTO registration (
                tenant, activity_id, push_token, environment, bundle_id, attempts, last_failure,
                given_up_at
            )
            SELECT $1, 'order-' || n, lpad(to_hex(n), 64, '0'), 'sandbox', 'com.example', 1,
                'TopicDisallowed', to_timestamp(1700000000 + n / 2)
            FROM generate_series(1, $2) AS n
            """, [.int4(tenant.rawValue), .int4(Int32(count))])
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `Routes about dead letters` {
    @Test func `list page by page what was given up, and never a token`() async throws {
        let api = try await PostgresAPI.make()
        try await api.refuse(5)
        var next: String? = "/v1/dead-letters?limit=2"
        var activities: [String] = []
        while let path = next {
            let answer = try await api.call("GET", path)
            #expect(answer.status == 200)
            #expect(!answer.text.contains("0000000000"))
            let page = try answer.json()
            #expect(page["counts"]?["push"] == .integer(5))
            guard case .array(let letters)? = page["deadLetters"] else { break }
            activities += letters.compactMap { $0["activity"]?.text }
            #expect(letters.allSatisfy { $0["canRetry"] == .bool(true) })
            next = page["next"]?.text
        }
        #expect(activities == ["order-4", "order-5", "order-2", "order-3", "order-1"])
        let one = try await api.call("GET", "/v1/dead-letters?activity=order-3&carrier=push")
        #expect(one.text.contains("order-3") && !one.text.contains("order-4"))
        let late = try await api.call(
            "GET", "/v1/dead-letters?since=2023-11-14T22:13:22Z&carrier=push")
        #expect(late.text.contains("order-5") && !late.text.contains("order-3"))
    }

    @Test func `refuse filters that are none`() async throws {
        let api = try await PostgresAPI.make()
        for query in [
            "carrier=mail", "since=yesterday", "after=1", "after=x_push-1", "limit=0",
            "activity=%00", "after=1_start-1-0-%00",
        ] {
            try await api.call("GET", "/v1/dead-letters?\(query)")
                .expectProblem(.invalidParameter)
        }
    }

    @Test func `send a push again, dismiss one, and leave starts alone`() async throws {
        let api = try await PostgresAPI.make()
        try await api.refuse(2)
        let letters = try await api.store.deadLetters.list(
            api.tenant, DeadLetterFilter(), nil, 10)
        let ids = letters.map(\.id.text)
        #expect(try await api.call("POST", "/v1/dead-letters/\(ids[0])/retry").status == 202)
        #expect(try await api.call("DELETE", "/v1/dead-letters/\(ids[1])").status == 204)
        for id in ids + ["nonsense", "push-999", "start-1-0-%00"] {
            if !id.hasPrefix("start") {
                try await api.call("POST", "/v1/dead-letters/\(id)/retry")
                    .expectProblem(.unknownDeadLetter)
            }
            try await api.call("DELETE", "/v1/dead-letters/\(id)")
                .expectProblem(.unknownDeadLetter)
        }
        let start = try await api.call("POST", "/v1/dead-letters/start-1-0-order-1/retry")
        let document = try start.expectProblem(.deadLetterConflict)
        #expect(document["detail"]?.text?.contains("second card") == true)
    }
}
