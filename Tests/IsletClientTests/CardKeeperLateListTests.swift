import Foundation
import Synchronization
import Testing

@testable import IsletClient

/// ActivityKit has at the launch less than it has a moment later.
@Suite(.timeLimit(.minutes(5)))
struct CardKeeperLateListTests {
    private static let registered = FakeServer.Answer.json(200, #"{"outcome":"registered"}"#)
    private let server = FakeServer(then: registered)
    private let store = KeptInMemory()
    private let followed = Counter()

    private func keeper(handOver: CardKeeper.StartTokenTaker? = nil) throws -> CardKeeper {
        try server.keeper(store: store, handOver: handOver)
    }

    /// A second launch, at which ActivityKit lists none of the cards that the first one had.
    private func launched(showing names: Set<String>) async throws -> CardKeeper {
        let first = try keeper()
        await first.card("c1", of: "o", hasToken: Secret("aa"))
        await first.settle()
        server.pass(seconds: 300)
        let second = try keeper()
        await second.shows(
            "PizzaDelivery",
            ShownKind(
                names: { names }, end: { _ in }, follow: { [followed] in followed.increment() }))
        await second.resume(living: [])
        return second
    }

    @Test(arguments: [true, false])
    func `a card that it lists late is followed, and not reported as ended`(
        isSettled: Bool
    ) async throws {
        server.timePasses.withLock { $0 = !isSettled }
        let keeper = try await launched(showing: ["c1"])
        if isSettled { await keeper.settle() }
        // It gets what it missed, as any that was there.
        #expect(await comes { server.lines.count == 2 })
        #expect(server.lines == ["POST o/registrations", "POST o/registrations"])
        #expect(followed.value == 1)
        await keeper.settle()
        #expect(server.reports.isEmpty)
    }

    @Test func `one that it does not list then is reported`() async throws {
        let keeper = try await launched(showing: ["c2"])
        #expect(await comes { server.reports == [#"{"pushToken":"aa","state":"ended"}"#] })
        await keeper.settle()
        #expect(server.lines.count == 2)
    }

    @Test func `a push-to-start token that comes late is handed over, until the person signs out`()
        async throws
    {
        let taken = Noted<StartToken>()
        let present = Noted<Data>()
        let keeper = try keeper { token in
            taken.append(token)
            if token.token == Secret("ee") { throw ClientError.unsendable("no JSON") }
        }
        let following = Task {
            await keeper.followStartTokens("Match", topics: ["team:ARG"]) {
                present.values.last
            } tokens: {
                AsyncStream<Data> { _ in }
            }
        }
        while await keeper.startTokenSources.isEmpty { await Task.yield() }
        await keeper.settle()
        #expect(taken.values.isEmpty)
        present.append(Data([0xff]))
        for _ in 0..<2 { await keeper.settle() }
        #expect(taken.values.map(\.token) == [Secret("ff")])
        #expect(taken.values.first?.topics == ["team:ARG"])
        // What is refused for good is not asked again.
        present.append(Data([0xee]))
        for _ in 0..<2 { await keeper.settle() }
        #expect(taken.values.map(\.token) == [Secret("ff"), Secret("ee")])
        await keeper.signOut()
        present.append(Data([0xdd]))
        for _ in 0..<2 { await keeper.settle() }
        #expect(taken.values.filter { !$0.topics.isEmpty }.count == 2)
        following.cancel()
        await following.value
        #expect(await keeper.startTokenSources.isEmpty)
    }
}
