import Foundation
import Synchronization
import Testing

@testable import IsletClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request whose answer is long in coming delays nothing that has nothing to do with it.
@Suite(.timeLimit(.minutes(5)))
struct CardKeeperQueueTests {
    private static let registered = FakeServer.Answer.json(200, #"{"outcome":"registered"}"#)
    private let server = FakeServer(then: registered)
    private let store = KeptInMemory()
    private let begun = Counter()
    private let over = Counter()

    /// What has to do with a name of `slow` waits until the test lets it go on.
    private func keeper(
        delaying slow: Set<String> = [],
        tickets: @escaping CardKeeper.TicketSource = { _ in Secret("ticket") },
        handOver: CardKeeper.StartTokenTaker? = nil
    ) throws -> CardKeeper {
        let transport = server.transport
        return try server.keeper(
            store: store,
            transport: HTTPTransport { [begun, over] request in
                let parts = request.url?.path.split(separator: "/").map(String.init) ?? []
                if !slow.isDisjoint(with: parts) {
                    begun.increment()
                    while over.value == 0 { try await Task.sleep(for: .milliseconds(1)) }
                }
                return try await transport.send(request)
            }, tickets: tickets, handOver: handOver)
    }

    private var lines: [String] { server.lines }

    @Test func `a card that a push has started is registered while older ones are renewed`()
        async throws
    {
        let first = try keeper()
        let old = (1...6).map { "o\($0)" }
        for name in old { await first.card(name, of: name, hasToken: Secret(name)) }
        await first.settle()
        #expect(lines.count == old.count)
        server.pass(seconds: 300)
        let second = try keeper(delaying: Set(old))
        await second.resume(living: Set(old + ["new"]))
        #expect(await comes { begun.value == Limits.queuesMax })
        await second.card("new", of: "new", hasToken: Secret("aa"))
        #expect(await comes { lines.last == "POST new/registrations" })
        // The others are not renewed all at a time.
        #expect(begun.value == Limits.queuesMax)
        over.increment()
        await second.settle()
        #expect(lines.count == 2 * old.count + 1)
        #expect(Set(lines).count == old.count + 1)
    }

    @Test func `a start token that the backend is slow to take delays no card and no other one`()
        async throws
    {
        let taken = Noted<String>()
        let keeper = try keeper(handOver: { [begun, over] token in
            begun.increment()
            while token.kind == "Ride", over.value == 0 {
                try await Task.sleep(for: .milliseconds(1))
            }
            taken.append(token.kind)
        })
        await keeper.canStart("Ride", with: Secret("ff"), topics: ["a:b"])
        #expect(await comes { begun.value == 1 })
        await keeper.canStart("Match", with: Secret("ee"), topics: ["a:b"])
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        #expect(await comes { taken.values == ["Match"] && lines.count == 1 })
        over.increment()
        await keeper.settle()
        #expect(taken.values == ["Match", "Ride"])
    }

    @Test func `of one activity one request goes after the other`() async throws {
        let keeper = try keeper(delaying: ["o"])
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        #expect(await comes { begun.value == 1 })
        await keeper.card("c2", of: "o", hasToken: Secret("bb"))
        await keeper.card("c1", of: "o", hasToken: Secret("cc"))
        await keeper.card("other", of: "p", hasToken: Secret("dd"))
        #expect(await comes { lines == ["POST p/registrations"] })
        #expect(begun.value == 1)
        over.increment()
        await keeper.settle()
        // In the order in which they came.
        let bodies = server.asked.filter { $0.path.contains("/o/") }.map(\.body)
        #expect(bodies.count == 3)
        #expect(bodies.first?.contains(#""pushToken":"aa""#) == true)
        #expect(bodies.dropFirst().first == #"{"from":"aa","to":"cc"}"#)
        #expect(bodies.last?.contains(#""pushToken":"bb""#) == true)
    }

    @Test func `a swipe is reported before a card that came after it`() async throws {
        let keeper = try keeper(delaying: ["o"])
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        #expect(await comes { begun.value == 1 })
        await keeper.card("c1", of: "o", became: .dismissed)
        await keeper.card("c2", of: "o", hasToken: Secret("bb"))
        over.increment()
        await keeper.settle()
        #expect(
            lines == [
                "POST o/registrations", "POST o/registrations/report", "POST o/registrations",
            ])
    }

    @Test func `a backend that does not answer is asked again later`() async throws {
        server.timePasses.withLock { $0 = false }
        server.limitsPass.withLock { $0 = true }
        // Deaf to a cancellation.
        let answers = Task { [over] in
            while over.value == 0 { try await Task.sleep(for: .milliseconds(1)) }
        }
        let keeper = try keeper(
            tickets: { _ in
                try await answers.value
                return Secret("ticket")
            }, handOver: { _ in try await answers.value })
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        await keeper.settle()
        await keeper.canStart("Match", with: Secret("ff"), topics: ["a:b"])
        await keeper.settle()
        var failures: Set<ClientError> = []
        for await news in keeper.news {
            if case .waiting(let failure, _) = news { failures.insert(failure) }
            if failures.count == 2 { break }
        }
        #expect(
            failures == [
                .noTicket("URLError -1001"),
                .unreachable("the backend did not take a start token: URLError -1001"),
            ])
        #expect(lines.isEmpty)
        server.limitsPass.withLock { $0 = false }
        over.increment()
        await keeper.settle()
        #expect(lines == ["POST o/registrations"])
    }

    @Test func `the app is kept from being suspended while something is under way, and no longer`()
        async throws
    {
        server.timePasses.withLock { $0 = false }
        server.answer(.unreachable, then: Self.registered)
        let keeper = try keeper(delaying: ["o"])
        #expect(server.awake.values.isEmpty)
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        #expect(await comes { begun.value == 1 })
        #expect(server.awake.values == [true])
        over.increment()
        // It failed, and is tried again when the pause is over.
        await keeper.settle()
        #expect(await comes { server.awake.values == [true, false] })
        await keeper.settle()
        #expect(lines.count == 2)
        #expect(server.awake.values == [true, false, true, false])
    }
}
