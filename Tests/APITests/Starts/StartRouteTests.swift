import Domain
import EventStore
import Foundation
import HTTP
import JSON
import Pipeline
import Postgres
import TestSupport
import Testing

@testable import API

private let token = String(repeating: "aB", count: 80)

private func body(topics: String = #"["team:ARG","customer:42"]"#, more: String = "") -> String {
    #"{"pushToken":"\#(token)","environment":"sandbox","bundleId":"com.example.pizza","#
        + #""topics":\#(topics)\#(more)}"#
}

private let path = "/v1/start-tokens/5e0c1b7a/Match"
private let audience = "/v1/activities/match-1/audience"

@Test func `a start token is put, shown without the token, and taken back`() async throws {
    let api = try await PostgresAPI.make()
    let remedy = "Check the installation and the kind, or put the token: that is harmless."
    try await api.call("GET", path).expectProblem(.unknownRegistration, remedy: remedy)
    let put = try await api.call("PUT", path, body(more: #","locale":"de","osMajor":18"#))
    #expect(put.status == 201)
    #expect(try put.json()["outcome"]?.text == "put")
    #expect(try await api.call("PUT", path, body()).status == 200)
    let shown = try await api.call("GET", path)
    #expect(!shown.text.lowercased().contains("abab"))
    guard case .array(let tokens) = try shown.json()["tokens"] else {
        Issue.record("no list")
        return
    }
    #expect(tokens.count == 1)
    #expect(tokens.first?["topics"] == .array(["customer:42", "team:ARG"]))
    #expect(tokens.first?["state"]?.text == "open")
    #expect(try await api.call("DELETE", path).json()["outcome"]?.text == "removed")
    try await api.call("DELETE", path).expectProblem(.unknownRegistration, remedy: remedy)
}

@Test func `every error of a start token is named at once`() async throws {
    let api = await Harness()
    func put(_ json: String, _ target: String = path) async throws -> Answer {
        try await api.call("PUT", target, key: "all", body: json, type: "application/json")
    }
    try await put("{}").expectProblem(
        .invalidRegistration, pointers: ["/pushToken", "/environment", "/bundleId", "/topics"])
    try await put(body(topics: "[]")).expectProblem(
        .invalidRegistration, pointers: ["/topics"])
    try await put(body(topics: #"["a:1","argentina",":x","a:",7]"#)).expectProblem(
        .invalidRegistration, pointers: ["/topics/1", "/topics/2", "/topics/3", "/topics/4"])
    for method in ["PUT", "GET", "DELETE"] {
        try await api.call(method, "/v1/start-tokens/phone/Chess").expectProblem(.unknownKind)
    }
    let long = String(repeating: "x", count: 101)
    try await put(body(), "/v1/start-tokens/\(long)/Match").expectProblem(.invalidParameter)
}

@Test func `an audience is put before its activity, shown with what came of it`() async throws {
    let api = try await PostgresAPI.make()
    try await api.call("GET", audience).expectProblem(.unknownAudience)
    let wish = #"{"topics":["team:ARG","team:FRA"],"notBefore":"2027-01-15T08:00:00Z"}"#
    #expect(try await api.call("PUT", audience, wish).status == 201)
    let again = try await api.call("PUT", audience, wish)
    #expect(again.status == 200)
    #expect(try again.json()["outcome"]?.text == "already-known")
    _ = try await api.call("PUT", path, body())
    let shown = try await api.call("GET", audience).json()
    #expect(shown["topics"] == .array(["team:ARG", "team:FRA"]))
    #expect(shown["notBefore"]?.text == "2027-01-15T08:00:00Z")
    #expect(shown["starts"]?["pending"] == .integer(1))
    #expect(shown["starts"]?["started"] == .integer(0))
    #expect(shown["progress"]?.text == "under-way")
    let other = try await api.call("PUT", audience, #"{"topics":["team:FRA"]}"#)
    #expect(try other.json()["outcome"]?.text == "replaced")
    #expect(try await api.call("GET", audience).json()["starts"]?["pending"] == .integer(0))
}

@Test func `an audience says which event its cards wait for, and which app is missing`()
    async throws
{
    let api = try await PostgresAPI.make()
    _ = try await api.call("PUT", path, body())
    _ = try await api.call("PUT", audience, #"{"topics":["team:ARG"]}"#)
    #expect(try await api.call("GET", audience).json()["awaits"]?.text == nil)
    let begun = NewEvent(
        id: "1", source: "/feed", type: "Match.PeriodStarted",
        activityID: ActivityID(rawValue: "match-1"), occurredAt: Moment(unixSeconds: 1_800_000_000),
        data: Data(#"{"period":"firstHalf"}"#.utf8))
    _ = try await api.store.log.append(api.tenant, [begun])
    while try await api.store.projections.foldNext(nil, 100, BatchFolder.fold) != nil {}
    let waits = try await api.call("GET", audience).json()
    #expect(waits["awaits"]?.text == "Match.MatchScheduled")
    _ = try await api.database.pool.query(
        """
        INSERT INTO card_start (
            tenant, activity_id, device_id, state, due_at, reason, put_version
        )
        SELECT tenant, 'match-1', id, 'waiting', 'epoch', 'no-app', 1 FROM start_device
        ON CONFLICT (tenant, activity_id, device_id, lap) DO UPDATE SET reason = 'no-app'
        """)
    let stopped = try await api.call("GET", audience).json()
    #expect(stopped["starts"]?["pending"] == .integer(0))
    #expect(stopped["starts"]?["waiting"] == .integer(1))
    let app = stopped["waiting"]?.elements.first
    #expect(app?["bundleId"]?.text == "com.example.pizza")
    #expect(app?["environment"]?.text == "sandbox")
    #expect(app?["hold"]?.text == "no-app")
    #expect(app?["starts"] == .integer(1))
    let overview = try await api.call("GET", "/v1/overview").json()
    #expect(overview["apps"]?["waiting"]?.elements.first?["starts"] == .integer(1))
}

@Test func `every error of an audience is named at once`() async throws {
    let api = await Harness()
    let answer = try await api.call(
        "PUT", audience, key: "all",
        body: #"{"topics":["x"],"notBefore":"tomorrow","not_before":"2027-01-15T08:00:00Z"}"#,
        type: "application/json")
    try answer.expectProblem(
        .invalidAudience, pointers: ["/topics/0", "/notBefore", "/not_before"])
}

@Test(arguments: [
    ("team:ARG", true), ("a:b:c", true), ("x.y-z_1:ü", true), ("team:", false), (":x", false),
    ("team", false), ("te am:x", false), ("a:\u{7}", false), ("", false),
])
func `a topic has a name and a value`(text: String, isFine: Bool) {
    #expect((AudienceTopic(rawValue: text) != nil) == isFine)
}
