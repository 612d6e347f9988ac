import Domain
import EventStore
import HTTP
import JSON
import Testing

@testable import API

private func hex(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 64 - digits.count) + digits
}

extension Harness {
    fileprivate func register(
        _ number: Int, with ticket: String, _ activity: String = "o-1"
    ) async throws -> Answer {
        try await call(
            "POST", "/v1/activities/\(activity)/registrations", key: ticket,
            body: #"{"pushToken":"\#(hex(number))","environment":"sandbox","bundleId":"com.a"}"#,
            type: "application/json")
    }

    /// A key with an id, which can be revoked.
    fileprivate func grant(_ key: String, id: Int64, isRevoked: Bool = false) async {
        await fake.grant(
            key,
            KeyGrant(
                keyID: id, tenant: Tenant(id: Harness.mine, name: "t1"),
                scopes: [.registrationsWrite, .activitiesRead],
                revokedAt: isRevoked ? Moment(unixSeconds: 1_800_000_000) : nil))
    }
}

struct `A ticket whose key is revoked` {
    @Test func `is of no use from then on, and those of other keys are`() async throws {
        let api = await Harness()
        await api.grant("backend", id: 107)
        await api.grant("other", id: 108)
        let mine = try await api.ticket(key: "backend")
        let other = try await api.ticket(key: "other")
        #expect(try await api.register(1, with: mine).status == 201)
        await api.grant("backend", id: 107, isRevoked: true)
        // The notification may be lost: seconds later it is known anyway.
        api.time.update { $0 = $0.adding(seconds: 6) }
        let answer = try await api.register(2, with: mine)
        let problem = try answer.expectProblem(.invalidTicket)
        #expect(problem["detail"]?.text?.contains("was revoked") == true)
        #expect(answer.header("www-authenticate")?.contains("invalid_token") == true)
        #expect(try await api.register(2, with: other).status == 201)
    }

    @Test func `dies as soon as the store tells of it`() async throws {
        let api = await Harness()
        await api.grant("backend", id: 107)
        let ticket = try await api.ticket(key: "backend")
        #expect(try await api.register(1, with: ticket).status == 201)
        await api.grant("backend", id: 107, isRevoked: true)
        var status = 0
        for _ in 0..<1_000 where status != 401 {
            api.fake.tell(.happened(.keysChanged, Harness.mine))
            try await Task.sleep(for: .milliseconds(1))
            status = try await api.register(1, with: ticket).status
            if status == 429 { break }
        }
        #expect(status == 401)
    }

    @Test func `counts while the store is heard, until it tells of it or is heard no more`()
        async throws
    {
        let api = await Harness()
        let secret = try await api.fake.addSecret(
            Harness.mine, [UInt8](repeating: 7, count: 32))
        let ticket = Ticket(
            tenant: Harness.mine, activity: ActivityID(rawValue: "o-1"), expiresAt: 1_900_000_000,
            secretID: secret.id, reads: true, keyID: 107)
        let keyring = TicketKeyring(
            store: api.fake.store,
            environment: APIEnvironment(
                now: { Moment(unixSeconds: 1_800_000_000) }, version: "test"))
        /// Whether it counts after its key was revoked, if it was asked about before.
        func outlivesItsKey(meanwhile notification: StoreNotification? = nil) async throws -> Bool {
            var isGood = true
            for isRevoked in [false, true] {
                await api.grant("backend", id: 107, isRevoked: isRevoked)
                if isRevoked, let notification { keyring.rings.handle(notification) }
                guard case .here(let ring) = try await keyring.lookUp(ticket) else {
                    return false
                }
                isGood = ring.hasKey(of: ticket)
                #expect(isGood || isRevoked)
            }
            return isGood
        }
        #expect(try await !outlivesItsKey())
        keyring.rings.handle(.resumed)
        #expect(try await outlivesItsKey())
        #expect(try await !outlivesItsKey(meanwhile: .happened(.keysChanged, Harness.mine)))
        keyring.rings.handle(.resumed)
        #expect(try await !outlivesItsKey(meanwhile: .lost))
        #expect(try await !outlivesItsKey())
    }

    @Test func `counts at once when its key was made a moment ago`() async throws {
        let api = await Harness()
        await api.grant("backend", id: 107)
        #expect(try await api.register(1, with: try await api.ticket(key: "backend")).status == 201)
        await api.grant("newer", id: 109)
        #expect(try await api.register(2, with: try await api.ticket(key: "newer")).status == 201)
    }

    @Test func `counts to its end when it is from before tickets named their key`() async throws {
        let api = await Harness()
        let secret = try await api.fake.addSecret(
            Harness.mine, [UInt8](repeating: 7, count: 32))
        var ticket = Ticket(
            tenant: Harness.mine, activity: ActivityID(rawValue: "o-1"), expiresAt: 1_900_000_000,
            secretID: secret.id, reads: true)
        #expect(try await api.register(1, with: ticket.sealed(with: secret)).status == 201)
        ticket.keyID = 99
        try await api.register(2, with: ticket.sealed(with: secret))
            .expectProblem(.invalidTicket)
    }
}

struct `What a ticket has written down` {
    private static func harness(tickets: Int = 3, activities: Int = 100) async -> Harness {
        var limits = APILimits.standard
        limits.registrationsPerTicketMax = tickets
        limits.registrationsPerActivityMax = activities
        return await Harness(limits: limits)
    }

