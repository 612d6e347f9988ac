import Foundation
import Synchronization
import Testing

@testable import IsletClient

/// What happens to an app between the office and the train.
struct CardKeeperTroubleTests {
    private static let registered = FakeServer.Answer.json(200, #"{"outcome":"registered"}"#)
    private let server = FakeServer(then: registered)
    private let store = KeptInMemory()

    private func keeper(
        store other: (any StateStore)? = nil, locale: String = "de",
        handOver: CardKeeper.StartTokenTaker? = nil
    ) throws -> CardKeeper {
        try server.keeper(store: other ?? store, locale: locale, handOver: handOver)
    }

    /// One that got a card's first token and has tried to register it.
    private func settled(of activity: String) async throws -> CardKeeper {
        let keeper = try keeper()
        await keeper.card("c1", of: activity, hasToken: Secret("aa"))
        await keeper.settle()
        return keeper
    }

    private var lines: [String] { server.lines }

    @Test(
        arguments: [
            .page(200), .page(302), .page(403), .page(404), .page(520), .json(200, "{}"),
            .json(403, #"{"type":"about:blank","title":"Forbidden","status":403}"#),
            .problem(307, "tenant-redirected"), .problem(421, "tenant-moved"),
        ] as [FakeServer.Answer])
    func `an answer that is nobody's last word is asked for again`(
        answer: FakeServer.Answer
    ) async throws {
        server.answer(answer)
        let keeper = try keeper()
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        for _ in 0..<5 { await keeper.settle() }
        #expect(lines == ["POST o/registrations", "POST o/registrations"])
    }

    @Test func `what was refused is tried once more when the app is launched`() async throws {
        server.answer(.problem(409, "too-many-registrations"))
        _ = try await settled(of: "o")
        let second = try keeper()
        await second.resume(living: ["c1"])
        await second.settle()
        #expect(lines == ["POST o/registrations", "POST o/registrations"])
    }

    @Test func `the end of an old card does not close the new one`() async throws {
        server.timePasses.withLock { $0 = false }
        server.answer(.unreachable, .unreachable, then: Self.registered)
        let keeper = try keeper()
        await keeper.card("old", of: "o", hasToken: Secret("aa"))
        await keeper.settle()
        await keeper.card("old", of: "o", became: .ended)
        await keeper.card("new", of: "o", hasToken: Secret("bb"))
        await keeper.settle()
        await keeper.settle()
        let reports = server.asked.filter { $0.path.hasSuffix("/report") }.map(\.body)
        #expect(Set(reports) == [#"{"pushToken":"aa","state":"ended"}"#])
    }

    @Test func `nor does that of an old card that listened`() async throws {
        let keeper = try keeper()
        await keeper.cardListens("old", of: "m")
        await keeper.cardListens("new", of: "m")
        await keeper.card("old", of: "m", became: .ended)
        await keeper.settle()
        #expect(server.asked.isEmpty)
        await keeper.card("new", of: "m", became: .ended)
        await keeper.settle()
        #expect(lines == ["POST m/registrations/report"])
    }

    @Test func `a swipe after a rotation without an answer closes the newer token`() async throws {
        let keeper = try await settled(of: "o")
        server.timePasses.withLock { $0 = false }
        server.answer(.unreachable, then: Self.registered)
        await keeper.card("c1", of: "o", hasToken: Secret("bb"))
        await keeper.settle()
        await keeper.card("c1", of: "o", became: .dismissed)
        await keeper.settle()
        #expect(
            lines == [
                "POST o/registrations", "POST o/registrations/rotation",
                "POST o/registrations/rotation", "POST o/registrations/report",
            ])
        #expect(server.asked.last?.body == #"{"pushToken":"bb","state":"dismissed"}"#)
    }

    @Test func `a new card does not wait for what waits`() async throws {
        server.timePasses.withLock { $0 = false }
        server.answer(then: .unreachable)
        let keeper = try await settled(of: "old")
        server.answer(then: Self.registered)
        await keeper.card("c2", of: "new", hasToken: Secret("bb"))
        // Without `settle`, and while the pause goes on.
        #expect(await news(.registered(activity: "new"), keeper))
        #expect(lines.last == "POST new/registrations")
    }

    @Test func `the pause grows although the app asks again and again`() async throws {
        server.timePasses.withLock { $0 = false }
        server.answer(then: .unreachable)
        let keeper = try keeper()
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        for _ in 0..<5 { await keeper.settle() }
        var pauses: [Duration] = []
        for await news in keeper.news {
            if case .waiting(_, let pause) = news { pauses.append(pause) }
            if pauses.count == 5 { break }
        }
        #expect(pauses == [0.5, 1, 2, 4, 8].map { .seconds($0) })
    }

    @Test(arguments: ["60", "Fri, 15 Jan 2027 08:01:00 GMT"])
    func `a server that asks for a pause gets it, whatever it is`(retryAfter: String) async throws {
        server.timePasses.withLock { $0 = false }
        server.answer(then: .page(503, retryAfter: retryAfter))
        let keeper = try keeper()
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        for _ in 0..<5 { await keeper.settle() }
        #expect(server.asked.count == 1)
        await keeper.stop()
        #expect(server.pauses.values.allSatisfy { $0 == .seconds(60) })
    }

    @Test func `a card that is there after all goes on`() async throws {
        server.timePasses.withLock { $0 = false }
        _ = try await settled(of: "o")
        let second = try keeper()
        await second.resume(living: [])
        await second.card("c1", of: "o", became: .active)
        await second.card("c1", of: "o", hasToken: Secret("bb"))
        await second.settle()
        #expect(lines == ["POST o/registrations", "POST o/registrations/rotation"])
    }

    @Test func `a card whose start with a channel failed can be registered again`() async throws {
        let keeper = try await settled(of: "m")
        server.answer(
            .json(200, #"{"use":"channel","channelId":"abc="}"#), then: Self.registered)
        #expect(try await keeper.following("m") == .channel("abc="))
        await keeper.settle()
        #expect(lines == ["POST m/registrations", "POST m/channel"])
        await keeper.card("c1", of: "m", hasToken: Secret("aa"))
        await keeper.settle()
        #expect(lines.last == "POST m/registrations")
    }

    @Test func `work that was stopped is taken up at once`() async throws {
        server.timePasses.withLock { $0 = false }
        server.answer(then: .unreachable)
        let keeper = try await settled(of: "o")
        server.answer(then: Self.registered)
        await keeper.stop()
        await keeper.settle()
        #expect(lines == ["POST o/registrations", "POST o/registrations"])
    }

    @Test func `another language is reported with an older start token`() async throws {
        let taken = Noted<StartToken>()
        let first = try keeper { taken.append($0) }
        await first.canStart("Match", with: Secret("ff"), topics: [])
        await first.settle()
        let second = try keeper(locale: "fr") { taken.append($0) }
        await second.resume(living: [])
        await second.settle()
        #expect(taken.values.map(\.profile.locale) == ["de", "fr"])
    }

    @Test func `a start token that fails delays no other`() async throws {
        let taken = Noted<String>()
        let keeper = try keeper { token in
            taken.append(token.kind)
            if token.kind == "Ride" { throw URLError(.timedOut) }
        }
        server.timePasses.withLock { $0 = false }
        await keeper.canStart("Ride", with: Secret("ff"), topics: ["a:b"])
        await keeper.canStart("Match", with: Secret("ee"), topics: ["a:b"])
        await keeper.settle()
        #expect(taken.values.contains("Match"))
    }

    @Test(.timeLimit(.minutes(5)))
    func `a dismissed card is followed no longer, although its tokens go on`() async throws {
        let keeper = try keeper()
        let (tokens, _) = AsyncStream<Data>.makeStream()
        await keeper.follow("c1", of: "o") {
            tokens
        } states: {
            AsyncStream<CardState> { $0.yield(.dismissed) }
        }
    }

    @Test func `a start token that is refused for good is tried again when it comes again`()
        async throws
    {
        let tries = Counter()
        let refusal = ClientError.unsendable("no JSON")
        let keeper = try keeper { _ in
            tries.increment()
            throw refusal
        }
        await keeper.canStart("Match", with: Secret("ff"), topics: ["a:b"])
        for _ in 0..<3 { await keeper.settle() }
        #expect(tries.value == 1)
        #expect(await news(.notTaken(kind: "Match", refusal), keeper))
        await keeper.canStart("Match", with: Secret("ff"), topics: ["a:b"])
        await keeper.settle()
        #expect(tries.value == 2)
    }

    @Test func `what is refused one after the other is not asked again and again`() async throws {
        let first = try await settled(of: "o")
        server.answer(then: .problem(403, "ticket-too-narrow"))
        let before = server.asked.count
        await first.card("c1", of: "o", became: .stale)
        await first.card("c1", of: "o", hasToken: Secret("bb"))
        for _ in 0..<5 { await first.settle() }
        #expect(server.asked.count - before <= 3)
        // At the next launch each is tried once more.
        let second = try keeper()
        await second.resume(living: ["c1"])
        for _ in 0..<5 { await second.settle() }
        #expect(server.asked.count - before <= 5)
    }

    @Test func `a card that comes late does not take the updates from a newer one`()
        async throws
    {
        server.timePasses.withLock { $0 = false }
        server.answer(.unreachable, then: Self.registered)
        let keeper = try keeper()
        await keeper.card("old", of: "o", hasToken: Secret("aa"))
        await keeper.settle()
        await keeper.card("new", of: "o", hasToken: Secret("bb"))
        await keeper.settle()
        await keeper.settle()
        #expect(server.asked.count == 2)
        #expect(server.asked.last?.body.contains(#""pushToken":"bb""#) == true)
    }

    @Test func `a dismissal after two rotations without an answer is reported by the installation`()
        async throws
    {
        server.timePasses.withLock { $0 = false }
        let keeper = try await settled(of: "o")
        server.answer(
            .unreachable, .unreachable, .problem(409, "rotation-conflict"), then: Self.registered)
        await keeper.card("c1", of: "o", hasToken: Secret("bb"))
        await keeper.settle()
        await keeper.card("c1", of: "o", hasToken: Secret("cc"))
        await keeper.card("c1", of: "o", became: .dismissed)
        await keeper.settle()
        await keeper.settle()
        let installation = await keeper.installation
        #expect(
            server.asked.last?.body
                == #"{"bundleId":"com.example.pizza","installation":"\#(installation)","#
                + #""state":"dismissed"}"#)
    }

    private static let replaced = FakeServer.Answer.json(
        200, #"{"outcome":"closed","closedBy":"replaced"}"#)

    @Test func `a token that Islet takes for replaced is registered once more, later`()
        async throws
    {
        server.answer(Self.replaced, then: Self.registered)
        let keeper = try await settled(of: "o")
        #expect(await news(.registered(activity: "o"), keeper))
        #expect(lines == ["POST o/registrations", "POST o/registrations"])
        #expect(server.asked.first?.body == server.asked.last?.body)
        #expect(server.pauses.values.contains(.seconds(60)))
    }

    @Test(arguments: [true, false])
    func `and then not again before the app is launched, or the card has another one`(
        isLaunch: Bool
    ) async throws {
        server.answer(then: Self.replaced)
        let first = try await settled(of: "o")
        #expect(await news(.closed(activity: "o", by: "replaced"), first))
        await first.card("c1", of: "o", hasToken: Secret("aa"))
        await first.settle()
        #expect(lines.count == 2)
        server.answer(then: Self.registered)
        if isLaunch {
            let second = try keeper()
            await second.resume(living: ["c1"])
            await second.settle()
        } else {
            await first.card("c1", of: "o", hasToken: Secret("bb"))
            await first.settle()
        }
        #expect(lines == Array(repeating: "POST o/registrations", count: 3))
        let token = isLaunch ? "aa" : "bb"
        #expect(server.asked.last?.body.contains(#""pushToken":"\#(token)""#) == true)
    }

    @Test func `another token does not wait for the one that was replaced`() async throws {
        server.timePasses.withLock { $0 = false }
        server.answer(Self.replaced, then: Self.registered)
        let keeper = try await settled(of: "o")
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        await keeper.settle()
        #expect(lines == ["POST o/registrations"])
        await keeper.card("c1", of: "o", hasToken: Secret("bb"))
        await keeper.settle()
        #expect(lines == ["POST o/registrations", "POST o/registrations"])
        #expect(server.asked.last?.body.contains(#""pushToken":"bb""#) == true)
    }

    @Test(arguments: [CardState.ended, .dismissed])
    func `nor does the report that its card is over`(state: CardState) async throws {
        server.timePasses.withLock { $0 = false }
        server.answer(Self.replaced, then: .json(200, #"{"outcome":"noted"}"#))
        let keeper = try await settled(of: "o")
        await keeper.card("c1", of: "o", became: state)
        await keeper.settle()
        #expect(lines == ["POST o/registrations", "POST o/registrations/report"])
        #expect(server.reports.first?.contains(#""state":"\#(state.rawValue)""#) == true)
    }

    @Test func `a retry under way does not cut short the wait for a missing card`() async throws {
        server.timePasses.withLock { $0 = false }
        let keeper = try await settled(of: "o")
        server.answer(.unreachable, then: Self.registered)
        await keeper.card("c1", of: "o", hasToken: Secret("bb"))
        await keeper.settle()
        let before = server.asked.count
        await keeper.resume(living: [])
        await keeper.settle()
        #expect(server.asked.count == before)
        #expect(await comes { server.pauses.values.contains(.seconds(10)) })
    }

    @Test func `a card without a token neither delays nor closes an older one`() async throws {
        server.timePasses.withLock { $0 = false }
        server.answer(.unreachable, then: Self.registered)
        let keeper = try keeper()
        await keeper.card("old", of: "o", hasToken: Secret("aa"))
        await keeper.settle()
        await keeper.card("local", of: "o", became: .active)
        await keeper.settle()
        await keeper.card("local", of: "o", became: .ended)
        await keeper.settle()
        #expect(lines == ["POST o/registrations", "POST o/registrations"])
    }

    @Test(.timeLimit(.minutes(5)))
    func `a settle that is cancelled returns, and lets another one wait`() async throws {
        let (begun, over, settled) = (Counter(), Counter(), Counter())
        let transport = server.transport
        let keeper = try server.keeper(
            store: store,
            transport: HTTPTransport { request in
                begun.increment()
                while over.value == 0 { try await Task.sleep(for: .milliseconds(1)) }
                return try await transport.send(request)
            })
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        while begun.value == 0 { try await Task.sleep(for: .milliseconds(1)) }
        let waits = Task {
            await keeper.settle()
            settled.increment()
        }
        let leaves = Task { await keeper.settle() }
        while await keeper.settling.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
        leaves.cancel()
        await leaves.value
        // The other one waits on.
        #expect(await keeper.settling.count == 1)
        #expect(settled.value == 0)
        over.increment()
        await waits.value
        #expect(settled.value == 1)
    }

    private func news(_ wanted: CardNews, _ keeper: CardKeeper) async -> Bool {
        for await news in keeper.news where news == wanted { return true }
        return false
    }
}
