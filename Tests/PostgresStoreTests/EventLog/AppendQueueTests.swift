import Domain
@testable import EventStore
import Testing

@testable import PostgresStore

private let acme = TenantID(rawValue: 1)
private let bravo = TenantID(rawValue: 2)
private let charlie = TenantID(rawValue: 3)
private let delta = TenantID(rawValue: 4)

extension EventStoreError {
    fileprivate static func share(_ amount: String) -> Self {
        .overloaded(
            detail: "\(amount) wait to be recorded already, which is its own share of the queue")
    }

    fileprivate static func full(_ what: String) -> Self {
        .overloaded(detail: "too many \(what) wait to be recorded")
    }
}

/// Requests whose callers nobody waits for.
private struct Waiting {
    private(set) var queue: AppendQueue
    private var nextID: UInt64 = 0
    /// Of the requests that were refused.
    private(set) var refusals: [UInt64: EventStoreError] = [:]

    init(queuedEventsMax: Int = 20_000) {
        queue = AppendQueue(
            AppendLimits(queuedEventsMax: queuedEventsMax, queueWaitSeconds: 1))
    }

    mutating func add(_ tenant: TenantID, events count: Int, dataBytes: Int = 8) async {
        nextID += 1
        let data = "\"\(String(repeating: "x", count: dataBytes - 2))\""
        let events = (0..<count).map { Samples.event("\(nextID)/\($0)", data: data) }
        let id = nextID
        var request: AppendRequest?
        let _: AppendRequest.Answer = await withCheckedContinuation { continuation in
            request = AppendRequest(
                id: id, tenant: tenant, events: events, isAtomic: true,
                continuation: continuation)
            continuation.resume(returning: .success([]))
        }
        guard let request else { return }
        refusals[id] = queue.refusal(of: request)
        if refusals[id] == nil { queue.add(request) }
    }

    mutating func take(_ eventsMax: Int) -> [UInt64] {
        queue.takeBatch(.init(events: eventsMax, bytes: Limits.batchBytesMax)).map(\.id)
    }

    mutating func takeSmall(without busy: [TenantID] = []) -> [UInt64] {
        queue.takeBatch(.small, without: busy).map(\.id)
    }

    mutating func takeCounting(_ eventsMax: Int) -> (TenantID, events: Int) {
        let batch = queue.takeBatch(.init(events: eventsMax, bytes: Limits.batchBytesMax))
        return (batch[0].tenant, batch.reduce(0) { $0 + $1.events.count })
    }

    mutating func remove(_ id: UInt64, of tenant: TenantID) -> UInt64? {
        queue.remove(id, of: tenant)?.id
    }

    mutating func removeAll(before oldest: ContinuousClock.Instant) -> [UInt64] {
        queue.removeAll(enqueuedBefore: oldest).map(\.id)
    }
}