    @Test func `is bounded at a time, and in all`() async throws {
        let api = await Self.harness()
        let ticket = try await api.ticket()
        for number in 1...3 {
            #expect(try await api.register(number, with: ticket).status == 201)
        }
        let busy = try await api.register(4, with: ticket)
        let wait = try busy.expectProblem(.rateLimited)
        #expect(busy.header("retry-after") == "400")
        #expect(wait["title"]?.text?.contains("tenant") == false)
        #expect(wait["detail"]?.text?.contains("3 requests of a phone in 20 minutes") == true)
        #expect(wait["remedy"]?.text?.contains("`--ticket-registrations-max`") == true)
        api.time.update { $0 = $0.adding(seconds: 400) }
        let full = try await api.register(4, with: ticket)
        let problem = try full.expectProblem(.tooManyRegistrations)
        #expect(problem["status"] == .integer(409))
        #expect(problem["detail"]?.text?.contains("registered 3 push tokens") == true)
        api.time.update { $0 = $0.adding(seconds: 400) }
        // One that it has registered already may come again.
        #expect(try await api.register(2, with: ticket).status == 200)
        #expect(await api.fake.tokens.values.joined().count == 3)
    }

    @Test func `counts every way to write`() async throws {
        let api = await Self.harness(tickets: 2)
        let path = "/v1/activities/o-1/registrations"
        for (name, body) in [
            ("rotation", #"{"from":"\#(hex(1))","to":"\#(hex(2))"}"#),
            ("report", #"{"pushToken":"\#(hex(1))","state":"stale"}"#),
            ("removal", #"{"pushToken":"\#(hex(1))"}"#),
        ] {
            api.time.update { $0 = $0.adding(seconds: 1) }
            let ticket = try await api.ticket()
            for _ in 0..<2 { #expect(try await api.register(1, with: ticket).status < 300) }
            try await api.call(
                "POST", "\(path)/\(name)", key: ticket, body: body, type: "application/json"
            ).expectProblem(.rateLimited)
        }
        api.time.update { $0 = $0.adding(seconds: 1) }
        let ticket = try await api.ticket()
        for number in 1...2 { _ = try await api.register(number, with: ticket) }
        api.time.update { $0 = $0.adding(seconds: 1_200) }
        try await api.call(
            "POST", "\(path)/rotation", key: ticket,
            body: #"{"from":"\#(hex(1))","to":"\#(hex(3))"}"#, type: "application/json"
        ).expectProblem(.tooManyRegistrations)
        try await api.call(
            "POST", "/v1/activities/o-1/channel", key: ticket,
            body: #"{"installation":"x","environment":"sandbox","bundleId":"com.a","osMajor":18}"#,
            type: "application/json"
        ).expectProblem(.tooManyRegistrations)
        api.time.update { $0 = $0.adding(seconds: 1_200) }
        try await api.call(
            "POST", "\(path)/report", key: ticket,
            body: #"{"installation":"x","bundleId":"com.a","state":"dismissed"}"#,
            type: "application/json"
        ).expectProblem(.tooManyRegistrations)
    }

    @Test func `is bounded for all tickets of an activity, and not for keys`() async throws {
        let api = await Self.harness(activities: 4)
        for number in 1...4 {
            api.time.update { $0 = $0.adding(seconds: 1) }
            #expect(try await api.register(number, with: try await api.ticket()).status == 201)
        }
        api.time.update { $0 = $0.adding(seconds: 1) }
        let problem = try await api.register(5, with: try await api.ticket())
            .expectProblem(.tooManyRegistrations)
        #expect(problem["detail"]?.text?.contains("for this activity") == true)
        let other = try await api.ticket("o-2")
        #expect(try await api.register(5, with: other, "o-2").status == 201)
        for number in 5...50 {
            #expect(try await api.register(number, with: "all").status == 201)
        }
    }
}

struct `The memory of tickets` {
    private let now = Moment(unixSeconds: 1_800_000_000)

    private func ticket(_ activity: Int) -> Ticket {
        Ticket(
            tenant: Harness.mine, activity: ActivityID(rawValue: "o-\(activity)"),
            expiresAt: 1_900_000_000, secretID: 1, reads: false)
    }

    @Test func `keeps those that are used while others come and go`() {
        let meter = RegistrationMeter(ticketsMax: 8)
        var limits = APILimits.standard
        limits.registrationsPerTicketMax = 2
        func take(_ name: String, _ id: Int, after seconds: Double) -> ProblemDocument? {
            do throws(ProblemDocument) {
                try meter.take(name, ticket(1), id, limits, at: now.adding(seconds: seconds))
                return nil
            } catch { return error }
        }
        #expect(take("a", 0, after: 0) == nil)
        #expect(take("b", 0, after: 1) == nil)
        for number in 1...100 {
            #expect(take("c", number, after: 1_200 * Double(number)) == nil)
            let full = take("d\(number)", 0, after: 1_200 * Double(number))
            #expect(full?.problem == .tooManyRegistrations)
            #expect(full?.detail.hasPrefix("The ticket has registered 2 ") == true)
        }
        // One that has not been seen for long has started over.
        #expect(take("x", 1, after: 200_000) == nil)
        #expect(take("y", 1, after: 200_000) == nil)
    }
}
