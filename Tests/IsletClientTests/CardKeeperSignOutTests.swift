import Foundation
import IsletClient
import Synchronization
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a person who signs out leaves behind, and what the next one gets.
struct CardKeeperSignOutTests {
    private static let registered = FakeServer.Answer.json(200, #"{"outcome":"registered"}"#)
    private static let noted = FakeServer.Answer.json(200, #"{"outcome":"noted"}"#)
    private let server = FakeServer(then: registered)
    private let store = KeptInMemory()

    private let tickets = Counter()

    private func keeper(
        store other: (any StateStore)? = nil, transport: HTTPTransport? = nil,
        handOver: CardKeeper.StartTokenTaker? = nil
    ) throws -> CardKeeper {
        try server.keeper(
            store: other ?? store, transport: transport,
            tickets: { [tickets] _ in Secret("\(tickets.increment())") }, handOver: handOver)
    }

    private var reports: [String] { server.reports }

    private static func ended(_ installation: String) -> String {
        #"{"installation":"\#(installation)","state":"ended"}"#
    }

    @Test func `a person who signs out leaves nothing behind for the next one`() async throws {
        server.timePasses.withLock { $0 = false }
        let taken = Noted<StartToken>()
        let keeper = try keeper { taken.append($0) }
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        await keeper.cardListens("c2", of: "m")
        await keeper.canStart("Match", with: Secret("ff"), topics: ["team:ARG"])
        await keeper.canStart("Ride", with: Secret("ee"), topics: ["customer:1"])
        await keeper.settle()
        let before = await keeper.installation
        server.answer(then: Self.noted)
        #expect(await keeper.signOut())
        #expect(
            Set(reports) == [#"{"pushToken":"aa","state":"ended"}"#, Self.ended(before)])
        let removed = taken.values.filter(\.topics.isEmpty)
        #expect(Set(removed.map(\.kind)) == ["Match", "Ride"])
        #expect(removed.allSatisfy { $0.installation == before })
        // What ActivityKit says of them afterwards is no news.
        let count = server.asked.count
        await keeper.card("c1", of: "o", became: .dismissed)
        await keeper.settle()
        #expect(server.asked.count == count)
        let after = await keeper.installation
        #expect(after != before)
        await keeper.canStart("Match", with: Secret("ff"), topics: ["team:FRA"])
        await keeper.settle()
        #expect(taken.values.last?.installation == after)
        #expect(taken.values.last?.topics == ["team:FRA"])
    }

    @Test(.timeLimit(.minutes(5)))
    func `a sign-out without network ends, and is reported later by the old name`()
        async throws
    {
        let taken = Noted<StartToken>()
        let turns = Counter()
        let keeper = try keeper { token in
            if turns.value == 1 { throw URLError(.notConnectedToInternet) }
            taken.append(token)
        }
        await keeper.cardListens("c1", of: "m")
        await keeper.canStart("Match", with: Secret("ff"), topics: ["team:ARG"])
        await keeper.settle()
        let before = await keeper.installation
        turns.increment()
        // However long it asks to wait.
        server.answer(then: .page(503, retryAfter: "60"))
        #expect(await !keeper.signOut(within: .milliseconds(10)))
        await keeper.stop()
        #expect(await keeper.installation != before)
        turns.increment()
        server.answer(then: Self.noted)
        let second = try self.keeper(handOver: { taken.append($0) })
        await second.resume(living: [])
        for _ in 0..<5 { await second.settle() }
        #expect(reports.last == Self.ended(before))
        #expect(taken.values.last?.installation == before)
        #expect(taken.values.last?.topics == [])
    }

    @Test(.timeLimit(.minutes(5)))
    func `a hand-over that is under way at a sign-out is taken back afterwards`() async throws {
        let taken = Noted<StartToken>()
        let (begun, over) = (Counter(), Counter())
        let keeper = try keeper { token in
            begun.increment()
            while over.value == 0, !token.topics.isEmpty {
                try await Task.sleep(for: .milliseconds(1))
            }
            taken.append(token)
        }
        await keeper.canStart("Match", with: Secret("ff"), topics: ["team:ARG"])
        let before = await keeper.installation
        while begun.value == 0 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(await !keeper.signOut(within: .milliseconds(10)))
        over.increment()
        for _ in 0..<5 { await keeper.settle() }
        #expect(taken.values.last?.installation == before)
        #expect(taken.values.last?.topics == [])
    }

    @Test(.timeLimit(.minutes(5)))
    func `a sign-out before the first unlocking says so, and is finished after it`()
        async throws
    {
        let taken = Noted<StartToken>()
        let first = try keeper { taken.append($0) }
        await first.card("c1", of: "o", hasToken: Secret("aa"))
        await first.cardListens("c2", of: "m")
        await first.canStart("Match", with: Secret("ff"), topics: ["team:ARG"])
        await first.settle()
        await first.stop()
        let before = await first.installation
        let locked = Locked(store)
        let second = try keeper(store: locked) { taken.append($0) }
        #expect(await !second.signOut(within: .milliseconds(10)))
        #expect(reports.isEmpty)
        let after = await second.installation
        // The next one has a card of the same activity.
        await second.card("c3", of: "m", hasToken: Secret("bb"))
        locked.isOpen.withLock { $0 = true }
        // By itself, as soon as it can be read.
        while reports.count < 2 || taken.values.last?.topics != [] {
            try await Task.sleep(for: .milliseconds(1))
        }
        await second.card("c1", of: "o", became: .dismissed)
        await second.settle()
        #expect(Set(reports) == [#"{"pushToken":"aa","state":"ended"}"#, Self.ended(before)])
        #expect(taken.values.last?.installation == before)
        #expect(await second.installation == after)
        let tokens = server.asked.filter { $0.body.contains(#""pushToken":"bb""#) }.map(\.body)
        #expect(tokens.count == 1)
        #expect(tokens.allSatisfy { $0.contains(after) })
        #expect(try await keeper().installation == after)
    }

    @Test(.timeLimit(.minutes(5)))
    func `what comes while a sign-out waits is the next person's`() async throws {
        server.timePasses.withLock { $0 = false }
        let taken = Noted<StartToken>()
        let (begun, over) = (Counter(), Counter())
        let keeper = try keeper { token in
            while token.topics.isEmpty, over.value == 0 {
                begun.increment()
                try await Task.sleep(for: .milliseconds(1))
            }
            taken.append(token)
        }
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        await keeper.canStart("Match", with: Secret("ff"), topics: ["team:ARG"])
        await keeper.settle()
        let before = await keeper.installation
        async let signOut = keeper.signOut()
        while begun.value == 0 { try await Task.sleep(for: .milliseconds(1)) }
        await keeper.card("c2", of: "o", hasToken: Secret("bb"))
        await keeper.canStart("Match", with: Secret("ff"), topics: ["team:FRA"])
        over.increment()
        let isDone = await signOut
        #expect(isDone)
        await keeper.settle()
        let after = await keeper.installation
        #expect(after != before)
        #expect(taken.values.map(\.topics) == [["team:ARG"], [], ["team:FRA"]])
        #expect(taken.values.map(\.installation) == [before, before, after])
        #expect(reports == [#"{"pushToken":"aa","state":"ended"}"#])
        let last = server.asked.last?.body ?? ""
        #expect(last.contains(#""pushToken":"bb""#) && last.contains(after))
    }

    @Test(.timeLimit(.minutes(5)))
    func `a task that was cancelled before a sign-out hands nothing over afterwards`()
        async throws
    {
        let taken = Noted<StartToken>()
        let keeper = try keeper { taken.append($0) }
        let following = Task {
            while !Task.isCancelled { await Task.yield() }
            await keeper.followStartTokens("Match", topics: ["team:ARG"]) {
                Data([0xff])
            } tokens: {
                AsyncStream<Data> { $0.yield(Data([0xee])) }
            }
        }
        following.cancel()
        await following.value
        await keeper.settle()
        #expect(taken.values.isEmpty)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a push-to-start token that is there is handed over, and each that comes`()
        async throws
    {
        let taken = Noted<StartToken>()
        let keeper = try keeper { taken.append($0) }
        await keeper.followStartTokens("Match", topics: ["team:ARG"]) {
            Data([0xff])
        } tokens: {
            AsyncStream<Data> { $0.finish() }
        }
        await keeper.settle()
        await keeper.followStartTokens("Match", topics: ["team:ARG"]) {
            nil
        } tokens: {
            AsyncStream<Data> {
                $0.yield(Data([0xee]))
                $0.finish()
            }
        }
        await keeper.settle()
        #expect(taken.values.map(\.token) == [Secret("ff"), Secret("ee")])
    }

    @Test(.timeLimit(.minutes(5)))
    func `a channel that is asked for while its person signs out is given up`() async throws {
        let (begun, over) = (Counter(), Counter())
        let keeper = try keeper(transport: server.delayingChannels(begun, until: over))
        let before = await keeper.installation
        let asking = Task { try await keeper.following("m") }
        while begun.value == 0 { try await Task.sleep(for: .milliseconds(1)) }
        // Its time is over before the answer has come.
        #expect(await !keeper.signOut())
        await keeper.card("c1", of: "m", hasToken: Secret("aa"))
        await keeper.settle()
        server.answer(.json(200, #"{"use":"channel","channelId":"abc="}"#), then: Self.noted)
        over.increment()
        await #expect(throws: ClientError.cancelled) { try await asking.value }
        await keeper.settle()
        #expect(reports == [Self.ended(before)])
        // The next person's card goes on.
        await keeper.card("c1", of: "m", hasToken: Secret("bb"))
        await keeper.settle()
        #expect(server.asked.last?.body == #"{"from":"aa","to":"bb"}"#)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a sign-out waits for a channel that is asked for, and until it is given up`()
        async throws
    {
        server.timePasses.withLock { $0 = false }
        let (begun, over) = (Counter(), Counter())
        let channels = FakeServer(then: .json(200, #"{"use":"channel","channelId":"abc="}"#))
        let keeper = try keeper(
            transport: server.delayingChannels(begun, until: over, for: channels))
        let before = await keeper.installation
        server.answer(then: Self.noted)
        let asking = Task { try await keeper.following("m") }
        while begun.value == 0 { try await Task.sleep(for: .milliseconds(1)) }
        let leaving = Task { await keeper.signOut() }
        #expect(await comes { await keeper.installation != before })
        over.increment()
        #expect(await leaving.value)
        #expect(reports == [Self.ended(before)])
        await #expect(throws: ClientError.cancelled) { try await asking.value }
    }

    @Test(.timeLimit(.minutes(5)))
    func `each channel that is asked for while its person signs out is given up`() async throws {
        let (begun, over) = (Counter(), Counter())
        let channels = FakeServer(then: .json(200, #"{"use":"channel","channelId":"abc="}"#))
        let (transport, other) = (server.transport, channels.transport)
        let keeper = try keeper(
            transport: HTTPTransport { request in
                guard request.url?.path.hasSuffix("/channel") == true else {
                    return try await transport.send(request)
                }
                let turn = begun.increment()
                while over.value < turn { try await Task.sleep(for: .milliseconds(1)) }
                return try await other.send(request)
            })
        let before = await keeper.installation
        server.answer(then: Self.noted)
        var asking: [Task<Following, any Error>] = []
        for turn in 1...2 {
            asking.append(Task { try await keeper.following("m") })
            while begun.value < turn { try await Task.sleep(for: .milliseconds(1)) }
        }
        await keeper.signOut()
        for (turn, task) in asking.enumerated() {
            over.increment()
            await #expect(throws: ClientError.cancelled) { try await task.value }
            await keeper.settle()
            #expect(reports == Array(repeating: Self.ended(before), count: turn + 1))
        }
    }

    @Test(arguments: [.unreadable(status: 403), .unsendable("no JSON")] as [ClientError])
    func `a token of theirs that the backend refuses for good is given up`(
        refusal: ClientError
    ) async throws {
        server.timePasses.withLock { $0 = false }
        let tries = Counter()
        let taker: CardKeeper.StartTokenTaker = { token in
            guard token.topics.isEmpty else { return }
            tries.increment()
            throw refusal
        }
        let first = try keeper(handOver: taker)
        await first.canStart("Match", with: Secret("ff"), topics: ["team:ARG"])
        await first.settle()
        #expect(await !first.signOut())
        #expect(tries.value == 1)
        // The next person leaves nothing behind.
        #expect(await first.signOut())
        await first.stop()
        let second = try keeper(handOver: taker)
        await second.resume(living: [])
        for _ in 0..<3 { await second.settle() }
        #expect(tries.value == 1)
    }

    @Test func `the next person asks with a ticket of their own, about the same activity too`()
        async throws
    {
        server.timePasses.withLock { $0 = false }
        let keeper = try keeper()
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        await keeper.settle()
        server.answer(then: .unreachable)
        #expect(await !keeper.signOut())
        server.answer(then: Self.registered)
        await keeper.card("c2", of: "o", hasToken: Secret("bb"))
        await keeper.settle()
        let theirs = server.asked.filter { $0.body.contains(#""pushToken":"aa""#) }
        let next = server.asked.filter { $0.body.contains(#""pushToken":"bb""#) }
        #expect(Set(theirs.map(\.bearer)) == ["Bearer 1"])
        #expect(next.map(\.bearer) == ["Bearer 2"])
    }

    @Test func `nor does a card of theirs that Islet refuses for good concern the next person`()
        async throws
    {
        server.timePasses.withLock { $0 = false }
        let keeper = try keeper()
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        await keeper.settle()
        server.answer(then: .problem(403, "ticket-too-narrow"))
        #expect(await !keeper.signOut())
        #expect(await keeper.signOut())
        #expect(reports.count == 1)
    }
}
