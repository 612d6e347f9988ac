import Domain
import EventStore
import HTTP
import JSON
import Testing

@testable import API

private let token = String(repeating: "ab", count: 32)
private let registration =
    #"{"pushToken":"\#(token)","environment":"sandbox","bundleId":"com.example"}"#

extension Harness {
    func mint(
        _ activity: String = "o-1", key: String = "all", body: String = ""
    ) async throws -> Answer {
        try await call(
            "POST", "/v1/activities/\(activity)/tickets", key: key, body: body,
            type: "application/json")
    }

    func ticket(_ activity: String = "o-1", key: String = "all") async throws -> String {
        try #require(try await mint(activity, key: key).json()["ticket"]?.text)
    }

    fileprivate func register(_ ticket: String, _ activity: String = "o-1") async throws -> Answer {
        try await call(
            "POST", "/v1/activities/\(activity)/registrations", key: ticket, body: registration,
            type: "application/json")
    }
}

/// What a phone may ask with a ticket, and nothing else.
private let phoneRoutes: Set = [
    "GET /v1/activities/{id}", "GET /v1/activities/{id}/decisions", "GET /v1/activities/{id}/state",
    "POST /v1/activities/{id}/registrations", "POST /v1/activities/{id}/registrations/rotation",
    "POST /v1/activities/{id}/registrations/report",
    "POST /v1/activities/{id}/registrations/removal",
    "POST /v1/activities/{id}/channel",
]

private func routes() -> [Route] {
    API.routes(
        store: FakeStore().store,
        environment: APIEnvironment(
            now: { Moment(unixSeconds: 0) }, version: "test"))
}

