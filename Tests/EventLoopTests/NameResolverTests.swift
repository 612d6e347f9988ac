import EventLoop
import Glibc
import TestSupport
import Testing

/// Look-ups that hang until they are let go.
private final class StuckLookups: Sendable {
    private let state = Lock((isOpen: false, asked: [String]()))

    var asked: [String] { state.withLock { $0.asked } }

    func letGo() { state.withLock { $0.isOpen = true } }

    var lookup: NameResolver.Lookup {
        { [state] name in
            state.withLock { $0.asked.append(name) }
            while name.hasPrefix("stuck"), !state.withLock({ $0.isOpen }) { usleep(5_000) }
            return name == "nobody" ? .failure(.hostUnknown) : .success(["192.0.2.1"])
        }
    }
}

extension NameResolver {
    fileprivate func answer(_ name: String, for share: String = "one") async -> Answer {
        await withCheckedContinuation { continuation in
            resolve(name, for: share) { continuation.resume(returning: $0) }
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `A name resolver` {
    private let stuck = StuckLookups()

    @Test func `gives what the system says`() async {
        let names = NameResolver()
        let addresses = try? await names.answer("localhost").get()
        #expect(addresses?.contains("127.0.0.1") == true)
        #expect(await names.answer("nobody.invalid") == .failure(.hostUnknown))
    }

    @Test func `has threads for others, however many names of one share hang`() async throws {
        let names = NameResolver(threadsMax: 8, lookup: stuck.lookup)
        let answers = Lock<[NameResolver.Answer]>([])
        for number in 0..<200 {
            names.resolve("stuck-\(number)", for: "bad") { answer in
                answers.withLock { $0.append(answer) }
            }
        }
        #expect(await names.answer("fine", for: "good") == .success(["192.0.2.1"]))
        #expect(await names.answer("nobody", for: "another") == .failure(.hostUnknown))
        // Half of the threads hang, 64 names wait, and the rest were refused at once.
        try await waitUntil { stuck.asked.count { $0.hasPrefix("stuck") } == 4 }
        let refused = answers.withLock { $0 }
        #expect(refused.count == 200 - 4 - 64 || refused.count == 200 - 64)
        #expect(refused.allSatisfy { $0 == .failure(.resolverBusy) })
        stuck.letGo()
        try await waitUntil { answers.withLock { $0.count } == 200 }
    }

    @Test func `asks once for all who want the same name at a time`() async throws {
        let names = NameResolver(threadsMax: 8, lookup: stuck.lookup)
        let answers = Lock<[NameResolver.Answer]>([])
        for _ in 0..<100 {
            names.resolve("stuck", for: "one") { answer in answers.withLock { $0.append(answer) } }
        }
        try await waitUntil { stuck.asked == ["stuck"] }
        stuck.letGo()
        try await waitUntil { answers.withLock { $0.count } == 100 }
        #expect(stuck.asked == ["stuck"])
    }

    @Test func `lets no more than 1,024 wait for one name, and refuses the others at once`()
        async throws
    {
        let names = NameResolver(threadsMax: 8, lookup: stuck.lookup)
        let answers = Lock<[NameResolver.Answer]>([])
        for _ in 0..<1_026 {
            names.resolve("stuck", for: "one") { answer in answers.withLock { $0.append(answer) } }
        }
        #expect(answers.value == [.failure(.resolverBusy), .failure(.resolverBusy)])
        stuck.letGo()
        try await waitUntil { answers.withLock { $0.count } == 1_026 }
        #expect(stuck.asked == ["stuck"])
    }

    @Test func `forgets what it kept before it keeps more than 1,024 names`() async throws {
        let keeping = NameResolver(keepSeconds: 60, lookup: stuck.lookup)
        for number in 0..<1_024 { _ = await keeping.answer("name-\(number)") }
        _ = await keeping.answer("name-0")
        #expect(stuck.asked.count == 1_024)
        _ = await keeping.answer("one more")
        for name in ["one more", "name-0"] { _ = await keeping.answer(name) }
        #expect(stuck.asked.suffix(2) == ["one more", "name-0"])
        #expect(stuck.asked.count == 1_026)
    }

    @Test func `uses an answer again for as long as its options say`() async throws {
        let keeping = NameResolver(keepSeconds: 60, lookup: stuck.lookup)
        for _ in 0..<3 { #expect(await keeping.answer("fine") == .success(["192.0.2.1"])) }
        #expect(stuck.asked == ["fine"])
        // What is not there may be there a moment later.
        for _ in 0..<2 { #expect(await keeping.answer("nobody") == .failure(.hostUnknown)) }
        #expect(stuck.asked == ["fine", "nobody", "nobody"])
        let fresh = NameResolver(lookup: stuck.lookup)
        for _ in 0..<2 { #expect(await fresh.answer("fine") == .success(["192.0.2.1"])) }
        #expect(stuck.asked.count == 5)
    }
}
