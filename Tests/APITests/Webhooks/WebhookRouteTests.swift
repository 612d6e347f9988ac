import Domain
import EventStore
import Foundation
import JSON
import Postgres
import TestSupport
import Testing

@testable import API

extension PostgresAPI {
    fileprivate func add(_ body: String) async throws -> Answer {
        try await call("POST", "/v1/webhooks", body)
    }

    fileprivate func added(_ body: String) async throws -> String {
        let answer = try await add(body)
        #expect(answer.status == 201)
        return try #require(try answer.json()["id"]?.text)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `Routes about webhooks` {
    @Test func `make one, whose secret is shown once`() async throws {
        let api = try await PostgresAPI.make()
        let answer = try await api.add(
            #"{"url":"https://shop.example/hook","kinds":["PizzaDelivery"],"phases":["live"]}"#)
        #expect(answer.status == 201)
        let made = try answer.json()
        let id = try #require(made["id"]?.text)
        let secret = try #require(made["secret"]?.text)
        #expect(secret == "whsec_\(id)")
        let shown = try await api.call("GET", "/v1/webhooks/\(id)")
        #expect(shown.status == 200)
        #expect(try shown.json()["url"]?.text == "https://shop.example/hook")
        #expect(try shown.json()["kinds"] == .array(["PizzaDelivery"]))
        #expect(try shown.json()["enabled"] == .bool(true))
        let list = try await api.call("GET", "/v1/webhooks")
        for answer in [shown, list] { #expect(!answer.text.contains("whsec_")) }
        #expect(list.text.contains(id))
    }

    @Test func `name every error of a wish`() async throws {
        let api = try await PostgresAPI.make()
        try await api.add(
            #"{"url":"http://shop.example","kinds":["Tram"],"phases":[1],"enabled":"yes"}"#
        ).expectProblem(.invalidWebhook, pointers: ["/url", "/kinds", "/phases", "/enabled"])
        try await api.add("{}").expectProblem(.invalidWebhook, pointers: ["/url"])
        try await api.add(#"{"url":7,"kinds":"Match"}"#)
            .expectProblem(.invalidWebhook, pointers: ["/url", "/kinds"])
        // With these slips it would receive everything.
        let slips = #"{"url":"https://shop.example/hook","kind":["Match"],"phase":["live"]}"#
        try await api.add(slips).expectProblem(.invalidWebhook, pointers: ["/kind", "/phase"])
        let id = try await api.added(#"{"url":"https://shop.example/hook"}"#)
        try await api.call("PUT", "/v1/webhooks/\(id)", slips)
            .expectProblem(.invalidWebhook, pointers: ["/kind", "/phase"])
    }

    @Test func `change, turn off, try and remove one`() async throws {
        let api = try await PostgresAPI.make()
        let id = try await api.added(#"{"url":"https://shop.example/hook","kinds":["Match"]}"#)
        let changed = try await api.call(
            "PUT", "/v1/webhooks/\(id)", #"{"url":"https://broken.example/","enabled":false}"#)
        #expect(changed.status == 200)
        #expect(try changed.json()["kinds"] == .array([]))
        #expect(try changed.json()["disabledBy"]?.text == "owner")
        let tried = try await api.call("POST", "/v1/webhooks/\(id)/test")
        #expect(try tried.json()["delivered"] == .bool(false))
        #expect(try tried.json()["reason"]?.text == "status 500")
        let on = try await api.call(
            "PUT", "/v1/webhooks/\(id)", #"{"url":"https://shop.example/"}"#)
        #expect(try on.json()["enabled"] == .bool(true))
        #expect(
            try await api.call("POST", "/v1/webhooks/\(id)/test").json()["status"]
                == .integer(204))
        #expect(try await api.call("DELETE", "/v1/webhooks/\(id)").status == 204)
        for (method, path, body) in [
            ("GET", "", ""), ("DELETE", "", ""), ("POST", "/test", ""),
            ("PUT", "", #"{"url":"https://shop.example/"}"#), ("POST", "/secret", "{}"),
        ] {
            for name in [id, "wh_%00", "%20"] {
                try await api.call(method, "/v1/webhooks/\(name)\(path)", body)
                    .expectProblem(.unknownWebhook)
            }
        }
    }

    @Test func `end the pause of one that failed once a test arrives`() async throws {
        let api = try await PostgresAPI.make()
        for (host, isPaused) in [("broken.example", true), ("shop.example", false)] {
            let id = try await api.added(#"{"url":"https://\#(host)/hook"}"#)
            _ = try await api.database.pool.query(
                """
                UPDATE webhook SET failures = 9, failing_since = now(),
                    paused_until = now() + interval '300 s' WHERE id = $1
                """, [.text(id)])
            let tried = try await api.call("POST", "/v1/webhooks/\(id)/test")
            #expect(try tried.json()["delivered"] == .bool(!isPaused))
            let shown = try await api.call("GET", "/v1/webhooks/\(id)").json()
            #expect((shown["pausedUntil"]?.text != nil) == isPaused)
            #expect((shown["failingSince"]?.text != nil) == isPaused)
        }
    }

    @Test func `rotate its secret, and the old one ends in time`() async throws {
        let api = try await PostgresAPI.make()
        let id = try await api.added(#"{"url":"https://shop.example/hook"}"#)
        let answer = try await api.call(
            "POST", "/v1/webhooks/\(id)/secret", #"{"overlapSeconds":60}"#)
        #expect(try answer.json()["secret"]?.text == "whsec_\(id)")
        let both = try await api.store.webhooks.secrets((api.tenant, id))
        #expect(both.map { $0.endsAt == nil } == [true, false])
        let bare = try await api.call("POST", "/v1/webhooks/\(id)/secret", type: "text/plain")
        #expect(bare.status == 200, "\(bare.text)")
        _ = try await api.call("POST", "/v1/webhooks/\(id)/secret", #"{"overlapSeconds":0}"#)
        #expect(try await api.store.webhooks.secrets((api.tenant, id)).count == 1)
        try await api.call("POST", "/v1/webhooks/\(id)/secret", #"{"overlapSeconds":-1}"#)
            .expectProblem(.invalidWebhook, pointers: ["/overlapSeconds"])
        try await api.call("POST", "/v1/webhooks/\(id)/secret", #"{"overlap":0}"#)
            .expectProblem(.invalidWebhook, pointers: ["/overlap"])
    }

    @Test func `turn none on that nothing can be signed for`() async throws {
        let api = try await PostgresAPI.make()
        let off = #"{"url":"https://shop.example/hook","enabled":false}"#
        let on = #"{"url":"https://shop.example/hook"}"#
        let id = try await api.added(off)
        _ = try await api.database.pool.query(
            "UPDATE webhook_secret SET master_key_id = 'm2' WHERE webhook_id = $1", [.text(id)])
        let path = "/v1/webhooks/\(id)"
        try await api.call("PUT", path, on).expectProblem(.webhookConflict)
        #expect(try await api.call("PUT", path, off).json()["enabled"] == .bool(false))
        _ = try await api.call("POST", path + "/secret", #"{"overlapSeconds":0}"#)
        #expect(try await api.call("PUT", path, on).json()["enabled"] == .bool(true))
    }

    @Test func `make no more than a tenant may have`() async throws {
        let api = try await PostgresAPI.make()
        for _ in 0..<20 { _ = try await api.added(#"{"url":"https://shop.example/hook"}"#) }
        try await api.add(#"{"url":"https://shop.example/hook"}"#)
            .expectProblem(.webhookConflict)
    }

    @Test func `say what is missing where there is no master key`() async throws {
        let api = await Harness()
        let answer = try await api.call(
            "POST", "/v1/webhooks", key: "admin", body: #"{"url":"https://a.example"}"#,
            type: "application/json")
        let document = try answer.expectProblem(.webhookConflict)
        #expect(document["detail"]?.text?.contains("--master-key-file") == true)
    }
}
