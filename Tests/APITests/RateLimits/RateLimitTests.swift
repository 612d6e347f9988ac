import Domain
import EventStore
import Foundation
import HTTP
import JSON
import TestSupport
import Testing

@testable import API

private func harness(_ limits: TenantLimits) async -> Harness {
    let api = await Harness()
    let tenant = Tenant(id: Harness.mine, name: "t1")
    await api.fake.grant(
        "limited",
        KeyGrant(tenant: tenant, scopes: [.admin], limits: limits))
    return api
}

@Test func `requests beyond the tenant's rate wait as long as the answer says`() async throws {
    let api = await harness(TenantLimits(requestsPerSecond: 2))
    for _ in 0..<4 {
        #expect(try await api.get("/v1/activities", key: "limited").status == 200)
    }
    let refused = try await api.get("/v1/activities", key: "limited")
    let document = try refused.expectProblem(.rateLimited)
    #expect(document["detail"]?.text?.contains("2 requests a second") == true)
    #expect(refused.header("retry-after") == "1")
    #expect(try await api.get("/v1/activities", key: "theirs").status == 200)
    api.time.value = api.time.value.adding(seconds: 1)
    #expect(try await api.get("/v1/activities", key: "limited").status == 200)
}

@Test func `a key without the scope uses up its tenant's rate too`() async throws {
    let api = await Harness(limits: slow(requestsPerSecond: 1))
    for _ in 0..<2 {
        try await api.get("/v1/activities", key: "only-events:write").expectProblem(.missingScope)
    }
    try await api.get("/v1/activities", key: "only-events:write").expectProblem(.rateLimited)
    try await api.get("/v1/activities", key: "all").expectProblem(.rateLimited)
}

private func slow(requestsPerSecond: Int) -> APILimits {
    var limits = APILimits.standard
    limits.requestsPerSecond = requestsPerSecond
    return limits
}

@Test func `events beyond the tenant's rate are not recorded`() async throws {
    let api = await harness(TenantLimits(eventsPerSecond: 2))
    let four = (1...4).map { SampleEvents.placed("o-\($0)", id: "\($0)") }.joined(separator: ",")
    #expect(try await api.post("[\(four)]", key: "limited").status == 201)
    let refused = try await api.post(SampleEvents.placed("o-5", id: "5"), key: "limited")
    try refused.expectProblem(.rateLimited)
    #expect(refused.header("retry-after") == "1")
    #expect(await api.fake.log(of: Harness.mine).count == 4)
    #expect(try await api.get("/v1/activities", key: "limited").status == 200)
    api.time.value = api.time.value.adding(seconds: 1)
    let later = try await api.post(SampleEvents.placed("o-5", id: "5"), key: "limited")
    #expect(later.status == 201)
}

@Test(arguments: [2, 4, 9])
func `a batch for which nothing is left passes after the waits that it got`(
    size: Int
) async throws {
    let api = await harness(TenantLimits(eventsPerSecond: 2))
    func post(_ first: Int, _ count: Int) async throws -> Answer {
        let events = (first..<first + count).map { SampleEvents.placed("o-\($0)", id: "\($0)") }
        return try await api.post("[\(events.joined(separator: ","))]", key: "limited")
    }
    #expect(try await post(0, 4).status == 201)
    // The first wait is for one event, since the batch is not read. The second is for the rest of
    // it, or for as many as can be saved up.
    for _ in 0..<(size == 2 ? 1 : 2) {
        let refused = try await post(4, size)
        try refused.expectProblem(.rateLimited)
        #expect(refused.header("retry-after") == "1")
        api.time.value = api.time.value.adding(seconds: 1)
    }
    #expect(try await post(4, size).status == 201)
}

