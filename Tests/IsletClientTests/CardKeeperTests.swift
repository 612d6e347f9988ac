import Foundation
import IsletClient
import Synchronization
import Testing

struct CardKeeperTests {
    private let server = FakeServer(then: .json(200, #"{"outcome":"registered"}"#))
    private let store = KeptInMemory()
    private let tickets = Counter()

    private func keeper(
        handOver: CardKeeper.StartTokenTaker? = nil
    ) throws -> CardKeeper {
        try server.keeper(
            store: store,
            tickets: { [tickets] _ in Secret("ticket-\(tickets.increment())") },
            handOver: handOver)
    }

    private var lines: [String] { server.lines }

    @Test func `a card is registered under its token, with what the profile says`() async throws {
        let keeper = try keeper()
        await keeper.card("c1", of: "order-1", hasToken: Secret("aa"))
        await keeper.settle()
        let asked = try #require(server.asked.first)
        #expect(asked.line == "POST /v1/activities/order-1/registrations")
        #expect(asked.bearer == "Bearer ticket-1")
        let installation = await keeper.installation
        #expect(
            asked.body
                == #"{"bundleId":"com.example.pizza","environment":"sandbox","#
                + #""frequentUpdates":false,"#
                + #""installation":"\#(installation)","locale":"de","osMajor":18,"pushToken":"aa"}"#
        )
        #expect(server.asked.count == 1)
    }

    @Test func `tokens that came while the network was away are one rotation`() async throws {
        let keeper = try keeper()
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        await keeper.settle()
        server.answer(then: .unreachable)
        for token in ["bb", "cc", "dd"] {
            await keeper.card("c1", of: "o", hasToken: Secret(token))
        }
        let rotation = #"{"from":"aa","to":"dd"}"#
        // An attempt that is under way may still carry an older token.
        #expect(await comes { server.asked.last?.body == rotation })
        server.answer(then: .json(200, #"{"outcome":"registered"}"#))
        await keeper.settle()
        let bodies = server.asked.dropFirst().map(\.body)
        #expect(bodies.allSatisfy { $0.contains(#""from":"aa""#) })
        #expect(bodies.last == rotation)
    }

    @Test func `a rotation that comes too late registers what the phone has now`() async throws {
        let keeper = try keeper()
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        await keeper.settle()
        server.answer(.problem(409, "rotation-conflict"))
        await keeper.card("c1", of: "o", hasToken: Secret("bb"))
        await keeper.settle()
        #expect(
            lines == [
                "POST o/registrations", "POST o/registrations/rotation", "POST o/registrations",
            ])
    }

    @Test func `a card that is gone is reported and never registered again`() async throws {
        let keeper = try keeper()
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        await keeper.settle()
        server.answer(then: .json(200, #"{"outcome":"noted"}"#))
        await keeper.card("c1", of: "o", became: .dismissed)
        await keeper.card("c1", of: "o", hasToken: Secret("bb"))
        await keeper.settle()
        #expect(lines == ["POST o/registrations", "POST o/registrations/report"])
        #expect(server.asked.last?.body == #"{"pushToken":"aa","state":"dismissed"}"#)
    }

    @Test func `a card that listens is reported by the installation`() async throws {
        let keeper = try keeper()
        await keeper.cardListens("c1", of: "m")
        await keeper.settle()
        #expect(server.asked.isEmpty)
        await keeper.card("c1", of: "m", became: .ended)
        await keeper.settle()
        let installation = await keeper.installation
        #expect(
            server.asked.map(\.body) == [#"{"installation":"\#(installation)","state":"ended"}"#])
    }

    @Test func `work goes on after a restart, and nothing is done twice`() async throws {
        server.answer(then: .unreachable)
        let first = try keeper()
        await first.card("c1", of: "o", hasToken: Secret("aa"))
        await first.settle()
        await first.stop()
        let installation = await first.installation
        server.answer(then: .json(200, #"{"outcome":"registered"}"#))
        let before = server.asked.count
        let second = try keeper()
        #expect(await second.installation == installation)
        await second.resume(living: ["c1"])
        await second.settle()
        let third = try keeper()
        await third.resume(living: ["c1"])
        await third.settle()
        #expect(server.asked.count - before == 1)
    }

    @Test func `a card that vanished while the app was away is reported as ended`() async throws {
        let first = try keeper()
        await first.card("c1", of: "o", hasToken: Secret("aa"))
        await first.settle()
        let second = try keeper()
        await second.resume(living: [])
        // Not before some seconds have passed, whatever is settled meanwhile.
        let report = #"{"pushToken":"aa","state":"ended"}"#
        #expect(
            await comes {
                await second.settle()
                return server.asked.last?.body == report
            })
        #expect(server.pauses.values.contains(.seconds(10)))
    }

    @Test func `an expired ticket is replaced by another one, and not for ever`() async throws {
        let keeper = try keeper()
        server.answer(.problem(401, "expired-ticket"))
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        await keeper.settle()
        #expect(server.asked.map(\.bearer) == ["Bearer ticket-1", "Bearer ticket-2"])
        server.answer(then: .problem(401, "invalid-ticket"))
        let before = tickets.value
        await keeper.card("c1", of: "o", hasToken: Secret("bb"))
        await keeper.settle()
        await keeper.stop()
        #expect(tickets.value > before)
        let failed = try #require(await firstWaiting(keeper))
        #expect(failed == .noTicket("the backend's tickets are not good"))
    }

    @Test func `what is refused for good is reported and not tried again`() async throws {
        let keeper = try keeper()
        server.answer(.problem(409, "too-many-registrations"))
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        await keeper.settle()
        await keeper.settle()
        #expect(server.asked.count == 1)
        var news = keeper.news.makeAsyncIterator()
        guard case .refused("o", let error) = await news.next() else {
            Issue.record("no refusal")
            return
        }
        #expect(error.problem == .tooManyRegistrations)
    }

    @Test func `a dismissed card of before closes the new one`() async throws {
        let keeper = try keeper()
        server.answer(.json(200, #"{"outcome":"closed","closedBy":"dismissed"}"#))
        await keeper.card("c2", of: "o", hasToken: Secret("aa"))
        await keeper.settle()
        await keeper.card("c2", of: "o", hasToken: Secret("bb"))
        await keeper.settle()
        #expect(server.asked.count == 1)
        var news = keeper.news.makeAsyncIterator()
        #expect(await news.next() == .closed(activity: "o", by: "dismissed"))
    }

    @Test func `one that is closed when it is reported as stale is no news of its state`()
        async throws
    {
        let keeper = try keeper()
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        await keeper.settle()
        server.answer(then: .json(200, #"{"outcome":"closed","closedBy":"ended"}"#))
        await keeper.card("c1", of: "o", became: .stale)
        await keeper.settle()
        // Such an answer to the end of a card says no more than that Islet knows of it.
        await keeper.card("c2", of: "p", became: .dismissed)
        await keeper.settle()
        var news: [CardNews] = []
        for await each in keeper.news {
            news.append(each)
            if news.count == 3 { break }
        }
        #expect(
            news == [
                .registered(activity: "o"), .closed(activity: "o", by: "ended"),
                .reported(activity: "p", .dismissed),
            ])
    }

    @Test func `frequent updates that are turned off register the card again`() async throws {
        let keeper = try keeper()
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        await keeper.setFrequentUpdates(true)
        await keeper.settle()
        #expect(server.asked.last?.body.contains(#""frequentUpdates":true"#) == true)
        let count = server.asked.count
        await keeper.setFrequentUpdates(true)
        await keeper.settle()
        #expect(server.asked.count == count)
    }

    @Test func `a start token is handed to the backend until it takes it`() async throws {
        let taken = Noted<StartToken>()
        let calls = Counter()
        let keeper = try keeper { token in
            if calls.increment() == 1 { throw URLError(.timedOut) }
            taken.append(token)
        }
        await keeper.canStart("Match", with: Secret("ff"), topics: ["team:ARG"])
        try await waitUntilSettled(keeper)
        await keeper.canStart("Match", with: Secret("ff"), topics: ["team:ARG"])
        await keeper.settle()
        let tokens = taken.values
        #expect(tokens.map(\.topics) == [["team:ARG"]])
        #expect(calls.value == 2)
        #expect(await tokens.first?.installation == keeper.installation)
    }

    @Test func `a card without a ticket delays no other`() async throws {
        let keeper = try keeper { _ in }
        server.answer(.problem(503, "overloaded"))
        await keeper.card("c1", of: "o1", hasToken: Secret("aa"))
        await keeper.card("c2", of: "o2", hasToken: Secret("bb"))
        await keeper.canStart("Match", with: Secret("ff"), topics: ["team:ARG"])
        try await waitUntilSettled(keeper)
        // Which of the two is refused is the scheduler's choice.
        #expect(lines.count == 3)
        #expect(Set(lines) == ["POST o1/registrations", "POST o2/registrations"])
    }

    @Test func `there is room for so many cards and no more`() async throws {
        let keeper = try keeper()
        server.answer(then: .unreachable)
        for number in 0..<100 {
            await keeper.card("c\(number)", of: "o\(number)", hasToken: Secret("aa"))
        }
        await keeper.stop()
        let kept = try #require(store.load())
        let json = try #require(JSONSerialization.jsonObject(with: kept) as? [String: Any])
        #expect((json["cards"] as? [Any])?.count == 64)
    }

    @Test func `the keeper starts from nothing when what was kept cannot be read`() async throws {
        store.save(Data("{".utf8))
        let keeper = try keeper()
        var news = keeper.news.makeAsyncIterator()
        #expect(await news.next() == .notKept("what was kept cannot be read"))
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        await keeper.settle()
        #expect(server.asked.count == 1)
    }

    @Test func `sequences of tokens and states are followed to the dismissal`() async throws {
        let keeper = try keeper()
        await keeper.follow("c1", of: "o") {
            AsyncStream<Data> {
                $0.yield(Data([0xab, 0x01]))
                $0.finish()
            }
        } states: {
            AsyncStream<CardState> { $0.finish() }
        }
        await keeper.settle()
        #expect(server.asked.first?.body.contains(#""pushToken":"ab01""#) == true)
    }

    @Test func `the file is its owner's alone and comes back whole`() throws {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "islet-keep-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let store = FileStateStore(file: file)
        #expect(try store.load() == nil)
        try store.save(Data("one".utf8))
        try store.save(Data("two".utf8))
        #expect(try store.load() == Data("two".utf8))
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    /// Settles as often as the server refuses for the moment.
    private func waitUntilSettled(_ keeper: CardKeeper) async throws {
        for _ in 0..<5 { await keeper.settle() }
    }

    private func firstWaiting(_ keeper: CardKeeper) async -> ClientError? {
        for await news in keeper.news {
            if case .waiting(let error, _) = news { return error }
        }
        return nil
    }
}

final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    @discardableResult
    func increment() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }
}

final class Noted<Value: Sendable>: Sendable {
    private let noted = Mutex<[Value]>([])

    var values: [Value] { noted.withLock { $0 } }

    func append(_ value: Value) { noted.withLock { $0.append(value) } }
}

/// Keeps it as long as the test.
final class KeptInMemory: StateStore {
    private let state = Mutex<Data?>(nil)

    func load() -> Data? { state.withLock { $0 } }
    func save(_ new: Data) { state.withLock { $0 = new } }
}
