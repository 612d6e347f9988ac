import Foundation
import IsletActivities
import IsletClient
import Testing

struct BackendClientTests {
    private let server = FakeServer(
        then: .json(
            201,
            #"{"events":[{"id":"1","source":"/s","outcome":"recorded","position":7,"#
                + #""version":2}]}"#))

    private func client(_ retries: RetryPolicy = .standard) throws -> BackendClient {
        var client = BackendClient(
            server: try #require(URL(string: "https://islet.example/base/")),
            key: Secret("islet_key"), retries: retries, transport: server.transport)
        client.timing = server.timing
        return client
    }

    private func event(_ id: String = "1") -> Event {
        Event(
            id: id, source: "/s", type: "PizzaDelivery.OrderReady", activity: "order-1",
            time: Date(timeIntervalSince1970: 1_700_000_000.25), expectedVersion: 1)
    }

    @Test func `an event is sent as CloudEvents wants it`() async throws {
        let receipt = try await client().report(event())
        #expect(receipt.outcome == .recorded && receipt.position == 7 && receipt.version == 2)
        let asked = try #require(server.asked.first)
        #expect(asked.line == "POST /base/v1/events")
        #expect(asked.bearer == "Bearer islet_key")
        #expect(
            asked.body
                == #"{"data":{},"expectedversion":1,"id":"1","source":"/s","specversion":"1.0","#
                + #""subject":"order-1","time":"2023-11-14T22:13:20.250Z","#
                + #""type":"PizzaDelivery.OrderReady"}"#)
    }

    @Test func `what gets no answer is sent again with the same bytes`() async throws {
        server.answer(.unreachable, .problem(503, "overloaded", retryAfter: "7"))
        _ = try await client().report(event())
        #expect(server.asked.count == 3)
        #expect(Set(server.asked.map(\.body)).count == 1)
        #expect(server.pauses.values == [.milliseconds(125), .seconds(7)])
    }

    @Test func `it gives up after as many attempts as it may make`() async throws {
        server.answer(then: .unreachable)
        await #expect(throws: ClientError.unreachable("URLError -1004")) {
            try await client(RetryPolicy(attemptsMax: 3)).report(event())
        }
        #expect(server.asked.count == 3)
    }

    @Test func `a conflict is not tried again and says what the version is`() async throws {
        server.answer(
            .json(
                409,
                #"{"type":"/problems/version-conflict","title":"T","status":409,"detail":"D","#
                    + #""requestId":"r1","errors":[{"type":"/problems/version-conflict","#
                    + #""pointer":"/expectedversion","detail":"E","actualVersion":4}]}"#))
        let error = await #expect(throws: ClientError.self) {
            try await client().report(event())
        }
        guard case .refused(let problem) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problem.name == .versionConflict && problem.requestID == "r1")
        #expect(problem.faults.first?.actualVersion == 4)
        #expect(server.asked.count == 1)
    }

    @Test func `a proxy's page is no problem document and may pass`() async throws {
        server.answer(.json(502, "<html>"))
        _ = try await client().report(event())
        server.answer(.json(404, "<html>"))
        await #expect(throws: ClientError.unreadable(status: 404)) {
            try await client().report(event())
        }
    }

    @Test func `a batch beyond its bound is not sent`() async throws {
        let events = (0...1000).map { event("\($0)") }
        await #expect(throws: ClientError.self) { try await client().report(events) }
        #expect(server.asked.isEmpty)
        #expect(try await client().report([]) == [])
    }

