import Domain
import EventStore
import HTTP
import JSON
import TestSupport
import Testing

@testable import API

private let keyedCalls: [(method: String, target: String, scope: Scope)] = [
    ("POST", "/v1/events", .eventsWrite),
    ("GET", "/v1/events", .activitiesRead),
    ("GET", "/v1/events/stream", .activitiesRead),
    ("GET", "/v1/activities", .activitiesRead),
    ("GET", "/v1/activities/o-1", .activitiesRead),
    ("GET", "/v1/activities/o-1/decisions", .activitiesRead),
    ("GET", "/v1/activities/o-1/why", .activitiesRead),
    ("GET", "/v1/activities/o-1/events", .activitiesRead),
    ("GET", "/v1/activities/o-1/state", .activitiesRead),
    ("GET", "/v1/overview", .activitiesRead),
    ("GET", "/v1/scoreboard", .activitiesRead),
    ("GET", "/v1/policies", .activitiesRead),
    ("GET", "/v1/policies/Match", .activitiesRead),
    ("GET", "/v1/policies/Match/strings", .activitiesRead),
    ("PUT", "/v1/policies/Match", .admin),
    ("POST", "/v1/activities/o-1/registrations", .registrationsWrite),
    ("POST", "/v1/activities/o-1/registrations/rotation", .registrationsWrite),
    ("POST", "/v1/activities/o-1/registrations/report", .registrationsWrite),
    ("POST", "/v1/activities/o-1/registrations/removal", .registrationsWrite),
    ("PUT", "/v1/activities/o-1/channels/com.example", .registrationsWrite),
    ("GET", "/v1/activities/o-1/channels/com.example", .activitiesRead),
    ("POST", "/v1/activities/o-1/channel", .registrationsWrite),
    ("POST", "/v1/activities/o-1/tickets", .registrationsWrite),
    ("GET", "/v1/activities/o-1/audience", .activitiesRead),
    ("PUT", "/v1/activities/o-1/audience", .registrationsWrite),
    ("GET", "/v1/start-tokens/phone-1/Match", .registrationsWrite),
    ("PUT", "/v1/start-tokens/phone-1/Match", .registrationsWrite),
    ("DELETE", "/v1/start-tokens/phone-1/Match", .registrationsWrite),
    ("GET", "/v1/webhooks", .admin),
    ("POST", "/v1/webhooks", .admin),
    ("GET", "/v1/webhooks/wh_1", .admin),
    ("PUT", "/v1/webhooks/wh_1", .admin),
    ("DELETE", "/v1/webhooks/wh_1", .admin),
    ("POST", "/v1/webhooks/wh_1/secret", .admin),
    ("POST", "/v1/webhooks/wh_1/test", .admin),
    ("GET", "/v1/dead-letters", .activitiesRead),
    ("POST", "/v1/dead-letters/push-1/retry", .admin),
    ("DELETE", "/v1/dead-letters/push-1", .admin),
    ("GET", "/v1/stream", .activitiesRead),
    ("GET", "/v1/board", .activitiesRead),
    ("GET", "/v1/attention", .activitiesRead),
    ("GET", "/v1/me", .activitiesRead),
    ("GET", "/v1/activities/o-1/payload", .activitiesRead),
    ("POST", "/v1/session", .activitiesRead),
    ("DELETE", "/v1/session", .activitiesRead),
    ("DELETE", "/v1/sessions", .activitiesRead),
    ("GET", "/v1/keys", .admin),
    ("POST", "/v1/keys", .admin),
    ("DELETE", "/v1/keys/4711", .admin),
    ("GET", "/v1/apps", .activitiesRead),
    ("GET", "/v1/nodes", .activitiesRead),
    ("GET", "/v1/audit", .admin),
    ("GET", "/v1/parked-events", .activitiesRead),
    ("POST", "/v1/parked-events/17/retry", .admin),
    ("POST", "/v1/parked-events/17/skip", .admin),
    ("GET", "/v1/tenants", .tenants),
    ("POST", "/v1/tenants", .tenants),
    ("PUT", "/v1/tenants/acme/limits", .tenants),
    ("GET", "/v1/channels", .activitiesRead),
    ("GET", "/v1/webhooks/wh_1/attempts", .admin),
    ("GET", "/v1/policies/Match/versions", .activitiesRead),
    ("POST", "/v1/policies/Match/check", .admin),
    ("POST", "/v1/policies/Match/what-if", .activitiesRead),
    ("GET", "/v1/series", .activitiesRead),
    ("GET", "/v1/activities/o-1/phones", .activitiesRead),
]

@Test func `the list of keyed calls above is complete`() async {
    let routes = API.routes(
        store: FakeStore().store,
        environment: APIEnvironment(
            now: { Moment(unixSeconds: 0) }, version: "test"))
    let keyed = routes.compactMap { route -> String? in
        switch route.action {
        case .open: nil
        case .keyed(let scope, _, _):
            "\(route.method.rawValue) \(route.path) \(scope.rawValue)"
        }
    }
    let listed = keyedCalls.map {
        let template = $0.target.replacing("o-1", with: "{id}")
            .replacing("Match", with: "{kind}").replacing("phone-1", with: "{installation}")
            .replacing("com.example", with: "{bundleId}")
            .replacing("wh_1", with: "{webhookId}").replacing("push-1", with: "{letterId}")
            .replacing("4711", with: "{keyId}").replacing("/17/", with: "/{position}/")
            .replacing("acme", with: "{tenant}")
        return "\($0.method) \(template) \($0.scope.rawValue)"
    }
    #expect(keyed.sorted() == listed.sorted())
}

