import Foundation
import IsletClient
import Synchronization
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A phone that was away: of what it missed, APNs kept one push, or none that still counts.
struct CardKeeperRenewalTests {
    private static let known = FakeServer.Answer.json(200, #"{"outcome":"already-known"}"#)
    private let server = FakeServer(then: known)
    private let store = KeptInMemory()

    private func keeper(
        handOver: CardKeeper.StartTokenTaker? = nil
    ) throws -> CardKeeper {
        try server.keeper(store: store, handOver: handOver)
    }

    /// One that has registered a card.
    private func settled() async throws -> CardKeeper {
        let keeper = try keeper()
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        await keeper.settle()
        return keeper
    }

    /// The same, which comes to the front later while the phone has no network.
    private func openedWithoutNetwork() async throws -> CardKeeper {
        let keeper = try await settled()
        server.timePasses.withLock { $0 = false }
        server.pass(seconds: 300)
        server.answer(then: .unreachable)
        await keeper.settle()
        return keeper
    }

    /// The app is launched and comes to the front.
    private func launch(living: Set<String>) async throws {
        let keeper = try keeper()
        await keeper.resume(living: living)
        await keeper.settle()
    }

    private var lines: [String] { server.lines }

    @Test(arguments: [true, false])
    func `an app that is opened asks for what its card has missed`(isLaunch: Bool) async throws {
        let first = try await settled()
        server.pass(seconds: 300)
        if isLaunch { try await launch(living: ["c1"]) } else { await first.settle() }
        #expect(lines == ["POST o/registrations", "POST o/registrations"])
        #expect(server.asked.first?.body == server.asked.last?.body)
    }

    @Test(arguments: [true, false])
    func `one that is opened all the time leaves half of a ticket's uses`(
        isLaunch: Bool
    ) async throws {
        let first = try await settled()
        for _ in 0..<120 {
            server.pass(seconds: 10)
            if isLaunch { try await launch(living: ["c1"]) } else { await first.settle() }
        }
        #expect(lines.count == 11)
    }

    @Test func `a phone whose clock was set back asks as well`() async throws {
        let keeper = try await settled()
        server.pass(seconds: -86_400)
        await keeper.settle()
        await keeper.settle()
        #expect(lines.count == 2)
    }

    /// One that the app plans, and that has a token already.
    private func planned(transport: HTTPTransport? = nil) async throws -> CardKeeper {
        let keeper = try server.keeper(store: store, transport: transport)
        await keeper.card("c1", of: "o", became: .pending)
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        return keeper
    }

    @Test(arguments: [true, false])
    func `a planned card is registered at once, and once more when it has begun`(
        isLaunch: Bool
    ) async throws {
        let first = try await planned()
        await first.settle()
        #expect(lines == ["POST o/registrations"])
        // It may begin while the app does not run.
        let keeper = try isLaunch ? self.keeper() : first
        if isLaunch { await keeper.resume(living: ["c1"]) }
        await keeper.settle()
        #expect(lines.count == 1)
        await keeper.card("c1", of: "o", became: .active)
        await keeper.card("c1", of: "o", became: .active)
        await keeper.settle()
        #expect(lines == ["POST o/registrations", "POST o/registrations"])
        #expect(server.asked.first?.body == server.asked.last?.body)
    }

    /// Becomes something else while its registration is under way.
    private func becomes(_ state: CardState) async throws {
        let (begun, over) = (Counter(), Counter())
        let transport = server.transport
        let keeper = try await planned(
            transport: HTTPTransport { request in
                begun.increment()
                while over.value == 0 { try await Task.sleep(for: .milliseconds(1)) }
                return try await transport.send(request)
            })
        #expect(await comes { begun.value == 1 })
        await keeper.card("c1", of: "o", became: state)
        over.increment()
        await keeper.settle()
    }

    @Test func `one that begins while it is registered is registered once more`() async throws {
        try await becomes(.active)
        #expect(lines == ["POST o/registrations", "POST o/registrations"])
    }

    @Test func `one that is dismissed while it is registered is closed by its token`() async throws
    {
        try await becomes(.dismissed)
        #expect(server.reports == [#"{"pushToken":"aa","state":"dismissed"}"#])
        #expect(lines.count == 2)
    }

    @Test func `one that is taken back before it begins is reported as it is`() async throws {
        let keeper = try await planned()
        await keeper.settle()
        await keeper.card("c1", of: "o", became: .ended)
        await keeper.settle()
        #expect(server.reports == [#"{"pushToken":"aa","state":"ended"}"#])
        #expect(lines.count == 2)
    }

    @Test func `a card that an earlier build of the app has kept is read, and asked about`()
        async throws
    {
        _ = try await settled()
        try forget("answeredAt", of: "cards")
        try await launch(living: ["c1"])
        try await launch(living: ["c1"])
        #expect(lines == ["POST o/registrations", "POST o/registrations"])
        #expect(Set(server.asked.map(\.body)).count == 1)
    }

    /// The one that is kept has it no more, as if an earlier build had kept it.
    private func forget(_ member: String, of list: String) throws {
        let json = try JSONSerialization.jsonObject(with: try #require(store.load()))
        var kept = try #require(json as? [String: Any])
        var rows = try #require(kept[list] as? [[String: Any]])
        #expect(rows.count == 1)
        for index in rows.indices {
            let removed = rows[index].removeValue(forKey: member)
            #expect(removed != nil)
        }
        kept[list] = rows
        store.save(try JSONSerialization.data(withJSONObject: kept))
    }

    @Test func `a card that is over, gone, closed, older or listening is left as it is`()
        async throws
    {
        let first = try keeper()
        await first.card("over", of: "o1", hasToken: Secret("a1"))
        await first.settle()
        await first.card("over", of: "o1", became: .ended)
        await first.card("gone", of: "o2", hasToken: Secret("a2"))
        await first.settle()
        server.answer(.json(200, #"{"outcome":"closed","closedBy":"dismissed"}"#))
        await first.card("closed", of: "o3", hasToken: Secret("a3"))
        await first.settle()
        await first.cardListens("listens", of: "o4")
        await first.card("older", of: "o5", hasToken: Secret("a5"))
        await first.settle()
        await first.card("newer", of: "o5", hasToken: Secret("b5"))
        await first.settle()
        server.timePasses.withLock { $0 = false }
        server.pass(seconds: 300)
        let before = server.asked.count
        try await launch(living: ["closed", "listens", "older", "newer"])
        let asked = server.asked.dropFirst(before)
        #expect(asked.map(\.path) == ["/v1/activities/o5/registrations"])
        #expect(asked.first?.body.contains(#""pushToken":"b5""#) == true)
    }

    @Test func `a token that came meanwhile is enough`() async throws {
        let keeper = try await settled()
        server.pass(seconds: 300)
        await keeper.card("c1", of: "o", hasToken: Secret("bb"))
        await keeper.settle()
        await keeper.settle()
        #expect(lines == ["POST o/registrations", "POST o/registrations/rotation"])
    }

    @Test func `a swipe before the answer is reported under the token that Islet knows`()
        async throws
    {
        let keeper = try await openedWithoutNetwork()
        server.answer(then: .json(200, #"{"outcome":"noted"}"#))
        await keeper.card("c1", of: "o", became: .dismissed)
        await keeper.settle()
        #expect(
            lines == [
                "POST o/registrations", "POST o/registrations", "POST o/registrations/report",
            ])
        #expect(server.reports == [#"{"pushToken":"aa","state":"dismissed"}"#])
    }

    @Test func `what was missed while the phone has no network is asked for when it has`()
        async throws
    {
        let keeper = try await openedWithoutNetwork()
        server.answer(then: Self.known)
        await keeper.settle()
        await keeper.settle()
        #expect(lines == Array(repeating: "POST o/registrations", count: 3))
    }

    /// The app is launched, and ActivityKit gives the token that it gave before.
    private func launchWithStartToken(
        topics: [String] = ["team:ARG"], _ handOver: @escaping CardKeeper.StartTokenTaker
    ) async throws -> CardKeeper {
        let keeper = try keeper(handOver: handOver)
        await keeper.resume(living: [])
        await keeper.canStart("Match", with: Secret("ff"), topics: topics)
        await keeper.settle()
        return keeper
    }

    @Test(arguments: [true, false])
    func `a push-to-start token is handed over once more when a day has passed`(
        isLaunch: Bool
    ) async throws {
        let taken = Noted<StartToken>()
        var keeper = try await launchWithStartToken { taken.append($0) }
        var counts: [Int] = []
        for hours in [0, 1, 22, 2, 23, -50, 1] {
            server.pass(seconds: Double(hours) * 3600)
            if isLaunch {
                keeper = try await launchWithStartToken { taken.append($0) }
            } else {
                await keeper.settle()
            }
            counts.append(taken.values.count)
        }
        // Also when the phone's clock was set back.
        #expect(counts == [1, 1, 1, 2, 2, 3, 3])
        #expect(Set(taken.values).count == 1)
    }

    @Test func `a push-to-start token that an earlier build has kept is handed over once more`()
        async throws
    {
        let taken = Noted<StartToken>()
        _ = try await launchWithStartToken { taken.append($0) }
        try forget("handedOverAt", of: "startTokens")
        for _ in 0..<2 { _ = try await launchWithStartToken { taken.append($0) } }
        #expect(taken.values.count == 2)
    }

    @Test func `one whose person follows nothing is removed once`() async throws {
        let taken = Noted<StartToken>()
        for _ in 0..<2 {
            _ = try await launchWithStartToken(topics: []) { taken.append($0) }
            server.pass(seconds: 25 * 3600)
        }
        #expect(taken.values.count == 1)
    }
}
