import Foundation
import IsletClient
import Synchronization
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Cards that go before Islet has heard of them, or for another one.
struct CardKeeperEndTests {
    private static let registered = FakeServer.Answer.json(200, #"{"outcome":"registered"}"#)
    private static let noted = FakeServer.Answer.json(200, #"{"outcome":"noted"}"#)
    private let server = FakeServer(then: registered)
    private let store = KeptInMemory()

    private func keeper(
        store other: KeptInMemory? = nil, transport: HTTPTransport? = nil,
        handOver: CardKeeper.StartTokenTaker? = nil
    ) throws -> CardKeeper {
        try server.keeper(store: other ?? store, transport: transport, handOver: handOver)
    }

    private var lines: [String] { server.lines }

    private var reports: [String] { server.reports }

    private static func dismissed(_ installation: String) -> String {
        #"{"bundleId":"com.example.pizza","installation":"\#(installation)","state":"dismissed"}"#
    }

    private static func ended(_ installation: String) -> String {
        #"{"installation":"\#(installation)","state":"ended"}"#
    }

    @Test func `a card swiped away before its registration is reported by the installation`()
        async throws
    {
        server.timePasses.withLock { $0 = false }
        server.answer(then: .unreachable)
        let first = try keeper()
        await first.card("c1", of: "o", hasToken: Secret("aa"))
        await first.settle()
        await first.card("c1", of: "o", became: .dismissed)
        await first.settle()
        await first.stop()
        server.answer(then: Self.noted)
        let second = try keeper()
        await second.resume(living: [])
        for _ in 0..<3 { await second.settle() }
        let installation = await second.installation
        #expect(server.asked.last?.body == Self.dismissed(installation))
        let count = server.asked.count
        await second.settle()
        #expect(server.asked.count == count)
    }

    @Test func `one without a token as well, and one that ended by its token`() async throws {
        server.answer(then: Self.noted)
        let keeper = try keeper()
        await keeper.card("c1", of: "o", became: .dismissed)
        await keeper.settle()
        let installation = await keeper.installation
        #expect(reports == [Self.dismissed(installation)])
        server.answer(.unreachable, then: Self.noted)
        server.timePasses.withLock { $0 = false }
        await keeper.card("c2", of: "p", hasToken: Secret("aa"))
        await keeper.settle()
        await keeper.card("c2", of: "p", became: .ended)
        await keeper.settle()
        #expect(reports.last == #"{"pushToken":"aa","state":"ended"}"#)
    }

    @Test func `a swipe of an older card does not close the one that the phone shows`()
        async throws
    {
        server.timePasses.withLock { $0 = false }
        server.answer(then: .unreachable)
        let keeper = try keeper()
        await keeper.card("old", of: "o", hasToken: Secret("aa"))
        await keeper.settle()
        await keeper.card("new", of: "o", hasToken: Secret("bb"))
        await keeper.card("old", of: "o", became: .dismissed)
        await keeper.settle()
        server.answer(then: Self.registered)
        await keeper.settle()
        #expect(reports.isEmpty)
        #expect(server.asked.last?.body.contains(#""pushToken":"bb""#) == true)
    }

    @Test func `a card that the app ends itself was not swiped away`() async throws {
        let keeper = try keeper()
        await keeper.card("old", of: "o", hasToken: Secret("aa"))
        await keeper.settle()
        await keeper.willEnd("old", of: "o")
        await keeper.card("old", of: "o", became: .dismissed)
        await keeper.card("new", of: "o", hasToken: Secret("bb"))
        await keeper.settle()
        #expect(reports == [#"{"pushToken":"aa","state":"ended"}"#])
        #expect(lines.filter { $0 == "POST o/registrations" }.count == 2)
    }

    @Test(arguments: [true, false])
    func `a card that ended was not swiped away when iOS takes it away later`(
        endIsHeard: Bool
    ) async throws {
        server.timePasses.withLock { $0 = false }
        server.answer(then: .unreachable)
        let keeper = try keeper()
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        await keeper.settle()
        if endIsHeard { server.answer(then: Self.noted) }
        await keeper.card("c1", of: "o", became: .ended)
        await keeper.settle()
        await keeper.card("c1", of: "o", became: .dismissed)
        server.answer(then: Self.noted)
        for _ in 0..<3 { await keeper.settle() }
        #expect(Set(reports) == [#"{"pushToken":"aa","state":"ended"}"#])
    }

    @Test func `nor one that listened, nor one that was registered`() async throws {
        let keeper = try keeper()
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        await keeper.settle()
        await keeper.cardListens("c2", of: "m")
        server.timePasses.withLock { $0 = false }
        server.answer(then: .unreachable)
        for (id, activity) in [("c1", "o"), ("c2", "m")] {
            await keeper.card(id, of: activity, became: .ended)
            await keeper.card(id, of: activity, became: .dismissed)
        }
        server.answer(then: Self.noted)
        for _ in 0..<3 { await keeper.settle() }
        let installation = await keeper.installation
        #expect(
            Set(reports) == [#"{"pushToken":"aa","state":"ended"}"#, Self.ended(installation)])
    }

    /// Whether ActivityKit tells of the newest card before the app does, or after it, or the keeper
    /// has to find out which it is.
    @Test(arguments: [("new", false), ("new", true), (nil, false)] as [(String?, Bool)])
    func `the end of an older card closes nothing of the newest one, which listens`(
        newest: String?, isToldBefore: Bool
    ) async throws {
        let keeper = try keeper()
        await keeper.cardListens("before", of: "m")
        server.answer(then: Self.noted)
        if isToldBefore { await keeper.cardListens("new", of: "m") }
        let ids = ["before", "unheard", "new"]
        let others = await keeper.willEndOthers(among: ids, of: "m", but: newest)
        #expect(others == ["before", "unheard"])
        for id in others { await keeper.card(id, of: "m", became: .dismissed) }
        await keeper.settle()
        #expect(reports.isEmpty)
        await keeper.cardListens("new", of: "m")
        await keeper.card("new", of: "m", became: .dismissed)
        await keeper.settle()
        let installation = await keeper.installation
        #expect(reports == [Self.dismissed(installation)])
    }

    @Test func `nor does one that ends before the one that listens is there`() async throws {
        let keeper = try keeper()
        await keeper.card("old", of: "m", hasToken: Secret("aa"))
        await keeper.settle()
        server.answer(.json(200, #"{"use":"channel","channelId":"abc="}"#), then: Self.noted)
        #expect(try await keeper.following("m") == .channel("abc="))
        await keeper.willEnd("old", of: "m")
        await keeper.settle()
        #expect(reports.isEmpty)
        await keeper.cardListens("new", of: "m")
        await keeper.card("new", of: "m", became: .ended)
        await keeper.settle()
        let installation = await keeper.installation
        #expect(reports == [Self.ended(installation)])
    }

    @Test(arguments: [true, false])
    func `the end of one that listened is reported if a newer one ended before it was registered`(
        isSignOut: Bool
    ) async throws {
        server.timePasses.withLock { $0 = false }
        server.answer(then: .unreachable)
        let keeper = try keeper()
        let installation = await keeper.installation
        await keeper.cardListens("old", of: "m")
        await keeper.card("new", of: "m", hasToken: Secret("bb"))
        await keeper.settle()
        if !isSignOut {
            for id in ["old", "new"] { await keeper.card(id, of: "m", became: .ended) }
        }
        server.answer(.problem(404, "unknown-registration"), then: Self.noted)
        if isSignOut { #expect(await keeper.signOut()) } else { await keeper.settle() }
        #expect(
            reports == [#"{"pushToken":"bb","state":"ended"}"#, Self.ended(installation)])
    }

    @Test(
        arguments: [
            .unreachable, .page(200), .page(504), .problem(503, "overloaded"),
        ] as [FakeServer.Answer])
    func `a lost answer about a channel has the running card registered once more`(
        answer: FakeServer.Answer
    ) async throws {
        let keeper = try keeper()
        await keeper.card("c1", of: "m", hasToken: Secret("aa"))
        await keeper.settle()
        server.answer(answer, then: Self.registered)
        await #expect(throws: ClientError.self) { try await keeper.following("m") }
        await keeper.settle()
        #expect(lines == ["POST m/registrations", "POST m/channel", "POST m/registrations"])
    }

    @Test func `what was surely not done leaves it as it is`() async throws {
        let keeper = try keeper()
        await keeper.card("c1", of: "m", hasToken: Secret("aa"))
        await keeper.settle()
        server.answer(
            .problem(403, "ticket-too-narrow"), .json(200, #"{"use":"pushToken"}"#),
            .json(200, #"{"use":"nothing"}"#), then: Self.registered)
        await #expect(throws: ClientError.self) { try await keeper.following("m") }
        #expect(try await keeper.following("m") == .pushToken)
        #expect(try await keeper.following("m") == .nothing)
        await keeper.settle()
        #expect(lines.filter { $0 == "POST m/registrations" }.count == 1)
    }

    @Test func `an app that dies before the answer registers its card when it is launched`()
        async throws
    {
        let kept = KeptInMemory()
        let store = store
        let transport = server.transport
        let first = try keeper(
            transport: HTTPTransport { request in
                guard request.url?.path.hasSuffix("/channel") == true else {
                    return try await transport.send(request)
                }
                // What another launch would find.
                kept.save(store.load() ?? Data())
                throw URLError(.cannotConnectToHost)
            })
        await first.card("c1", of: "m", hasToken: Secret("aa"))
        await first.settle()
        _ = try? await first.following("m")
        await first.settle()
        await first.stop()
        let before = server.asked.count
        let second = try keeper(store: kept)
        await second.resume(living: ["c1"])
        await second.card("c1", of: "m", hasToken: Secret("aa"))
        await second.settle()
        #expect(lines.dropFirst(before) == ["POST m/registrations"])
    }

    @Test func `a used-up ticket is changed for a fresh one, once`() async throws {
        let tickets = Counter()
        server.timePasses.withLock { $0 = false }
        let keeper = CardKeeper(
            server: try #require(URL(string: "https://islet.example")),
            profile: AppProfile(bundleID: "com.example.pizza", environment: .sandbox),
            store: store, transport: server.transport, timing: server.timing,
            tickets: { _ in Secret("ticket-\(tickets.increment())") }, handOver: nil)
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        await keeper.settle()
        server.answer(.problem(429, "rate-limited", retryAfter: "60"), then: Self.registered)
        await keeper.card("c1", of: "o", hasToken: Secret("bb"))
        await keeper.settle()
        let used = ["ticket-1", "ticket-1", "ticket-2"]
        #expect(server.asked.map(\.bearer) == used.map { "Bearer \($0)" })
        // Where the fresh one is refused too, the server asks for the pause.
        server.answer(then: .problem(429, "rate-limited"))
        await keeper.card("c1", of: "o", hasToken: Secret("cc"))
        for _ in 0..<5 { await keeper.settle() }
        #expect(tickets.value == 3)
    }

    @Test func `why a backend did not take a start token is reported`() async throws {
        server.timePasses.withLock { $0 = false }
        let keeper = try keeper { _ in throw ClientError.unreadable(status: 422) }
        await keeper.canStart("Match", with: Secret("ff"), topics: ["team:ARG"])
        await keeper.settle()
        var news = keeper.news.makeAsyncIterator()
        guard case .waiting(let error, _) = await news.next() else {
            Issue.record("nothing was told")
            return
        }
        #expect(error == .unreadable(status: 422))
    }

    @Test(
        arguments: [
            ("de_DE", "de-DE"), ("zh-Hant_TW", "zh-Hant-TW"), ("en_US@calendar=buddhist", "en-US"),
            ("de-DE-u-ca-buddhist", "de-DE"), ("en_US_POSIX", "en-US-POSIX"), ("C", nil), ("", nil),
            ("de DE", nil), ("deutsch-österreich", nil), ("_DE", nil), ("12-DE", nil), (nil, nil),
        ] as [(String?, String?)])
    func `a language is said as a tag, or not at all`(name: String?, tag: String?) {
        var profile = AppProfile(
            bundleID: "com.example.pizza", environment: .sandbox, locale: name)
        #expect(profile.locale == tag)
        profile.locale = "fr"
        profile.locale = name
        #expect(profile.locale == tag)
    }
}