struct `A ticket` {
    @Test func `lets a phone register, rotate, report, read and leave`() async throws {
        let api = await Harness()
        _ = try await api.post(SampleEvents.placed("o-1"))
        try await api.fake.fold(Harness.mine)
        let ticket = try await api.ticket()
        #expect(try await api.register(ticket).status == 201)
        let other = String(repeating: "cd", count: 32)
        let path = "/v1/activities/o-1"
        for (call, body, outcome) in [
            ("rotation", #"{"from":"\#(token)","to":"\#(other)"}"#, "rotated"),
            ("report", #"{"pushToken":"\#(other)","state":"stale"}"#, "noted"),
            ("removal", #"{"pushToken":"\#(other)"}"#, "removed"),
        ] {
            let answer = try await api.call(
                "POST", "\(path)/registrations/\(call)", key: ticket, body: body,
                type: "application/json")
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try answer.json()["outcome"]?.text == outcome)
        }
        for read in [path, "\(path)/decisions", "\(path)/state?version=1"] {
            #expect(try await api.get(read, key: ticket).status == 200)
        }
    }

    @Test func `never reaches any other route`() async throws {
        let api = await Harness()
        let ticket = try await api.ticket()
        var tried = 0
        for route in routes() {
            let name = "\(route.method.rawValue) \(route.path)"
            switch route.action {
            case .open: continue
            case .keyed(_, isTicketed: true, _):
                #expect(phoneRoutes.contains(name), "\(name)")
            case .keyed:
                #expect(!phoneRoutes.contains(name), "\(name)")
                let answer = try await api.call(
                    route.method.rawValue, route.path.description.replacing("{id}", with: "o-1"),
                    key: ticket, body: "{}", type: "application/json")
                try answer.expectProblem(.ticketTooNarrow)
                #expect(!answer.text.contains("islet_t1"))
                tried += 1
            }
        }
        #expect(tried >= 8)
    }

    @Test func `is of no use for another activity`() async throws {
        let api = await Harness()
        let answer = try await api.register(try await api.ticket("o-1"), "o-2")
        let problem = try answer.expectProblem(.ticketTooNarrow)
        #expect(problem["detail"]?.text?.contains("another activity") == true)
    }

    @Test func `says so when it has expired`() async throws {
        let api = await Harness()
        let answer = try await api.mint(body: #"{"ttlSeconds":60}"#)
        #expect(answer.status == 201)
        #expect(try answer.json()["expiresAt"]?.text == "2027-01-15T08:01:00Z")
        let ticket = try #require(try answer.json()["ticket"]?.text)
        api.time.update { $0 = $0.adding(seconds: 59) }
        #expect(try await api.register(ticket).status == 201)
        api.time.update { $0 = $0.adding(seconds: 1) }
        let late = try await api.register(ticket)
        let problem = try late.expectProblem(.expiredTicket)
        #expect(problem["detail"]?.text?.contains("2027-01-15T08:01:00Z") == true)
        #expect(late.header("www-authenticate")?.contains("invalid_token") == true)
    }

    @Test func `that was tampered with is refused wherever it was changed`() async throws {
        let api = await Harness()
        let ticket = try await api.ticket()
        let bytes = Array(ticket.utf8)
        for index in Ticket.prefix.utf8.count..<bytes.count {
            var other = bytes
            other[index] = other[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let text = String(decoding: other, as: UTF8.self)
            try await api.register(text).expectProblem(.invalidTicket)
        }
        for text in [
            "islet_t1.", "islet_t1..", "islet_t1.e30.", "islet_t1.W10.AAAA", ticket + ".x",
            ticket + "=", String(ticket.dropLast(4)),
        ] {
            try await api.register(text).expectProblem(.invalidTicket)
        }
        #expect(await api.fake.tokens.isEmpty)
    }

    @Test func `signed for one tenant is not another's`() async throws {
        let api = await Harness()
        _ = try await api.fake.addSecret(Harness.theirs, [UInt8](repeating: 9, count: 32))
        let mine = Ticket(
            tenant: Harness.mine, activity: ActivityID(rawValue: "o-1"),
            expiresAt: 1_900_000_000, secretID: 1, reads: true)
        let secret = TicketSecret(id: 1, bytes: [UInt8](repeating: 7, count: 32))
        _ = try await api.fake.addSecret(Harness.mine, secret.bytes)
        #expect(try await api.register(mine.sealed(with: secret)).status == 201)
        var theirs = mine
        theirs.tenant = Harness.theirs
        try await api.register(theirs.sealed(with: secret)).expectProblem(.invalidTicket)
        theirs.tenant = TenantID(rawValue: 99)
        try await api.register(theirs.sealed(with: secret)).expectProblem(.invalidTicket)
    }

    @Test func `lives through one rotation of its secret and not through two`() async throws {
        let api = await Harness()
        let ticket = try await api.ticket()
        _ = try await api.fake.addSecret(Harness.mine, [UInt8](repeating: 8, count: 32))
        #expect(try await api.register(ticket).status == 201)
        _ = try await api.fake.addSecret(Harness.mine, [UInt8](repeating: 9, count: 32))
        api.time.update { $0 = $0.adding(seconds: 6) }
        try await api.register(ticket).expectProblem(.invalidTicket)
        #expect(try await api.register(try await api.ticket()).status == 200)
    }

    @Test func `may do no more than the key that made it`() async throws {
        let api = await Harness()
        _ = try await api.post(SampleEvents.placed("o-1"))
        try await api.fake.fold(Harness.mine)
        try await api.mint(key: "only-activities:read").expectProblem(.missingScope)
        let blind = try await api.ticket(key: "only-registrations:write")
        #expect(try await api.register(blind).status == 201)
        for path in ["", "/decisions", "/state?version=1"] {
            let answer = try await api.get("/v1/activities/o-1\(path)", key: blind)
            let problem = try answer.expectProblem(.ticketTooNarrow)
            #expect(problem["detail"]?.text?.contains("may not read") == true)
        }
        await api.fake.grant(
            "short",
            KeyGrant(
                tenant: Tenant(id: Harness.mine, name: "t1"), scopes: [.registrationsWrite],
                expiresAt: Moment(unixSeconds: 1_800_000_100)))
        let bounded = try await api.mint(key: "short")
        #expect(try bounded.json()["expiresAt"]?.text == "2027-01-15T08:01:40Z")
    }

    @Test(arguments: ["59", "43201", "60.5", "true", #""60""#, "-60"])
    func `is not made for a time out of range`(seconds: String) async throws {
        let api = await Harness()
        try await api.mint(body: #"{"ttlSeconds":\#(seconds)}"#)
            .expectProblem(.invalidTicketRequest, pointers: ["/ttlSeconds"])
    }

    @Test func `is made from an object, an empty one, or none`() async throws {
        let api = await Harness()
        #expect(try await api.mint(body: "{}").status == 201)
        let hour = try await api.mint()
        #expect(try hour.json()["expiresAt"]?.text == "2027-01-15T09:00:00Z")
        #expect(hour.header("cache-control") == "no-store")
        try await api.mint(body: #"{"ttl":60}"#)
            .expectProblem(.invalidTicketRequest, pointers: ["/ttl"])
        try await api.mint(body: "[]").expectProblem(.invalidTicketRequest, pointers: [""])
        try await api.mint(body: "{").expectProblem(.malformedJSON)
        await api.fake.fail(with: .unavailable(detail: ""))
        try await api.mint().expectProblem(.storeUnavailable)
    }

    @Test func `for the longest activity id there is fits its bound`() async throws {
        let api = await Harness()
        let id = String(repeating: "\"", count: 200)
        let encoded = id.replacing("\"", with: "%22")
        let ticket = try await api.ticket(encoded)
        #expect(ticket.utf8.count <= Limits.ticketBytesMax)
        #expect(try await api.register(ticket, encoded).status == 201)
    }
}
