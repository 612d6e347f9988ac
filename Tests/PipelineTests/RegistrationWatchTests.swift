import Domain
import EventLoop
import EventStore
import Pipeline
import TestSupport
import Testing

/// How many are there is what the test says; what is asked is kept.
private struct CountedRegistrations: ForwardingRegistrationStore {
    struct State {
        var kept: Int?
        var asked: [Int] = []
    }

    let base: any RegistrationStore
    let state: Lock<State>

    func kept(_: TenantID, _ most: Int) throws(EventStoreError) -> Int {
        let kept = state.withLock { state in
            state.asked.append(most)
            return state.kept
        }
        guard let kept else { throw .unavailable(detail: "away") }
        return min(kept, most)
    }
}

struct `Registrations of a tenant` {
    private let state = Lock(CountedRegistrations.State(kept: 40))
    private let failures = Lock(0)
    private let tenant: TenantID
    private let watch: RegistrationWatch

    init() async throws {
        let shop = try await Shop()
        var store = shop.store
        store.registrations = CountedRegistrations(base: store.registrations, state: state)
        tenant = shop.tenant
        watch = RegistrationWatch(store: store, most: 100) { [failures] _ in
            failures.withLock { $0 += 1 }
        }
    }

    private var counts: Int { state.withLock { $0.asked.count } }

    /// A count rests for a moment after the one before.
    private func waitForCount(_ number: Int) async throws {
        try await waitUntil {
            await watch.look()
            return counts == number
        }
    }

    @Test func `are counted after the first one, and when a part of the room is used up`()
        async throws
    {
        await watch.look()
        #expect(counts == 0)
        #expect(watch.admit(tenant))
        try await waitForCount(1)
        #expect(state.withLock { $0.asked } == [100])
        for _ in 0..<5 { #expect(watch.admit(tenant)) }
        try await Task.sleep(for: .milliseconds(50))
        await watch.look()
        #expect(counts == 1)
        #expect(watch.admit(tenant))
        try await waitForCount(2)
    }

    @Test func `are as many as there may be until some are gone`() async throws {
        state.withLock { $0.kept = 170 }
        #expect(watch.admit(tenant))
        try await waitForCount(1)
        #expect(!watch.admit(tenant))
        // Another tenant has its own.
        #expect(watch.admit(TenantID(rawValue: tenant.rawValue + 1)))
        state.withLock { $0.kept = 99 }
        try await waitUntil {
            await watch.look()
            return watch.admit(tenant)
        }
    }

    @Test func `are counted again when they could not be`() async throws {
        state.withLock { $0.kept = nil }
        #expect(watch.admit(tenant))
        try await waitForCount(1)
        #expect(watch.admit(tenant) && failures.withLock { $0 } == 1)
        state.withLock { $0.kept = 100 }
        try await waitForCount(2)
        #expect(!watch.admit(tenant))
    }
}
