import Domain
import EventStore
import HTTP
import JSON
import Testing

@testable import API

private func limits(_ change: (inout APILimits) -> Void) -> APILimits {
    var limits = APILimits.standard
    change(&limits)
    return limits
}

private let registration =
    #"{"pushToken":"\#(String(repeating: "ab", count: 32))","environment":"sandbox","#
    + #""bundleId":"com.example"}"#

extension Harness {
    fileprivate func ticket(_ activity: String) async throws -> String {
        let answer = try await call(
            "POST", "/v1/activities/\(activity)/tickets", body: "", type: "application/json")
        return try #require(try answer.json()["ticket"]?.text)
    }

    fileprivate func register(_ ticket: String, _ body: String) async throws -> Answer {
        try await call(
            "POST", "/v1/activities/o-1/registrations", key: ticket, body: body,
            type: "application/json")
    }
}

struct `A phone's ticket` {
    @Test func `takes no body that no phone has to say`() async throws {
        let api = await Harness()
        let ticket = try await api.ticket("o-1")
        let padding = String(repeating: " ", count: APILimits.standard.ticketBodyBytesMax)
        try await api.register(ticket, padding + registration).expectProblem(.bodyTooLarge)
        #expect(try await api.register(ticket, registration).status == 201)
        // A key's owner may write more beside it.
        let keyed = try await api.call(
            "POST", "/v1/activities/o-1/registrations", body: padding + registration,
            type: "application/json")
        #expect(keyed.status == 200)
    }

    @Test func `has a rate of its own, and takes nothing from its tenant beyond it`() async throws {
        let api = await Harness(
            limits: limits { ($0.ticketRequestsPerSecond, $0.requestsPerSecond) = (2, 10) })
        let (one, other) = (try await api.ticket("o-1"), try await api.ticket("o-2"))
        for _ in 0..<4 { #expect(try await api.register(one, registration).status < 300) }
        for _ in 0..<100 {
            let refused = try await api.register(one, registration)
            let document = try refused.expectProblem(.rateLimited)
            #expect(document["detail"]?.text?.hasPrefix("A ticket is good for 2") == true)
            #expect(refused.header("retry-after") == "1")
        }
        #expect(try await api.get("/v1/activities").status == 200)
        try await api.register(other, registration).expectProblem(.ticketTooNarrow)
        api.time.value = api.time.value.adding(seconds: 1)
        #expect(try await api.register(one, registration).status == 200)
    }

    @Test func `is forgotten when it was not used for a while`() {
        let meter = TicketMeter(ticketsMax: 4)
        let rate = RateBucket.Rate(perSecond: 1, burst: 2)
        let now = Moment(unixSeconds: 1_800_000_000)
        func ticket(_ number: Int) -> Ticket {
            Ticket(
                tenant: Harness.mine, activity: ActivityID(rawValue: "\(number)"), expiresAt: 0,
                secretID: 1, reads: true)
        }
        for _ in 0..<2 { #expect(meter.take(ticket(1), rate, at: now) == nil) }
        for number in 2...9 { _ = meter.take(ticket(number), rate, at: now) }
        #expect(meter.count <= 4)
        // Of those that used most.
        #expect(meter.take(ticket(1), rate, at: now) == 1_000_000)
    }
}

struct `A tenant` {
    @Test func `may send so many bytes a second`() async throws {
        let event = SampleEvents.placed("o-1")
        let api = await Harness(limits: limits { $0.bytesPerSecond = event.utf8.count })
        for _ in 0..<2 { #expect(try await api.post(event).status < 300) }
        let refused = try await api.post(event)
        let document = try refused.expectProblem(.rateLimited)
        #expect(document["detail"]?.text?.contains("bytes of bodies a second") == true)
        #expect(refused.header("retry-after") == "1")
        // What has no body goes on, and so does another tenant.
        #expect(try await api.get("/v1/activities").status == 200)
        #expect(try await api.post(event, key: "theirs").status == 201)
        api.time.value = api.time.value.adding(seconds: 1)
        #expect(try await api.post(event).status == 200)
    }

    @Test func `with too many events is refused before they are read`() async throws {
        let api = await Harness(limits: limits { $0.eventsPerSecond = 1 })
        for number in 0..<2 {
            #expect(
                try await api.post(SampleEvents.placed("o-\(number)", id: "\(number)")).status
                    == 201)
        }
        // Not even JSON.
        try await api.post("[[[").expectProblem(.rateLimited)
    }

    @Test func `may keep so many events and bytes`() async throws {
        let usage = Lever<TenantUsage?>(nil)
        let fake = FakeStore()
        await fake.grant(
            "key",
            KeyGrant(
                tenant: Tenant(id: Harness.mine, name: "t1"), scopes: Set(Scope.allCases),
                limits: TenantLimits(storedEventsMax: 100, storedBytesMax: 10_000)))
        let handler = API.service(
            store: fake.store,
            environment: APIEnvironment(
                now: { Moment(unixSeconds: 1_800_000_000) }, version: "test",
                usage: { _ in usage.value })
        ).handler
        func send(_ method: String, _ path: String, _ type: String, _ body: String) async -> Answer
        {
            let request = Request(
                method: method, target: path,
                headers: ["authorization": "Bearer key", "content-type": type],
                body: Array(body.utf8))
            return Answer(response: await handler(request))
        }
        func post(_ id: String, type: String = "application/json") async -> Answer {
            await send("POST", "/v1/events", type, SampleEvents.placed("o-\(id)", id: id))
        }
        #expect(await post("1").status == 201)
        usage.value = TenantUsage(events: 99, bytes: 9_999)
        #expect(await post("2").status == 201)
        usage.value = TenantUsage(events: 100, bytes: 9_999)
        let refused = await post("3")
        let document = try refused.expectProblem(.quotaExceeded)
        #expect(refused.status == 507)
        #expect(document["detail"]?.text?.contains("100 events") == true)
        // It is recorded, and nothing may say that it is not.
        let repeated = try await post("1").expectProblem(.quotaExceeded)
        #expect(repeated["remedy"]?.text?.contains("recorded the first time") == true)
        usage.value = TenantUsage(events: 99, bytes: 10_000)
        try await post("4").expectProblem(.quotaExceeded)
        try await post("5", type: "application/x-ndjson").expectProblem(.quotaExceeded)
        #expect(await fake.log(of: Harness.mine).count == 2)
        // A client that may not add may still read, and sees why.
        let overview = try await send("GET", "/v1/overview", "", "").json()
        #expect(overview["storage"]?["events"] == .integer(99))
        #expect(overview["storage"]?["bytesMax"] == .integer(10_000))
    }

    @Test func `has its share of streams and waiting reads`() async throws {
        let calls = ReservedShares(capacity: 4)
        let (mine, theirs) = (Harness.mine, Harness.theirs)
        var places = try (0..<2).map { _ in try calls.reserveCall(of: mine, .standard) }
        let error = #expect(throws: ProblemDocument.self) {
            _ = try calls.reserveCall(of: mine, .standard)
        }
        #expect(error?.problem == .rateLimited)
        #expect(error?.headers["retry-after"] == "2")
        let other = try calls.reserveCall(of: theirs, .standard)
        places.removeLast()
        #expect(calls.amount(of: mine) == 1)
        withExtendedLifetime((places, other)) {}
    }

    @Test func `gives the place of a stream back when it ends`() async throws {
        let api = await Harness()
        // Far more than there are places, one after the other.
        for _ in 0..<3 * Limits.openCallsMax {
            let answer = try await api.get("/v1/stream")
            guard answer.status == 200 else {
                Issue.record("\(answer.text)")
                return
            }
        }
    }
}

struct `A large body` {
    private func read(
        _ bodies: TenantTurns, _ bytes: Int, _ tenant: TenantID,
        _ body: @escaping @Sendable () -> Int
    ) async throws -> Int {
        try await bodies.read(bytes: bytes, of: tenant) { () throws(ProblemDocument) in body() }
    }

