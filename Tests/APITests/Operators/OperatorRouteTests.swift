import Domain
import EventStore
import Foundation
import HTTP
import JSON
import Postgres
import TestSupport
import Testing

@testable import API

extension PostgresAPI {
    fileprivate func acts() async throws -> [JSON] {
        try await call("GET", "/v1/audit").json()["acts"]?.elements ?? []
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `Routes for operators` {
    @Test func `make, list and revoke keys, and write down who did it`() async throws {
        let api = try await PostgresAPI.make()
        let made = try await api.call(
            "POST", "/v1/keys", #"{"scopes":["activities:read"],"label":"shop"}"#)
        #expect(made.status == 201)
        let list = try #require(made.header("location"))
        #expect(try await api.call("GET", list).status == 200)
        let (id, key) = (
            try #require(try made.json()["id"]?.wholeNumber),
            try #require(try made.json()["key"]?.text)
        )
        #expect(key.hasPrefix("islet_") && key.utf8.count == 49)
        #expect(try await api.call("GET", "/v1/me", with: key).status == 200)
        let listed = try await api.call("GET", "/v1/keys")
        #expect(!listed.text.contains(key))
        #expect(
            try listed.json()["keys"]?.elements.map { $0["isOwn"] } == [.bool(true), .bool(false)])
        #expect(try await api.call("DELETE", "/v1/keys/\(id)").status == 204)
        try await api.call("GET", "/v1/me", with: key).expectProblem(.invalidKey)
        let acts = try await api.acts()
        #expect(acts.prefix(2).map { $0["act"]?.text } == ["key.revoked", "key.created"])
        #expect(acts[0]["actor"]?.text == "key 1")
        #expect(acts[0]["subject"]?.text == "\(id)")
        #expect(acts[0]["before"]?["revoked_at"] == nil)
        #expect(acts[0]["after"]?["revoked_at"]?.text != nil)
        #expect(acts[1]["after"]?["label"]?.text == "shop")
        let everything = try await api.call("GET", "/v1/audit").text
        #expect(!everything.contains(key) && !everything.contains("sha256"))
    }

    @Test func `refuse keys that are none, and those of others`() async throws {
        let api = try await PostgresAPI.make()
        let errors = try await api.call(
            "POST", "/v1/keys",
            #"{"scopes":["everything"],"label":"a\nb","expiresAt":"2001-01-01T00:00:00Z"}"#)
        try errors.expectProblem(
            .invalidKeyRequest, pointers: ["/scopes", "/label", "/expiresAt"])
        // A slip must not give a key that never ends.
        let slips = try await api.call(
            "POST", "/v1/keys",
            #"{"scopes":["activities:read"],"expires":"2999-01-01T00:00:00Z","a/b":null}"#)
        let problem = try slips.expectProblem(
            .invalidKeyRequest, pointers: ["/expires", "/a~1b"])
        #expect(
            problem["errors"]?.elements.first?["detail"]?.text
                == "There is no member `expires`; there is `scopes`, `label`, `expiresAt`.")
        try await api.store.tenants.addKey(api.tenant, PostgresAPI.hash("boss"), [.admin])
        try await api.call(
            "POST", "/v1/keys", #"{"scopes":["tenants:manage"]}"#, with: "boss"
        ).expectProblem(.invalidKeyRequest)
        try await api.call("DELETE", "/v1/keys/1").expectProblem(.keyConflict)
        let other = try await api.store.tenants.ensure("other").id
        let theirs = try #require(
            try await api.store.tenants.createKey(
                NewAPIKey(tenant: other, sha256: PostgresAPI.hash("theirs"), scopes: [.admin])))
        for id in ["\(theirs)", "0", "x", "99999999999999999999"] {
            try await api.call("DELETE", "/v1/keys/\(id)").expectProblem(.unknownKey)
        }
    }

    @Test func `page through keys, and make so many and no more`() async throws {
        let api = try await PostgresAPI.make()
        _ = try await api.database.pool.query(
            """
            INSERT INTO api_key (tenant, sha256, scopes)
            SELECT $1, sha256(n::text::bytea), '{events:write}' FROM generate_series(1, 999) n
            """, [.int4(api.tenant.rawValue)])
        #expect(try await api.call("GET", "/v1/keys").json()["keys"]?.elements.count == 50)
        var next: String? = "/v1/keys?limit=400"
        var (found, pages): ([Int64], Int) = ([], 0)
        while let path = next {
            let page = try await api.call("GET", path).json()
            found += page["keys"]?.elements.compactMap { $0["id"]?.wholeNumber } ?? []
            next = page["next"]?.text
            pages += 1
        }
        #expect(found.count == 1_000 && found == found.sorted() && pages == 3)
        let wish = #"{"scopes":["activities:read"]}"#
        try await api.call("POST", "/v1/keys", wish).expectProblem(.keyConflict)
        #expect(try await api.call("DELETE", "/v1/keys/\(found[999])").status == 204)
        #expect(try await api.call("POST", "/v1/keys", wish).status == 201)
    }

    @Test func `fold a blocked order once more, or without the event`() async throws {
        let api = try await PostgresAPI.make()
        try await api.block("order-1")
        let list = try await api.call("GET", "/v1/parked-events?activity=order-1").json()
        let position = try #require(
            list["parkedEvents"]?.elements.first?["position"]?.wholeNumber)
        let retried = try await api.call("POST", "/v1/parked-events/\(position)/retry")
        #expect(try retried.json()["released"] == .integer(1), "\(retried.text)")
        #expect(try await api.call("GET", "/v1/parked-events").json()["parkedEvents"] == .array([]))
        try await api.block("order-2")
        let next = position + 1
        let skipped = try await api.call("POST", "/v1/parked-events/\(next)/skip")
        #expect(try skipped.json()["remaining"] == .integer(0), "\(skipped.text)")
        for target in ["\(next)/skip", "\(next)/retry", "0/skip", "x/retry", "999/retry"] {
            try await api.call("POST", "/v1/parked-events/\(target)")
                .expectProblem(.unknownParkedEvent)
        }
        let acts = try await api.acts()
        #expect(acts.prefix(2).map { $0["act"]?.text } == ["event.skipped", "activity.retried"])
        #expect(acts[0]["after"]?["activity_id"]?.text == "order-2")
    }

    @Test func `list what waits without what was skipped`() async throws {
        let api = try await PostgresAPI.make()
        for order in ["order-1", "order-2", "order-3"] { try await api.block(order) }
        for position in 1...2 {
            #expect(try await api.call("POST", "/v1/parked-events/\(position)/skip").status == 200)
        }
        for (query, positions) in [
            ("", [1, 2, 3]), ("?skipped=false", [3]), ("?skipped=true", [1, 2]),
            ("?skipped=true&activity=order-2", [2]), ("?skipped=false&activity=order-2", []),
            ("?skipped=false&after=3", []),
        ] {
            let list = try await api.call("GET", "/v1/parked-events\(query)").json()
            let found = list["parkedEvents"]?.elements.compactMap { $0["position"]?.wholeNumber }
            #expect(found?.map { Int($0) } == positions, "\(query)")
        }
        let page = try await api.call("GET", "/v1/parked-events?skipped=true&limit=1").json()
        let rest = try await api.call("GET", try #require(page["next"]?.text)).json()
        #expect(rest["parkedEvents"]?.elements.count == 1)
        #expect(rest["next"]?.text == nil, "the next page is of the same list")
        try await api.call("GET", "/v1/parked-events?skipped=maybe")
            .expectProblem(.invalidParameter)
    }

    @Test func `skip no event that only waits behind the one that is wrong`() async throws {
        let api = try await PostgresAPI.make()
        try await api.place("order-1")
        try await api.park("order-1")
        let document = try await api.call("POST", "/v1/parked-events/3/skip")
            .expectProblem(.parkedEventConflict)
        #expect(document["detail"]?.text?.contains("position 2") == true)
        let skipped = try await api.call("POST", "/v1/parked-events/2/skip").json()
        #expect(skipped["released"] == .integer(1))
        #expect(skipped["remaining"] == .integer(0))
    }

    @Test func `create tenants and set what they may use`() async throws {
        let api = try await PostgresAPI.make()
        #expect(try await api.call("POST", "/v1/tenants", #"{"name":"bakery"}"#).status == 201)
        #expect(try await api.call("POST", "/v1/tenants", #"{"name":"bakery"}"#).status == 200)
        for name in ["", " ", #"\u202e"#, #"\u2066\ufff9"#] {
            try await api.call("POST", "/v1/tenants", #"{"name":"\#(name)"}"#)
                .expectProblem(.invalidTenant, pointers: ["/name"])
            let key = #"{"scopes":["activities:read"],"label":"\#(name)"}"#
            try await api.call("POST", "/v1/keys", key)
                .expectProblem(.invalidKeyRequest, pointers: ["/label"])
        }
        try await api.call("POST", "/v1/tenants", #"{"name":"bakery","limits":{}}"#)
            .expectProblem(.invalidTenant, pointers: ["/limits"])
        let set = try await api.call(
            "PUT", "/v1/tenants/bakery/limits", #"{"requestsPerSecond":50}"#)
        #expect(try set.json()["limits"]?["requestsPerSecond"] == .integer(50))
        try await api.call(
            "PUT", "/v1/tenants/bakery/limits", #"{"requestsPerSecond":0,"speed":1}"#
        ).expectProblem(.invalidTenant, pointers: ["/requestsPerSecond", "/speed"])
        try await api.call("PUT", "/v1/tenants/bakery/limits", #"{"bodyBytesMax":1023}"#)
            .expectProblem(.invalidTenant, pointers: ["/bodyBytesMax"])
        try await api.call("PUT", "/v1/tenants/nobody/limits", "{}").expectProblem(.unknownTenant)
        let names = try await api.call("GET", "/v1/tenants").json()["tenants"]?.elements
        #expect(names?.compactMap { $0["name"]?.text } == ["kitchen", "bakery"])
        let bakery = try await api.store.audit.list(
            try await api.store.tenants.ensure("bakery").id, nil, 10)
        #expect(bakery.map(\.act) == ["limits.set", "tenant.created"])
        #expect(bakery[0].actor == "key 1")
    }

    /// Of such a rate the next request makes millionths.
    @Test func `may give a tenant as much as a number can say, and the node lives on`() async throws
    {
        let api = try await PostgresAPI.make()
        let most = """
            {"requestsPerSecond":2147483647,"eventsPerSecond":2147483647,
             "bytesPerSecond":9007199254740991,"storedBytesMax":9007199254740991}
            """
        for _ in 0..<2 {
            let set = try await api.call("PUT", "/v1/tenants/kitchen/limits", most)
            #expect(try set.json()["limits"]?["bytesPerSecond"] == .integer(9_007_199_254_740_991))
        }
        #expect(try await api.call("GET", "/v1/tenants").status == 200)
    }

    @Test func `check, put and list versions of a policy, with what was before`() async throws {
        let api = try await PostgresAPI.make()
        let path = "/v1/policies/PizzaDelivery"
        let checked = try await api.call(
            "POST", "\(path)/check", #"{"thresholds":{"coalesceSeconds":20}}"#)
        #expect(checked.status == 200, "\(checked.text)")
        try await api.call("POST", "\(path)/check", #"{"thresholds":{"speed":1}}"#)
            .expectProblem(.invalidPolicy, pointers: ["/thresholds/speed"])
        #expect(try await api.call("GET", "\(path)/versions").json()["versions"] == .array([]))
        for seconds in [20, 30] {
            let put = try await api.call(
                "PUT", path, #"{"thresholds":{"coalesceSeconds":\#(seconds)}}"#)
            #expect(put.status == 201, "\(put.text)")
        }
        let versions = try await api.call("GET", "\(path)/versions").json()["versions"]?.elements
        #expect(versions?.map { $0["version"] } == [.integer(2), .integer(1)])
        let act = try await api.acts()[0]
        #expect(act["act"]?.text == "policy.put" && act["subject"]?.text == "PizzaDelivery")
        #expect(
            act["before"]?["document"]?["thresholds"]?["coalesceSeconds"]?.wholeNumber == 20)
        #expect(act["after"]?["document"]?["thresholds"]?["coalesceSeconds"]?.wholeNumber == 30)
    }

    @Test func `write down webhooks by their hosts, and show attempts without what is in them`()
        async throws
    {
        let api = try await PostgresAPI.make()
        let added = try await api.call(
            "POST", "/v1/webhooks", #"{"url":"https://shop.example/hook?token=hush"}"#)
        let id = try #require(try added.json()["id"]?.text)
        _ = try await api.call(
            "PUT", "/v1/webhooks/\(id)",
            #"{"url":"https://shop.example/hook?token=hush","enabled":false}"#)
        _ = try await api.database.pool.query(
            """
            INSERT INTO webhook_message (
                tenant, webhook_id, activity_id, after_version, version, attempts, first_tried_at,
                tried_at, retry_at, last_failure
            ) SELECT $1, $2, 'order-1', 1, 3, 2, now(), now(), now(), 'status 500'
            """, [.int4(api.tenant.rawValue), .text(id)])
        let attempts = try await api.call("GET", "/v1/webhooks/\(id)/attempts").json()
        let attempt = try #require(attempts["attempts"]?.elements.first)
        #expect(attempt["fromVersion"] == .integer(2) && attempt["version"] == .integer(3))
        #expect(attempt["body"]?["data"]?["contentState"]?.text == "…")
        #expect(try await api.call("DELETE", "/v1/webhooks/\(id)").status == 204)
        try await api.call("GET", "/v1/webhooks/\(id)/attempts").expectProblem(.unknownWebhook)
        let acts = try await api.acts()
        #expect(
            acts.prefix(4).map { $0["act"]?.text } == [
                "webhook.removed", "webhook.changed", "webhook.secret-made", "webhook.added",
            ])
        let text = try await api.call("GET", "/v1/audit").text
        #expect(text.contains(#""url": "shop.example""#) && !text.contains("hush"))
    }

    @Test func `show that the rest of a webhook's URL changed, and not what it is`() async throws {
        let api = try await PostgresAPI.make()
        let added = try await api.call(
            "POST", "/v1/webhooks", #"{"url":"https://shop.example/hook?token=hush"}"#)
        let id = try #require(try added.json()["id"]?.text)
        _ = try await api.call(
            "PUT", "/v1/webhooks/\(id)", #"{"url":"https://shop.example/hook?token=silent"}"#)
        let act = try await api.acts()[0]
        #expect(act["act"]?.text == "webhook.changed")
        let before = act["before"]?["url_digest"]?.text
        let after = act["after"]?["url_digest"]?.text
        #expect(before?.count == 8 && after?.count == 8 && before != after)
        let text = try await api.call("GET", "/v1/audit").text
        #expect(!text.contains("hush") && !text.contains("silent"))
    }

    @Test func `list apps, channels and nodes, and page through acts`() async throws {
        let api = try await PostgresAPI.make()
        #expect(try await api.call("GET", "/v1/apps").json()["keys"] == .array([]))
        #expect(try await api.call("GET", "/v1/nodes").status == 200)
        for order in 1...3 {
            let wanted = try await api.call(
                "PUT", "/v1/activities/order-\(order)/channels/com.example",
                #"{"environment":"sandbox"}"#)
            #expect(wanted.status == 201, "\(wanted.text)")
        }
        var next: String? = "/v1/channels?limit=2"
        var found: [String] = []
        while let path = next {
            let page = try await api.call("GET", path).json()
            found += page["channels"]?.elements.compactMap { $0["activity"]?.text } ?? []
            next = page["next"]?.text
        }
        #expect(found == ["order-1", "order-2", "order-3"])
        var pages = 0
        next = "/v1/audit?limit=1"
        while let path = next {
            next = try await api.call("GET", path).json()["next"]?.text
            pages += 1
        }
        #expect(pages == 2)
    }

    @Test func `try a policy on one order and on all of its kind, and change nothing`()
        async throws
    {
        let api = try await PostgresAPI.make()
        for order in 1...3 {
            try await api.place("order-\(order)")
            try await api.report(
                "DriverAssigned", "order-\(order)", #"{"driverName":"Ada"}"#)
        }
        try await api.fold()
        let before = try await api.database.contents(of: api.tenant, except: ["api_key"])
        let body = #"{"rules":{"driverAssigned":"timely"}}"#
        let path = "/v1/policies/PizzaDelivery/what-if"
        let one = try await api.call("POST", "\(path)?activity=order-1", body)
        #expect(one.status == 200, "\(one.text)")
        let alerts = try #require(try one.json()["shown"]?.elements.first?["alerts"])
        #expect(alerts["before"]?.elements.isEmpty == false, "\(one.text)")
        #expect(alerts["after"]?.elements.isEmpty == true, "\(one.text)")
        let all = try await api.call("POST", path, body).json()
        #expect(all["activities"] == .integer(3) && all["changes"]?["removed"] == .integer(3))
        #expect(all["next"] == nil)
        try await api.call("POST", "\(path)?activity=nobody", body).expectProblem(.unknownActivity)
        try await api.call("POST", path, #"{"rules":{"nothing":"timely"}}"#)
            .expectProblem(.invalidPolicy)
        try await api.call("POST", "\(path)?after=x", body).expectProblem(.invalidParameter)
        #expect(try await api.database.contents(of: api.tenant, except: ["api_key"]) == before)
    }

    @Test func `give figures of an hour in minutes`() async throws {
        let api = try await PostgresAPI.make()
        let minute = Moment(unixSeconds: 1_800_000_000 - 120)
        var counts = SeriesCounts([
            "events": 10, "alerts": 2, "begun": 1, "measured": 4, "onTime": 3,
            "verdict:alert": 2, "verdict:timely": 6, "answer:accepted": 5,
        ])
        for _ in 0..<99 { counts.add(latencySeconds: 0.05) }
        counts.add(latencySeconds: 2)
        try await api.store.series.add([
            SeriesRow(tenant: api.tenant, minute: minute, counts: counts)
        ])
        let series = try await api.call("GET", "/v1/series?span=hour").json()
        let points = try #require(series["points"]?.elements)
        #expect(points.count == 60 && series["stepSeconds"] == .integer(60))
        let point = points[57]
        #expect(point["at"]?.text == minute.rfc3339)
        #expect(point["events"] == .integer(10) && point["onTimeShare"] == .number("0.75"))
        #expect(point["alertShare"] == .number("0.25"))
        #expect(point["latencySeconds"]?["p50"].map { "\($0)".contains("0.05") } == true)
        #expect(points[56]["onTimeShare"] == nil && points[56]["events"] == .integer(0))
        #expect(points[56]["alertShare"] == nil)
        #expect(
            try await api.call("GET", "/v1/series?span=day").json()["points"]?.elements.count == 96)
        try await api.call("GET", "/v1/series?span=year").expectProblem(.invalidParameter)
    }

    @Test func `end what somebody signed in with, on every node, when their key is revoked`()
        async throws
    {
        let api = try await PostgresAPI.make()
        try await api.store.tenants.addKey(
            api.tenant, PostgresAPI.hash("reader"), [.activitiesRead])
        let other = api.anotherNode()
        func signIn() async throws -> String {
            let answer = try await api.call("POST", "/v1/session", with: "reader")
            return String(try #require(answer.header("set-cookie")).prefix { $0 != ";" })
        }
        func look(_ cookie: String) async throws -> Int {
            await other.handler(
                Request(method: "GET", target: "/v1/me", headers: ["cookie": cookie])
            ).status
        }
        let (one, two) = (try await signIn(), try await signIn())
        #expect(try await look(one) == 200)
        #expect(try await look(two) == 200)
        let everywhere = try await api.call("DELETE", "/v1/sessions", with: "reader")
        #expect(everywhere.status == 204)
        try await waitUntil { try await look(one) == 401 }
        try await waitUntil { try await look(two) == 401 }
        let three = try await signIn()
        #expect(try await look(three) == 200)
        _ = try await api.store.tenants.revokeKey(2)
        try await waitUntil { try await look(three) == 401 }
    }
}