@Test func `events that are not valid use up no events`() async throws {
    let api = await harness(TenantLimits(eventsPerSecond: 1))
    for _ in 0..<5 { #expect(try await api.post("[{},{}]", key: "limited").status == 422) }
    #expect(try await api.post(SampleEvents.placed("o-1"), key: "limited").status == 201)
}

@Test(arguments: [("/v1/events", 422), ("/v1/events?partial=true", 207)])
func `what is wrong with events counts as requests`(
    target: String, status: Int
) async throws {
    let api = await harness(TenantLimits(requestsPerSecond: 2))
    let bad = "[7,7,\(SampleEvents.placed("o-1")),7,7,7]"
    let answer = try await api.call(
        "POST", target, key: "limited", body: bad, type: "application/json")
    #expect(answer.status == status)
    let refused = try await api.get("/v1/activities", key: "limited")
    try refused.expectProblem(.rateLimited)
    #expect(refused.header("retry-after") == "2")
    api.time.value = api.time.value.adding(seconds: 2)
    #expect(try await api.get("/v1/activities", key: "limited").status == 200)
}

@Test(arguments: ["7\n", "\n", " \r\n"])
func `what is wrong with lines counts as requests, for which their sender must wait`(
    line: String
) async throws {
    let api = await Harness(limits: slow(requestsPerSecond: 1))
    let (time, pieces) = (api.time, Lever([200, 1]))
    var request = Request(
        method: "POST", target: "/v1/events?partial=true",
        headers: ["authorization": "Bearer all", "content-type": "application/x-ndjson"])
    request.bodyStream = BodyStream { () async throws(BodyStream.Failure) in
        guard let count = pieces.value.first else { return nil }
        pieces.value.removeFirst()
        // All that can be saved up is there before the first piece.
        if count > 1 { time.value = time.value.adding(seconds: 10) }
        return Array(String(repeating: line, count: count).utf8)
    }
    let answer = Answer(response: await api.handler(request))
    let document = try answer.expectProblem(.rateLimited)
    #expect(document["detail"]?.text?.contains("1 requests a second") == true)
    #expect(document["recorded"] == .integer(0))
    #expect(answer.header("retry-after") == "199")
}

@Test func `a tenant's own sizes count where they are lower than the node's`() async throws {
    let event = SampleEvents.placed("o-1")
    let small = await harness(TenantLimits(bodyBytesMax: event.utf8.count - 1, batchEventsMax: 1))
    try await small.post(event, key: "limited").expectProblem(.bodyTooLarge)
    try await small.call(
        "POST", "/v1/activities/o-1/registrations", key: "limited",
        body: "{\(String(repeating: " ", count: event.utf8.count))}", type: "application/json"
    ).expectProblem(.bodyTooLarge)
    let document = try await small.post("[{},{}]", key: "limited").expectProblem(.tooManyEvents)
    #expect(document["detail"]?.text?.contains("at most 1 event.") == true)
    let high = await harness(TenantLimits(bodyBytesMax: .max, batchEventsMax: .max))
    let many = Array(repeating: "{}", count: APILimits.standard.eventsPerBatchMax + 1)
    try await high.post("[\(many.joined(separator: ","))]", key: "limited")
        .expectProblem(.tooManyEvents)
}

@Test func `a changed limit is in force as soon as it is announced`() async throws {
    let api = await harness(TenantLimits(requestsPerSecond: 1_000))
    #expect(try await api.get("/v1/activities", key: "limited").status == 200)
    let tenant = Tenant(id: Harness.mine, name: "t1")
    await api.fake.grant(
        "limited",
        KeyGrant(
            tenant: tenant, scopes: [.admin], limits: TenantLimits(requestsPerSecond: 1)))
    api.fake.tell(.happened(.keysChanged, Harness.mine))
    try await waitUntil { try await api.get("/v1/activities", key: "limited").status == 429 }
}

struct `The client of a stream` {
    private let fake = FakeStore()

    private func caller(eventsPerSecond: Int) async throws -> Caller {
        await fake.grant(
            "key",
            KeyGrant(
                tenant: Tenant(id: Harness.mine, name: "t1"), scopes: [.eventsWrite],
                limits: TenantLimits(eventsPerSecond: eventsPerSecond)))
        let authenticator = Authenticator(
            store: fake.store,
            environment: APIEnvironment(
                now: { Moment(Date()) }, version: "test", report: { _, _ in }))
        let request = Request(
            method: "POST", target: "/", headers: ["authorization": "Bearer key"])
        return try await authenticator.caller(of: request, scope: .eventsWrite)
    }

    @Test func `is throttled until its events may be recorded`() async throws {
        let caller = try await caller(eventsPerSecond: 1_000)
        let start = ContinuousClock.now
        try await caller.chargeThrottled(events: 2_000)
        try await caller.chargeThrottled(events: 15)
        #expect(ContinuousClock.now - start >= .milliseconds(14))
    }

    @Test func `gets an answer when that would take too long`() async throws {
        let caller = try await caller(eventsPerSecond: 1)
        try await caller.chargeThrottled(events: 100)
        let error = await #expect(throws: ProblemDocument.self) {
            try await caller.chargeThrottled(events: 1)
        }
        #expect(error?.problem == .rateLimited)
        #expect(error?.headers["retry-after"] == "99")
    }

    @Test func `is sent away when its key ends meanwhile`() async throws {
        let caller = try await caller(eventsPerSecond: 1)
        await fake.revoke("key")
        fake.tell(.happened(.keysChanged, Harness.mine))
        let error = await #expect(throws: ProblemDocument.self) {
            // The cache hears of it a moment later.
            for _ in 0..<1_000 {
                try await caller.checkKey()
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        #expect(error?.problem == .invalidKey)
    }
}