    @Test func `is read one at a time of each tenant`() async throws {
        let bodies = TenantTurns()
        let state = Lever((now: 0, most: 0))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await read(bodies, Limits.readOnLoopBytesMax + 1, Harness.mine) {
                        state.update { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                        for _ in 0..<1_000 { _ = state.value }
                        state.update { $0.now -= 1 }
                        return number
                    }
                }
            }
            var sum = 0
            for try await number in group { sum += number }
            #expect(sum == 190)
        }
        #expect(state.value.most == 1)
    }

    @Test func `of events says the same as a small one`() async throws {
        let api = await Harness()
        let events = (0..<400).map { SampleEvents.placed("o-\($0)", id: "\($0)") }
        let body = "[\(events.joined(separator: ","))]"
        #expect(body.utf8.count > Limits.plainOnLoopBytesMax)
        #expect(try await api.post(body).status == 201)
        let spoilt = body + String(repeating: " ", count: 10) + "x"
        try await api.post(spoilt).expectProblem(.malformedJSON)
        #expect(await api.fake.log(of: Harness.mine).count == 400)
    }

    @Test func `is refused where no large one has a meaning`() async throws {
        let api = await Harness()
        let padding = String(repeating: " ", count: Limits.objectBytesMax)
        try await api.call(
            "POST", "/v1/activities/o-1/registrations", body: padding + registration,
            type: "application/json"
        ).expectProblem(.bodyTooLarge)
    }
}

struct `Default rates` {
    @Test func `are half of what measured cores can do, and grow with few of them`() {
        let two = APILimits.fitting(cores: 2)
        #expect((two.requestsPerSecond, two.eventsPerSecond) == (15_000, 10_000))
        #expect(two.requestsPerSecond == APILimits.standard.requestsPerSecond)
        #expect(two.bytesPerSecond == APILimits.standard.bytesPerSecond)
        #expect(APILimits.fitting(cores: 0).requestsPerSecond == 7_500)
        #expect(
            APILimits.fitting(cores: 64).eventsPerSecond
                == APILimits.fitting(cores: 3).eventsPerSecond)
    }
}
