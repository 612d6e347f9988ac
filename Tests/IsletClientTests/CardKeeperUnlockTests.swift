import Foundation
import IsletClient
import Synchronization
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What becomes of an app that iOS launches before the phone is unlocked for the first time, when
/// what it kept cannot be read yet.
struct CardKeeperUnlockTests {
    private static let registered = FakeServer.Answer.json(200, #"{"outcome":"registered"}"#)
    private static let channel = FakeServer.Answer.json(
        200, #"{"use":"channel","channelId":"abc="}"#)
    private let server = FakeServer(then: registered)
    private let store = KeptInMemory()

    private func keeper(
        store other: (any StateStore)? = nil, transport: HTTPTransport? = nil,
        locale: String = "de", handOver: CardKeeper.StartTokenTaker? = nil
    ) throws -> CardKeeper {
        try server.keeper(
            store: other ?? store, transport: transport, locale: locale, handOver: handOver)
    }

    /// One that got a card's first token and has tried to register it.
    private func settled(of activity: String) async throws -> CardKeeper {
        let keeper = try keeper()
        await keeper.card("c1", of: activity, hasToken: Secret("aa"))
        await keeper.settle()
        return keeper
    }

    private var lines: [String] { server.lines }

    @Test func `what cannot be read before the first unlocking is not written over`()
        async throws
    {
        let first = try await settled(of: "o")
        let locked = Locked(store)
        let second = try keeper(store: locked)
        await second.card("c2", of: "p", hasToken: Secret("bb"))
        await second.settle()
        locked.isOpen.withLock { $0 = true }
        await second.card("c1", of: "o", became: .dismissed)
        await second.settle()
        #expect(await second.installation == first.installation)
        // Of two activities either may come first.
        let report = #"{"pushToken":"aa","state":"dismissed"}"#
        #expect(server.asked.contains { $0.body == report })
    }

    @Test func `a damaged store is replaced also when it could not be read at first`()
        async throws
    {
        store.save(Data("{".utf8))
        let locked = Locked(store)
        let keeper = try keeper(store: locked)
        locked.isOpen.withLock { $0 = true }
        await keeper.card("c1", of: "o", hasToken: Secret("aa"))
        await keeper.settle()
        #expect(store.load()?.count ?? 0 > 1)
    }

    @Test func `a launch before the first unlocking is carried out after it`() async throws {
        let first = try keeper { _ in }
        await first.card("c1", of: "o", hasToken: Secret("aa"))
        await first.canStart("Match", with: Secret("ff"), topics: ["a:b"])
        await first.settle()
        let locked = Locked(store)
        let taken = Noted<StartToken>()
        let second = try keeper(store: locked, locale: "fr") { taken.append($0) }
        await second.resume(living: [])
        locked.isOpen.withLock { $0 = true }
        await second.setFrequentUpdates(true)
        let report = #"{"pushToken":"aa","state":"ended"}"#
        #expect(
            await comes {
                await second.settle()
                return server.asked.last?.body == report
                    && taken.values.last?.profile.locale == "fr"
            })
    }

    @Test func `a card that came before the store was read is not taken for gone`() async throws {
        let first = try await settled(of: "o")
        let locked = Locked(store)
        let second = try keeper(store: locked)
        await second.resume(living: ["c1"])
        await second.card("c2", of: "p", hasToken: Secret("bb"))
        await second.card("c1", of: "o", hasToken: Secret("aa"))
        await second.settle()
        locked.isOpen.withLock { $0 = true }
        await second.setFrequentUpdates(true)
        for _ in 0..<20 { await second.settle() }
        #expect(!lines.contains { $0.hasSuffix("report") })
        // Both are registered once more, by the name that the phone goes by.
        let installation = await second.installation
        #expect(await first.installation == installation)
        let last = server.asked.suffix(2).map(\.body)
        #expect(last.allSatisfy { $0.contains(installation) } && Set(last).count == 2)
    }

    @Test func `a swipe that came before the store was read is reported by the phone's own name`()
        async throws
    {
        let first = try await settled(of: "o")
        let locked = Locked(store)
        let second = try keeper(store: locked)
        await second.card("c2", of: "p", became: .dismissed)
        await second.settle()
        locked.isOpen.withLock { $0 = true }
        await second.setFrequentUpdates(true)
        for _ in 0..<5 { await second.settle() }
        let installation = await first.installation
        let swiped =
            #"{"bundleId":"com.example.pizza","installation":"\#(installation)","#
            + #""state":"dismissed"}"#
        #expect(server.asked.contains { $0.body == swiped })
    }

    @Test func `a card that had ended is not taken for swiped away`() async throws {
        let first = try await settled(of: "o")
        await first.card("c1", of: "o", became: .ended)
        await first.settle()
        let locked = Locked(store)
        let second = try keeper(store: locked)
        await second.card("c1", of: "o", became: .dismissed)
        await second.settle()
        locked.isOpen.withLock { $0 = true }
        await second.setFrequentUpdates(true)
        for _ in 0..<5 { await second.settle() }
        let installation = await first.installation
        #expect(
            !server.asked.contains {
                $0.body.contains("dismissed")
                    && ($0.body.contains(installation) || $0.body.contains("pushToken"))
            })
    }