    @Test func `a sequence is sent in batches and gives a receipt for each event`() async throws {
        func row(_ id: Int) -> String {
            #"{"id":"\#(id)","outcome":"recorded","position":\#(id),"version":\#(id)}"#
        }
        server.answer(
            .json(201, #"{"events":[\#(row(1)),\#(row(2))]}"#),
            .json(201, #"{"events":[\#(row(3))]}"#))
        let (events, feed) = AsyncStream<Event>.makeStream()
        for id in 1...3 { feed.yield(event("\(id)")) }
        feed.finish()
        var positions: [Int64?] = []
        for try await receipt in try client().receipts(for: events, batchMax: 2) {
            positions.append(receipt.position)
        }
        #expect(positions == [1, 2, 3])
        #expect(server.asked.count == 2)
    }

    /// Of events with so many bytes.
    private func feed(_ bytes: [Int]) -> AsyncStream<Event> {
        let (events, feed) = AsyncStream<Event>.makeStream()
        for bytes in bytes {
            feed.yield(
                Event(
                    source: "/s", type: "T", activity: "order-1", time: Date(),
                    data: ["x": String(repeating: "a", count: bytes)]))
        }
        feed.finish()
        return events
    }

    @Test func `a sequence's batch ends before an event that it has no room for`() async throws {
        let row = #"{"id":"1","outcome":"recorded","position":1,"version":1}"#
        server.answer(
            .json(201, #"{"events":[\#(row),\#(row)]}"#), .json(201, #"{"events":[\#(row)]}"#),
            .json(201, #"{"events":[\#(row)]}"#))
        var count = 0
        let events = feed([400_000, 400_000, 400_000, 900_000])
        for try await _ in try client().receipts(for: events) { count += 1 }
        #expect(count == 4)
        #expect(server.asked.map { $0.body.utf8.count / 100_000 } == [8, 4, 9])
    }

    @Test func `a sequence ends at an event that no request has room for`() async throws {
        var count = 0
        do {
            let events = feed([10, 1_000_000, 10])
            for try await _ in try client().receipts(for: events) { count += 1 }
            Issue.record("it was sent")
        } catch is ClientError {}
        #expect(count == 1)
        #expect(server.asked.count == 1)
    }

    @Test func `names in a path are encoded, dots and slashes too`() async throws {
        server.answer(then: .json(200, "{}"))
        try await client().putAudience(of: "a/b c", topics: ["team:ARG"])
        #expect(server.asked.last?.line == "PUT /base/v1/activities/a%2Fb%20c/audience")
    }

    private static let match = FakeServer.Answer.json(
        200,
        #"{"id":"m","kind":"Match","phase":"live","version":3,"staleAt":null,"#
            + #""updatedAt":"2027-01-15T08:00:00.250125Z","#
            + #""attributes":{"awayTeam":"B","competition":"C","homeTeam":"A","sport":"f"},"#
            + #""contentState":{"homeScore":1,"awayScore":0,"status":"playing","clock":5}}"#)

    @Test func `the card is read as the phone reads it`() async throws {
        server.answer(Self.match, .problem(404, "unknown-activity"))
        let card = try #require(try await client().card(of: "m", as: MatchAttributes.self))
        #expect(card.contentState.clock == Date(timeIntervalSinceReferenceDate: 5))
        // A push's timestamp is in seconds, so what is finer may be cut off.
        let updatedAt = try #require(card.updatedAt).timeIntervalSince1970
        #expect(abs(updatedAt - 1_800_000_000.25) < 0.001)
        // As the attributes of a card that the app starts with it are to have it.
        #expect(card.attributes.activityID == "m")
        #expect(try await client().card(of: "n", as: MatchAttributes.self) == nil)
    }

    @Test func `whatever is sent after a card was asked for is newer, by the server's clock`()
        async throws
    {
        server.answer(Self.match)
        let card = try #require(try await client().card(of: "m", as: MatchAttributes.self))
        // The clock of this machine says something else. How long the answer took is taken off.
        let asOf = try #require(card.asOf)
        #expect(asOf <= Date(timeIntervalSince1970: 1_799_999_999))
        #expect(asOf > Date(timeIntervalSince1970: 1_799_999_000))
    }

    @Test func `a card is never started with a stale date that has passed`() async throws {
        server.answer(
            .json(
                200,
                #"{"id":"m","kind":"Match","phase":"live","version":3,"#
                    + #""staleAt":"2027-01-15T08:00:00Z","#
                    + #""attributes":{"awayTeam":"B","competition":"C","homeTeam":"A","#
                    + #""sport":"f"},"#
                    + #""contentState":{"homeScore":1,"awayScore":0,"status":"playing"}}"#))
        let card = try #require(try await client().card(of: "m", as: MatchAttributes.self))
        let staleAt = Date(timeIntervalSince1970: 1_800_000_000)
        #expect(card.staleAt == staleAt)
        #expect(card.staleDate(at: staleAt - 1) == staleAt)
        #expect(card.staleDate(at: staleAt) == nil)
        #expect(card.staleDate(at: staleAt + 1) == nil)
    }

    @Test func `ids grow with time`() {
        let ids = [0.001, 1, 1_700_000_000, 1_800_000_000].map { seconds in
            Event.makeID(at: Date(timeIntervalSince1970: seconds), { $0.upperBound }, { _ in 5 })
        }
        #expect(ids == ids.sorted())
        #expect(ids[0] == "00000000-0001-7fff-8000-000000000005")
        #expect(UUID(uuidString: Event.makeID()) != nil)
    }

    @Test func `a secret is never printed`() async throws {
        var printed = ""
        dump(Secret("islet_key"), to: &printed)
        print(Secret("islet_key"), [Secret("islet_key")], try client(), to: &printed)
        server.answer(then: .problem(401, "invalid-key"))
        do { try await client().report(event()) } catch { printed += "\(error)" }
        #expect(!printed.contains("islet_key"))
    }
}
