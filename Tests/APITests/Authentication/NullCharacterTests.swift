import Domain
import EventStore
import JSON
import Testing

@testable import API

/// Postgres keeps no U+0000 in a text. It must never get that far: there it would cost every event
/// of the call, and the other callers of the batch a second commit.
@Suite(.timeLimit(.minutes(2))) struct NullCharacterTests {
    private let bad = SampleEvents.event(
        id: "bad", type: "PizzaDelivery.OrderReady", subject: "o-1",
        data: #"{"note":"a\u0000b"}"#)

    @Test func `a batch with a null character is no JSON, and none of it is recorded`()
        async throws
    {
        let api = try await PostgresAPI.make()
        for target in ["/v1/events", "/v1/events?partial=true"] {
            let answer = try await api.call(
                "POST", target, "[\(SampleEvents.placed("o-1")),\(bad)]")
            try answer.expectProblem(.malformedJSON, pointers: ["/1/data/note"])
        }
        #expect(try await api.store.log.head(api.tenant) == 0)
    }

    @Test func `of a partial stream the line with a null character is refused and no other`()
        async throws
    {
        let api = try await PostgresAPI.make()
        let lines = [SampleEvents.placed("o-1"), bad, SampleEvents.assigned("o-1")]
        let answer = try await api.call(
            "POST", "/v1/events?partial=true", lines.joined(separator: "\n"),
            type: "application/x-ndjson")
        #expect(answer.status == 207)
        let document = try answer.json()
        #expect(document["recorded"] == .integer(2))
        #expect(document["refused"] == .integer(1))
        let problem = try #require(document["problems"]?.elements.first)
        #expect(problem["line"] == .integer(2))
        #expect(problem["type"]?.text == Problem.malformedJSON.type)
        #expect(problem["pointer"]?.text == "/data/note")
        #expect(try await api.store.log.head(api.tenant) == 2)
    }

    @Test(arguments: ["id", "source", "subject"])
    func `a null character in an attribute is refused, whichever way it comes`(
        name: String
    ) async throws {
        let api = await Harness()
        var fields = [
            "specversion": "1.0", "id": "n-1", "source": "/tests", "subject": "o-1",
            "type": "PizzaDelivery.OrderReady", "time": "2026-05-01T12:00:00Z",
        ]
        fields[name] = "a%00b"
        let answer = try await api.call(
            "POST", "/v1/events", body: "{}", type: "application/json",
            headers: fields.map { ("ce-\($0.key)", $0.value) })
        try answer.expectProblem(.invalidAttribute, pointers: ["/\(name)"])
    }
}
