import Domain
import Testing

@testable import EventStore

private let acme = TenantID(rawValue: 1)
private let bravo = TenantID(rawValue: 2)

/// Requests whose callers nobody waits for.
private struct Waiting {
    private(set) var queue = AppendQueue()
    private var nextID: UInt64 = 0

    mutating func add(_ tenant: TenantID, events count: Int) async {
        nextID += 1
        let events = (0..<count).map { Samples.event("\(nextID)/\($0)") }
        let id = nextID
        var request: AppendRequest?
        let _: AppendRequest.Answer = await withCheckedContinuation { continuation in
            request = AppendRequest(
                id: id, tenant: tenant, events: events, isAtomic: true,
                continuation: continuation)
            continuation.resume(returning: .success([]))
        }
        if let request { queue.add(request) }
    }

    mutating func take(_ eventsMax: Int) -> [UInt64] {
        queue.takeBatch(eventsMax: eventsMax).map(\.id)
    }

    mutating func remove(_ id: UInt64, of tenant: TenantID) -> UInt64? {
        queue.remove(id, of: tenant)?.id
    }

    mutating func removeOne(before due: ContinuousClock.Instant) -> UInt64? {
        queue.removeOne(enqueuedBefore: due)?.id
    }
}

struct AppendQueueTests {
    @Test func `a batch holds requests of one tenant in their order, and tenants take turns`()
        async
    {
        var waiting = Waiting()
        for tenant in [acme, acme, bravo, acme] { await waiting.add(tenant, events: 2) }
        #expect(waiting.queue.events == 8)
        #expect(waiting.take(4) == [1, 2])
        #expect(waiting.take(4) == [3])
        #expect(waiting.take(4) == [4])
        #expect(waiting.queue.isEmpty)
        #expect(waiting.queue.events == 0)
        #expect(waiting.queue.bytes == 0)
    }

    @Test func `a request larger than a batch is a batch of its own`() async {
        var waiting = Waiting()
        await waiting.add(acme, events: 9)
        await waiting.add(acme, events: 1)
        #expect(waiting.take(4) == [1])
        #expect(waiting.take(4) == [2])
    }

    @Test func `a request that is taken out leaves no trace`() async {
        var waiting = Waiting()
        await waiting.add(acme, events: 1)
        await waiting.add(bravo, events: 3)
        await waiting.add(acme, events: 1)
        #expect(waiting.remove(1, of: bravo) == nil)
        #expect(waiting.remove(2, of: bravo) == 2)
        #expect(waiting.remove(2, of: bravo) == nil)
        #expect(waiting.queue.events == 2)
        #expect(waiting.take(4) == [1, 3])
        #expect(waiting.queue.isEmpty)
    }

    @Test func `the late ones are found among all tenants`() async {
        var waiting = Waiting()
        await waiting.add(acme, events: 1)
        await waiting.add(bravo, events: 1)
        let due = ContinuousClock.now
        await waiting.add(acme, events: 1)
        let late = [waiting.removeOne(before: due), waiting.removeOne(before: due)]
        #expect(late == [1, 2])
        let next = waiting.removeOne(before: due)
        #expect(next == nil)
        #expect(waiting.take(4) == [3])
    }
}
