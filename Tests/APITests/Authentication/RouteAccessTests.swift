import Domain
import EventStore
import Foundation
import HTTP
import JSON
import Pipeline
import TLS
import TestSupport
import Testing

@testable import API

/// How to try a keyed route: on an activity that only the tenant `mine` has.
private struct Probe: Sendable {
    var target: String
    var body = ""
    /// Whether a tenant's data come back.
    var reads = true
    /// For a key of the tenant that has the activity.
    var own: Set<Int> = [200]
    /// For a key of another tenant with the same scope.
    var other: Set<Int> = [404]
}

/// Every keyed route. A route without an entry fails the tests: nobody has thought of its tenants.
private let probes: [String: Probe] = [
    "POST /v1/events": Probe(
        target: "/v1/events", body: SampleEvents.assigned("order-1", driver: secret),
        reads: false, own: [200], other: [200, 201]),
    "GET /v1/events": Probe(target: "/v1/events", other: [200]),
    "GET /v1/events/stream": Probe(target: "/v1/events/stream", other: [200]),
    "GET /v1/activities": Probe(target: "/v1/activities", other: [200]),
    "GET /v1/activities/{id}": Probe(target: "/v1/activities/order-1"),
    "GET /v1/activities/{id}/decisions": Probe(target: "/v1/activities/order-1/decisions"),
    "GET /v1/activities/{id}/events": Probe(target: "/v1/activities/order-1/events"),
    "GET /v1/activities/{id}/why": Probe(target: "/v1/activities/order-1/why?version=2"),
    "GET /v1/activities/{id}/state": Probe(target: "/v1/activities/order-1/state?version=2"),
    "GET /v1/activities/{id}/payload": Probe(target: "/v1/activities/order-1/payload?version=2"),
    // No phone has registered; BoardTests have what the answer says of phones.
    "GET /v1/activities/{id}/phones": Probe(
        target: "/v1/activities/order-1/phones", reads: false),
    "GET /v1/board": Probe(target: "/v1/board", other: [200]),
    // Figures only.
    "GET /v1/attention": Probe(target: "/v1/attention", reads: false, other: [200]),
    "GET /v1/me": Probe(target: "/v1/me", reads: false, other: [200]),
    "GET /v1/scoreboard": Probe(target: "/v1/scoreboard?competition=Cup", other: [200]),
    // Figures only; that they are of one tenant is tested with them.
    "GET /v1/overview": Probe(target: "/v1/overview", reads: false, other: [200]),
    "POST /v1/activities/{id}/registrations": Probe(
        target: "/v1/activities/order-1/registrations",
        body: """
            {"pushToken":"\(String(repeating: "cd", count: 32))","environment":"sandbox",\
            "bundleId":"com.example.pizza"}
            """, reads: false, own: [200, 201], other: [200, 201]),
    // There is no such phone, for the tenant that has the activity either.
    "POST /v1/activities/{id}/registrations/rotation": Probe(
        target: "/v1/activities/order-1/registrations/rotation",
        body: #"{"from":"\#(token)","to":"\#(token)ab"}"#, reads: false, own: [404]),
    "POST /v1/activities/{id}/registrations/report": Probe(
        target: "/v1/activities/order-1/registrations/report",
        body: #"{"pushToken":"\#(token)","state":"dismissed"}"#, reads: false, own: [404]),
    "POST /v1/activities/{id}/registrations/removal": Probe(
        target: "/v1/activities/order-1/registrations/removal",
        body: #"{"pushToken":"\#(token)"}"#, reads: false, own: [404]),
    "PUT /v1/activities/{id}/channels/{bundleId}": Probe(
        target: "/v1/activities/order-1/channels/com.example.pizza",
        body: #"{"environment":"sandbox"}"#, reads: false, own: [200, 201], other: [200, 201]),
    "GET /v1/activities/{id}/channels/{bundleId}": Probe(
        target: "/v1/activities/order-1/channels/com.example.pizza", reads: false, other: [200]),
    // There is no channel, and nothing of the activity comes back.
    "POST /v1/activities/{id}/channel": Probe(
        target: "/v1/activities/order-1/channel",
        body: """
            {"bundleId":"com.example.pizza","environment":"sandbox","installation":"one",\
            "osMajor":18}
            """, reads: false, other: [200]),
    "POST /v1/activities/{id}/tickets": Probe(
        target: "/v1/activities/order-1/tickets", body: "{}", reads: false, own: [201],
        other: [201]),
    // Nobody has put any; what is found is in StartRouteTests.
    "GET /v1/activities/{id}/audience": Probe(
        target: "/v1/activities/order-1/audience", reads: false, own: [404]),
    "PUT /v1/activities/{id}/audience": Probe(
        target: "/v1/activities/order-1/audience", body: #"{"topics":["customer:42"]}"#,
        reads: false, own: [200, 201], other: [200, 201]),
    "GET /v1/start-tokens/{installation}/{kind}": Probe(
        target: "/v1/start-tokens/phone-1/Match", reads: false, own: [404]),
    "PUT /v1/start-tokens/{installation}/{kind}": Probe(
        target: "/v1/start-tokens/phone-1/Match",
        body: """
            {"pushToken":"\(token)","environment":"sandbox","bundleId":"com.example.pizza",\
            "topics":["customer:42"]}
            """, reads: false, own: [200, 201], other: [200, 201]),
    "DELETE /v1/start-tokens/{installation}/{kind}": Probe(
        target: "/v1/start-tokens/phone-1/Match", reads: false, own: [404]),
    // The built-in policies are everybody's; a tenant's own are in PolicyRouteTests.
    "GET /v1/policies": Probe(target: "/v1/policies", reads: false, other: [200]),
    "GET /v1/policies/{kind}": Probe(
        target: "/v1/policies/Match", reads: false, other: [200]),
    "GET /v1/policies/{kind}/strings": Probe(
        target: "/v1/policies/Match/strings", reads: false, other: [200]),
    "PUT /v1/policies/{kind}": Probe(
        target: "/v1/policies/Match", body: "{}", reads: false, own: [200, 201],
        other: [200, 201]),
    // What is found is in WebhookRouteTests: here is no master key.
    "GET /v1/webhooks": Probe(target: "/v1/webhooks", reads: false, other: [200]),
    "POST /v1/webhooks": Probe(
        target: "/v1/webhooks", body: #"{"url":"https://shop.example"}"#, reads: false,
        own: [409], other: [409]),
    "GET /v1/webhooks/{webhookId}": Probe(
        target: "/v1/webhooks/wh_1", reads: false, own: [404]),
    "PUT /v1/webhooks/{webhookId}": Probe(
        target: "/v1/webhooks/wh_1", body: #"{"url":"https://shop.example"}"#, reads: false,
        own: [409], other: [409]),
    "DELETE /v1/webhooks/{webhookId}": Probe(
        target: "/v1/webhooks/wh_1", reads: false, own: [404]),
    "POST /v1/webhooks/{webhookId}/secret": Probe(
        target: "/v1/webhooks/wh_1/secret", body: "{}", reads: false, own: [409], other: [409]),
    "POST /v1/webhooks/{webhookId}/test": Probe(
        target: "/v1/webhooks/wh_1/test", reads: false, own: [409], other: [409]),
    // Nothing was given up; what is found is in DeadLetterTests.
    "GET /v1/dead-letters": Probe(target: "/v1/dead-letters", reads: false, other: [200]),
    "POST /v1/dead-letters/{letterId}/retry": Probe(
        target: "/v1/dead-letters/push-1/retry", reads: false, own: [404]),
    "DELETE /v1/dead-letters/{letterId}": Probe(
        target: "/v1/dead-letters/push-1", reads: false, own: [404]),
    "GET /v1/stream": Probe(target: "/v1/stream", other: [200]),
    // Of the key that asks alone.
    "POST /v1/session": Probe(target: "/v1/session", reads: false, own: [201], other: [201]),
    "DELETE /v1/session": Probe(target: "/v1/session", reads: false, own: [204], other: [204]),
    "DELETE /v1/sessions": Probe(target: "/v1/sessions", reads: false, own: [204], other: [204]),
    // What is found is in OperatorRouteTests, and so for those that follow.
    "GET /v1/keys": Probe(target: "/v1/keys", reads: false, other: [200]),
    "POST /v1/keys": Probe(
        target: "/v1/keys", body: #"{"scopes":["activities:read"]}"#, reads: false, own: [201],
        other: [201]),
    "DELETE /v1/keys/{keyId}": Probe(target: "/v1/keys/1", reads: false, own: [204]),
    "GET /v1/apps": Probe(target: "/v1/apps", reads: false, other: [200]),
    "GET /v1/nodes": Probe(target: "/v1/nodes", reads: false, other: [200]),
    "GET /v1/audit": Probe(target: "/v1/audit", reads: false, other: [200]),
    "GET /v1/parked-events": Probe(target: "/v1/parked-events", reads: false, other: [200]),
    "POST /v1/parked-events/{position}/retry": Probe(
        target: "/v1/parked-events/1/retry", reads: false, own: [404]),
    "POST /v1/parked-events/{position}/skip": Probe(
        target: "/v1/parked-events/1/skip", reads: false, own: [404]),
    // For the people who run the installation, with a key of any tenant.
    "GET /v1/tenants": Probe(target: "/v1/tenants", reads: false, other: [200]),
    "POST /v1/tenants": Probe(
        target: "/v1/tenants", body: #"{"name":"mine"}"#, reads: false, other: [200]),
    "PUT /v1/tenants/{tenant}/limits": Probe(
        target: "/v1/tenants/nobody/limits", body: "{}", reads: false, own: [404]),
    "GET /v1/channels": Probe(target: "/v1/channels", reads: false, other: [200]),
    "GET /v1/webhooks/{webhookId}/attempts": Probe(
        target: "/v1/webhooks/wh_1/attempts", reads: false, own: [404]),
    "GET /v1/policies/{kind}/versions": Probe(
        target: "/v1/policies/Match/versions", reads: false, other: [200]),
    "POST /v1/policies/{kind}/check": Probe(
        target: "/v1/policies/Match/check", body: "{}", reads: false, other: [200]),
    // There is nothing to try it with here.
    "POST /v1/policies/{kind}/what-if": Probe(
        target: "/v1/policies/PizzaDelivery/what-if?activity=order-1", body: "{}"),
    "GET /v1/series": Probe(target: "/v1/series", reads: false, other: [200]),
]

/// Routes that answer anybody, and nothing of any tenant.
private let openRoutes: Set = [
    "GET /livez", "GET /readyz", "GET /healthz", "GET /", "GET /dashboard",
    "GET /dashboard/{asset}", "GET /docs", "GET /docs/{asset}", "GET /openapi.json",
    "GET /problems/{name}", "GET /v1/schemas", "GET /v1/schemas/{type}",
]

private let token = String(repeating: "ef", count: 32)

/// Stands in the data of `mine` and nowhere else.
private let secret = "Secret-Ada"

private struct KeyedRoute: Sendable, CustomTestStringConvertible {
    var name: String
    var scope: Scope
    var isTicketed: Bool

    var testDescription: String { name }
}

private func routeTable() -> [Route] {
    API.routes(
        store: FakeStore().store,
        environment: APIEnvironment(
            now: { Moment(unixSeconds: 0) }, version: "test"))
}

private func keyedRoutes() -> [KeyedRoute] {
    routeTable().compactMap { route in
        switch route.action {
        case .open: nil
        case .keyed(let scope, let isTicketed, _):
            KeyedRoute(
                name: "\(route.method.rawValue) \(route.path)", scope: scope,
                isTicketed: isTicketed)
        }
    }
}

/// The API over the real store with two tenants, of whom one has an activity, and a key for each
/// tenant and scope.
private struct TwoTenantAPI {
    let database: TestDatabase
    let handler: Handler
    let mine: TenantID
    let theirs: TenantID

    static func make(_ database: TestDatabase) async throws -> TwoTenantAPI {
        let store = database.store
        let mine = try await store.tenants.ensure("mine").id
        let theirs = try await store.tenants.ensure("theirs").id
        for (name, tenant) in [("mine", mine), ("theirs", theirs)] {
            for scope in Scope.allCases {
                try await store.tenants.addKey(tenant, hash("\(name).\(scope.rawValue)"), [scope])
            }
        }
        var limits = APILimits.standard
        (limits.streamPollSeconds, limits.streamHeartbeatSeconds) = (0.02, 0.1)
        let handler = API.service(
            store: store,
            environment: APIEnvironment(
                now: { Moment(unixSeconds: 1_800_000_000) },
                version: "test", limits: limits,
                report: { error, doing in Issue.record("\(doing): \(error)") })
        ).handler
        let api = TwoTenantAPI(database: database, handler: handler, mine: mine, theirs: theirs)
        let events = [
            SampleEvents.placed("order-1"), SampleEvents.assigned("order-1", driver: secret),
            SampleEvents.scheduled("match-1", home: secret, competition: "Cup"),
            SampleEvents.kickedOff("match-1"),
        ]
        let body = "[\(events.joined(separator: ","))]"
        let posted = try await api.call("POST /v1/events", "/v1/events", body, "mine", .admin)
        #expect(posted.status == 201)
        while try await store.projections.foldNext(nil, 100, BatchFolder.fold) != nil {}
        return api
    }

    static func hash(_ key: String) -> [UInt8] { SHA256.hash(Array(key.utf8)) }

    func call(
        _ route: String, _ target: String, _ body: String, _ tenant: String, _ scope: Scope
    ) async throws -> (status: Int, text: String) {
        try await call(route, target, body, bearer: "\(tenant).\(scope.rawValue)")
    }

    /// - Parameter bearer: a key or a ticket.
    func call(
        _ route: String, _ target: String, _ body: String, bearer: String
    ) async throws -> (status: Int, text: String) {
        let method = String(route.prefix { $0 != " " })
        let request = Request(
            method: method, target: target,
            headers: [
                "authorization": "Bearer \(bearer)",
                "content-type": "application/json",
            ], body: Array(body.utf8))
        let answer = Answer(response: await handler(request))
        try OpenAPIDocument.shipped.expectDocumented(answer, method, String(request.path))
        guard case .stream(let chunks) = answer.response.body else {
            return (answer.status, answer.text)
        }
        var text = ""
        for await chunk in chunks {
            text += String(decoding: chunk, as: UTF8.self)
            if text.contains("event: ready") || text.contains(": alive") { break }
        }
        return (answer.status, text)
    }
}

extension [String] {
    /// That a key was used is noted beside it.
    fileprivate var withoutKeys: [String] { filter { !$0.hasPrefix("api_key:") } }
}

@Suite(.timeLimit(.minutes(3)))
struct `Every route` {
    @Test func `is known to these tests`() {
        let table = routeTable()
        let open = table.filter { if case .open = $0.action { true } else { false } }
        #expect(Set(open.map { "\($0.method.rawValue) \($0.path)" }) == openRoutes)
        #expect(Set(keyedRoutes().map(\.name)) == Set(probes.keys))
    }

    @Test(arguments: keyedRoutes(), [false, true])
    fileprivate func `opens to its scope and admin only, and to each tenant its own data only`(
        route: KeyedRoute, isOrdinaryUser: Bool
    ) async throws {
        let probe = try #require(probes[route.name], "give \(route.name) a probe")
        let database =
            isOrdinaryUser
            ? try await TestDatabase.makeForOrdinaryUser(entersTenantRole: false)
            : try await TestDatabase.make()
        let api = try await TwoTenantAPI.make(database)
        let allowed = Scope.allCases.filter {
            $0 == route.scope || ($0 == .admin && route.scope != .tenants)
        }
        let refused = Scope.allCases.filter { !allowed.contains($0) }
        func call(_ tenant: String, _ scope: Scope) async throws -> (status: Int, text: String) {
            try await api.call(route.name, probe.target, probe.body, tenant, scope)
        }
        let before = try await database.contents(of: api.mine)
        for scope in Scope.allCases {
            let other = try await call("theirs", scope)
            #expect(!other.text.contains(secret), "\(scope)")
            let isAllowed = allowed.contains(scope)
            #expect(isAllowed ? probe.other.contains(other.status) : other.status == 403)
        }
        #expect(try await database.contents(of: api.mine) == before)
        for scope in refused {
            let own = try await call("mine", scope)
            #expect(own.status == 403)
            #expect(!own.text.contains(secret), "\(own.text)")
        }
        #expect(try await database.contents(of: api.mine).withoutKeys == before.withoutKeys)
        for scope in allowed {
            let own = try await call("mine", scope)
            #expect(probe.own.contains(own.status))
            #expect(own.text.contains(secret) == probe.reads, "\(own.text)")
        }
    }

    /// Tickets of both tenants for an activity of the same name, which only `mine` has.
    @Test(arguments: keyedRoutes())
    fileprivate func
        `opens to a ticket for its activity if it is a phone's business, and to no other`(
            route: KeyedRoute
        ) async throws
    {
        let probe = try #require(probes[route.name], "give \(route.name) a probe")
        let api = try await TwoTenantAPI.make(try await TestDatabase.make())
        func ticket(_ tenant: String, _ activity: String) async throws -> String {
            let minted = try await api.call(
                "POST /", "/v1/activities/\(activity)/tickets", "{}", tenant, .admin)
            return try #require(try JSONParser.parse(Array(minted.text.utf8))["ticket"]?.text)
        }
        let before = try await api.database.contents(of: api.mine, except: ["ticket_secret"])
        func call(_ bearer: String) async throws -> (status: Int, text: String) {
            try await api.call(route.name, probe.target, probe.body, bearer: bearer)
        }
        let elsewhere = try await call(try await ticket("mine", "order-2"))
        #expect(elsewhere.status == 403)
        #expect(!elsewhere.text.contains(secret))
        let other = try await call(try await ticket("theirs", "order-1"))
        #expect(route.isTicketed ? probe.other.contains(other.status) : other.status == 403)
        #expect(!other.text.contains(secret))
        let after = try await api.database.contents(
            of: api.mine, except: ["ticket_secret", "api_key"])
        #expect(after == before.withoutKeys)
        let own = try await call(try await ticket("mine", "order-1"))
        #expect(route.isTicketed ? probe.own.contains(own.status) : own.status == 403)
        #expect(own.text.contains(secret) == (route.isTicketed && probe.reads), "\(own.text)")
    }
}