@Test(arguments: keyedCalls)
func `a call without a key is refused`(method: String, target: String, scope: Scope) async throws {
    let api = await Harness()
    let answer = try await api.call(method, target, key: nil, body: "{}", type: "application/json")
    try answer.expectProblem(.missingKey)
    #expect(answer.header("www-authenticate") == #"Bearer realm="islet""#)
}

@Test(arguments: keyedCalls)
func `a key that nobody has is refused and not repeated`(
    method: String, target: String, scope: Scope
) async throws {
    let api = await Harness()
    let answer = try await api.call(
        method, target, key: "guessed-key", body: "{}", type: "application/json")
    try answer.expectProblem(.invalidKey)
    #expect(answer.header("www-authenticate")?.contains("invalid_token") == true)
    #expect(!answer.text.contains("guessed"))
}

@Test(arguments: keyedCalls)
func `a key without the scope is refused and the scope named`(
    method: String, target: String, scope: Scope
) async throws {
    let api = await Harness()
    for other in Scope.allCases where other != scope && other != .admin {
        let answer = try await api.call(
            method, target, key: "only-\(other.rawValue)", body: "{}", type: "application/json")
        let document = try answer.expectProblem(.missingScope)
        #expect(document["detail"]?.text?.contains(scope.rawValue) == true)
        #expect(answer.header("www-authenticate")?.contains("insufficient_scope") == true)
    }
}

@Test(arguments: keyedCalls)
func `the scope alone opens the route, and so does admin`(
    method: String, target: String, scope: Scope
) async throws {
    let api = await Harness()
    for key in ["only-\(scope.rawValue)", scope == .tenants ? "only-tenants:manage" : "admin"] {
        let answer = try await api.call(
            method, target, key: key, body: "{}", type: "application/json")
        #expect(![401, 403].contains(answer.status))
    }
}

@Test(arguments: ["all", "Basic all", "Bearer", "Bearer a b", "bearer", ""])
func `an Authorization header of another form is refused`(value: String) async throws {
    let api = await Harness()
    let answer = try await api.call(
        "GET", "/v1/activities", key: nil, headers: [("authorization", value)])
    try answer.expectProblem(.invalidKey)
}

@Test func `two Authorization headers are refused`() async throws {
    let api = await Harness()
    let answer = try await api.call(
        "GET", "/v1/activities", headers: [("authorization", "Bearer theirs")])
    try answer.expectProblem(.invalidKey)
}

@Test func `the scheme is read in any case`() async throws {
    let api = await Harness()
    let answer = try await api.call(
        "GET", "/v1/activities", key: nil, headers: [("authorization", "bEARER all")])
    #expect(answer.status == 200)
}

@Test(.timeLimit(.minutes(1)))
func `a key is looked up once and then remembered for a few seconds only`() async throws {
    let api = await Harness()
    try await api.waitUntilKeysAreRemembered()
    let lookups = await api.fake.grantLookups
    for _ in 0..<5 { #expect(try await api.get("/v1/activities").status == 200) }
    #expect(await api.fake.grantLookups == lookups)
    await api.revoke("all")
    api.time.value = api.time.value.adding(seconds: APILimits.standard.keyCacheSeconds)
    try await api.get("/v1/activities").expectProblem(.invalidKey)
}

@Test(.timeLimit(.minutes(1)))
func `a key opens nothing any more once its revocation is announced`() async throws {
    let api = await Harness()
    try await api.waitUntilKeysAreRemembered()
    await api.fake.grant(
        "all",
        KeyGrant(
            tenant: Tenant(id: Harness.mine, name: "t1"), scopes: [.admin],
            revokedAt: Moment(unixSeconds: 1)))
    #expect(try await api.get("/v1/activities").status == 200)
    api.fake.tell(.happened(.keysChanged, Harness.mine))
    try await waitUntil { try await api.get("/v1/activities").status != 200 }
    let document = try await api.get("/v1/activities").expectProblem(.invalidKey)
    #expect(document["detail"]?.text == "This API key was revoked.")
}

@Test(.timeLimit(.minutes(1)))
func `every request asks the store while its changes cannot be heard`() async throws {
    let api = await Harness()
    try await api.waitUntilKeysAreRemembered()
    api.fake.tell(.lost)
    let before = await api.fake.grantLookups
    try await waitUntil {
        _ = try await api.get("/v1/activities")
        return await api.fake.grantLookups != before
    }
    await api.revoke("all")
    try await api.get("/v1/activities").expectProblem(.invalidKey)
}

@Test func `a key that has expired says so and when, without asking the store`() async throws {
    let api = await Harness()
    let end = api.time.value.adding(seconds: 2)
    await api.fake.grant(
        "short",
        KeyGrant(
            tenant: Tenant(id: Harness.mine, name: "t1"), scopes: [.admin], expiresAt: end))
    #expect(try await api.get("/v1/activities", key: "short").status == 200)
    api.time.value = end
    let answer = try await api.get("/v1/activities", key: "short")
    let document = try answer.expectProblem(.expiredKey)
    #expect(document["detail"]?.text == "This API key expired at \(end.rfc3339).")
    #expect(answer.header("www-authenticate")?.contains("invalid_token") == true)
}

@Test func `an oversized key is refused before it is hashed`() async throws {
    let api = await Harness()
    let answer = try await api.get("/v1/activities", key: String(repeating: "k", count: 201))
    try answer.expectProblem(.invalidKey)
    #expect(await api.fake.grantLookups == 0)
}