struct AppendQueueTests {
    @Test func `a batch has requests of one tenant in their order, and tenants take turns`()
        async
    {
        var waiting = Waiting()
        for tenant in [acme, acme, bravo, acme] { await waiting.add(tenant, events: 2) }
        #expect(waiting.queue.events == 8)
        // Who has less to say comes first. The other's is a whole batch when nobody waits.
        #expect(waiting.take(4) == [3])
        #expect(waiting.take(4) == [1, 2])
        await waiting.add(bravo, events: 9)
        #expect(waiting.take(4) == [4])
        #expect(waiting.take(4) == [5])
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

    @Test func `a tenant with much to say is refused, and others find room`() async {
        var waiting = Waiting(queuedEventsMax: 100)
        for _ in 0..<20 { await waiting.add(acme, events: 10) }
        #expect(waiting.queue.events == 50)
        #expect(waiting.refusals[6] == .share("50 events of this tenant"))
        for id in 1...5 { #expect(waiting.refusals[UInt64(id)] == nil) }
        // Large or small.
        await waiting.add(bravo, events: 30)
        await waiting.add(charlie, events: 20)
        #expect(waiting.queue.events == 100)
        await waiting.add(delta, events: 1)
        #expect(waiting.refusals[23] == .full("events of all tenants"))
        #expect(waiting.take(200) == [22])
        await waiting.add(delta, events: 1)
        #expect(waiting.refusals[24] == nil)
    }

    @Test func `a tenant with one event learns that others fill the queue, and not its share`()
        async
    {
        var waiting = Waiting(queuedEventsMax: 100)
        await waiting.add(delta, events: 1)
        for tenant in [acme, bravo] { await waiting.add(tenant, events: 49) }
        await waiting.add(delta, events: 2)
        #expect(waiting.refusals[4] == .full("events of all tenants"))
        await waiting.add(charlie, events: 2)
        #expect(waiting.refusals[5] == .full("events of all tenants"))
        // What is free would do, and it has to leave as much as it has.
        await waiting.add(acme, events: 1)
        #expect(waiting.refusals[6] == .share("49 events of this tenant"))
    }

    @Test func `a tenant learns that others' bytes fill the queue`() async {
        var waiting = Waiting()
        let megabyte = 1 << 20
        for tenant in [acme, bravo] {
            for _ in 0..<32 { await waiting.add(tenant, events: 1, dataBytes: megabyte) }
        }
        let taken = waiting.queue.bytes
        await waiting.add(charlie, events: 1, dataBytes: 64 * megabyte - taken)
        await waiting.add(delta, events: 1)
        #expect(waiting.refusals[66] == .full("bytes of all tenants' events"))
    }

    @Test func `large events are shared out by their bytes`() async {
        var waiting = Waiting()
        let megabyte = 1 << 20
        for _ in 0..<40 { await waiting.add(acme, events: 1, dataBytes: megabyte) }
        #expect(waiting.queue.bytes == 32 * megabyte)
        #expect(
            waiting.refusals[33] == .share("\(32 * megabyte) bytes of this tenant's events"))
        await waiting.add(bravo, events: 1, dataBytes: megabyte)
        #expect(waiting.refusals[41] == nil)
        // A batch has a bound of bytes too.
        #expect(waiting.take(1_000) == [41])
        #expect(waiting.take(1_000) == [1])
    }

    @Test func `a tenant that says little waits for nobody who says much`() async {
        var waiting = Waiting()
        let greedy = (10..<20).map { TenantID(rawValue: $0) }
        for _ in 0..<4 { for tenant in greedy { await waiting.add(tenant, events: 1_000) } }
        // A batch of each has been taken, and now and then comes a single event.
        for _ in greedy { _ = waiting.take(1_000) }
        for id in 41...46 {
            await waiting.add(acme, events: 1)
            #expect(waiting.refusals[UInt64(id)] == nil)
            #expect(waiting.take(1_000) == [UInt64(id)])
            _ = waiting.take(1_000)
        }
    }

    @Test func `a small batch has only small requests, and none of a tenant that is busy`() async {
        var waiting = Waiting()
        await waiting.add(acme, events: Limits.smallBatchEventsMax + 1)
        await waiting.add(bravo, events: 1, dataBytes: Limits.smallBatchBytesMax + 1)
        #expect(waiting.takeSmall().isEmpty)
        #expect(!waiting.queue.hasBatch(.small, without: []))
        #expect(waiting.queue.hasBatch(.standard, without: [acme]))
        #expect(!waiting.queue.hasBatch(.standard, without: [acme, bravo]))
        await waiting.add(charlie, events: Limits.smallBatchEventsMax)
        await waiting.add(charlie, events: 1)
        await waiting.add(delta, events: 1)
        #expect(waiting.takeSmall(without: [delta]) == [3])
        #expect(waiting.takeSmall(without: [charlie, delta]).isEmpty)
        #expect(waiting.takeSmall() == [5])
        #expect(waiting.takeSmall() == [4])
        #expect(waiting.takeSmall().isEmpty)
        // What was left stays in its order.
        #expect(waiting.take(200) == [2])
        #expect(waiting.take(200) == [1])
        #expect(waiting.queue.isEmpty)
    }

    @Test func `among those with as much to say each is given as much`() async {
        var waiting = Waiting()
        for _ in 0..<60 { await waiting.add(acme, events: 100) }
        for _ in 0..<600 { await waiting.add(bravo, events: 10) }
        var (first, second) = (0, 0)
        while first + second < 8_000 {
            let (tenant, count) = waiting.takeCounting(1_000)
            // A quarter of a batch, while another waits.
            #expect(count <= 250)
            if tenant == acme { first += count } else { second += count }
        }
        #expect(abs(first - second) <= 1_250, "\(first) and \(second)")
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
        let late = waiting.removeAll(before: due)
        #expect(late == [1, 2])
        let more = waiting.removeAll(before: due)
        #expect(more.isEmpty)
        #expect(waiting.queue.events == 1)
        #expect(waiting.take(4) == [3])
        #expect(waiting.queue.isEmpty)
    }

    @Test func `thousands that give up leave the others in their order`() async {
        var waiting = Waiting()
        for _ in 0..<4_000 { await waiting.add(acme, events: 1) }
        // From both ends and from the middle; what is left is every hundredth.
        let gone = (1...UInt64(4_000)).filter { $0 % 100 != 0 }
        for id in gone.shuffled() {
            let removed = waiting.remove(id, of: acme)
            #expect(removed == id)
        }
        #expect(waiting.queue.events == 40)
        await waiting.add(acme, events: 1)
        #expect(waiting.take(3) == [100, 200, 300])
        let removed = waiting.remove(400, of: acme)
        #expect(removed == 400)
        #expect(waiting.take(2) == [500, 600])
        let rest = (7...UInt64(40)).map { $0 * 100 } + [4_001]
        #expect(waiting.take(1_000) == rest)
        #expect(waiting.queue.isEmpty)
        #expect(waiting.queue.events == 0)
    }
}