    @Test func `a channel that is asked for after it is asked for by the phone's own name`()
        async throws
    {
        let first = try await settled(of: "o")
        let locked = Locked(store)
        let second = try keeper(store: locked)
        await second.resume(living: ["c1"])
        locked.isOpen.withLock { $0 = true }
        server.answer(then: Self.channel)
        #expect(try await second.following("o") == .channel("abc="))
        let asked = server.asked.filter { $0.path.hasSuffix("/channel") }.map(\.body)
        let installation = await first.installation
        #expect(asked.count == 1)
        #expect(asked.allSatisfy { $0.contains(installation) })
        // Whose token Islet has closed with the answer is known as well.
        server.answer(then: Self.registered)
        await second.card("c1", of: "o", hasToken: Secret("aa"))
        await second.settle()
        #expect(server.asked.last?.path == "/v1/activities/o/registrations")
    }

    @Test(.timeLimit(.minutes(5)))
    func `a channel that is asked for at that time is asked for once more`() async throws {
        let first = try await settled(of: "o")
        let locked = Locked(store)
        let (begun, over) = (Counter(), Counter())
        let channels = FakeServer(then: Self.channel)
        let second = try keeper(
            store: locked,
            transport: server.delayingChannels(begun, until: over, for: channels))
        let before = await second.installation
        let asking = Task { try await second.following("m") }
        while begun.value == 0 { try await Task.sleep(for: .milliseconds(1)) }
        locked.isOpen.withLock { $0 = true }
        await second.settle()
        let installation = await first.installation
        #expect(await second.installation == installation)
        server.answer(then: .json(200, #"{"outcome":"noted"}"#))
        over.increment()
        #expect(try await asking.value == .channel("abc="))
        let asked = channels.asked.map(\.body)
        #expect(asked.count == 2)
        #expect(asked.first?.contains(before) == true)
        #expect(asked.last?.contains(installation) == true)
        await second.settle()
        let ended = #"{"installation":"\#(before)","state":"ended"}"#
        #expect(server.asked.last?.body == ended)
    }
}

/// A phone's file before it was unlocked.
final class Locked: StateStore {
    private let store: KeptInMemory
    let isOpen = Mutex(false)

    init(_ store: KeptInMemory) { self.store = store }

    func load() throws -> Data? {
        guard isOpen.withLock({ $0 }) else { throw CocoaError(.fileReadNoPermission) }
        return store.load()
    }

    func save(_ new: Data) throws {
        guard isOpen.withLock({ $0 }) else { throw CocoaError(.fileWriteNoPermission) }
        store.save(new)
    }
}
