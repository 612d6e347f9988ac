import Domain
import EventStore
import Foundation
import Locks
import Pipeline
import PostgresStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct `The projector` {
    /// Their notification was lost, say, or the node that recorded them ended before it folded.
    @Test func `finds events that nobody told it of`() async throws {
        let shop = try await Shop()
        var deaf = shop.store
        deaf.listen = { _ in AsyncStream { _ in } }
        let projector = Projector(store: deaf) { Issue.record("folding failed: \($0)") }
        let running = Task { await projector.run() }
        // The first may be there when it looks at everything, which it does in the beginning.
        for name in ["order-1", "order-2"] {
            let order = ActivityID(rawValue: name)
            try await shop.place(order)
            try await waitUntil("\(name) is folded") { try await shop.snapshot(order) != nil }
        }
        running.cancel()
        await running.value
    }

    /// As while somebody has locked the log: what nobody folds cannot be seen, and a node that
    /// asked for nothing else would be taken for one whose folds work.
    @Test func `folds what there is when it cannot see who is left behind`() async throws {
        let shop = try await Shop()
        var deaf = shop.store
        deaf.listen = { _ in AsyncStream { _ in } }
        deaf.upkeep = NoUpkeep(lagsFailure: .unavailable(detail: "55P03 locked"))
        let failures = Lock(0)
        let projector = Projector(store: deaf) { _ in failures.withLock { $0 += 1 } }
        let running = Task { await projector.run() }
        // What it looks at in the beginning is over by then.
        try await waitUntil("it has failed") { failures.withLock { $0 } > 0 }
        try await shop.place()
        try await waitUntil("the order is folded") { try await shop.snapshot() != nil }
        running.cancel()
        await running.value
    }

    /// As docs/how-to/roll-back.md says.
    @Test func `of an older program folds on after a rebuild with its own folds`() async throws {
        let shop = try await Shop()
        try await shop.place()
        await shop.fold()
        try await shop.change("UPDATE snapshot SET fold_version = 1000")
        // Else what is in memory would do.
        try await shop.change("UPDATE projection_checkpoint SET moved_at = now()")
        try await shop.report("DriverAssigned", #"{"driverName":"Ada"}"#)
        let failures = Lock<[EventStoreError]>([])
        let projector = Projector(store: shop.store) { error in
            failures.withLock { $0.append(error) }
        }
        await projector.drain()
        #expect(failures.value == [.oldProgram])
        try await shop.rebuild()
        await shop.fold()
        #expect(try await shop.snapshot()?.version == 2)
    }

    @Test func `keeps nobody waiting for a tenant that cannot be folded`() async throws {
        let shop = try await Shop()
        let other = try await shop.store.tenants.ensure("other").id
        // What it appends is in no memory of the one that folds.
        let elsewhere = EventStore.postgres(pool: shop.database.makePool())
        // Whatever a database may refuse of one tenant's rows.
        try await shop.change(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'refused'; END
            $$;
            CREATE TRIGGER refuse BEFORE INSERT ON snapshot FOR EACH ROW
                WHEN (NEW.tenant = \(shop.tenant.rawValue)) EXECUTE FUNCTION refuse()
            """)
        let failures = Lock(0)
        let projector = Projector(store: shop.store) { _ in failures.withLock { $0 += 1 } }
        let running = Task { await projector.run() }
        try await shop.place()
        try await waitUntil("it has failed") { failures.withLock { $0 } > 0 }
        for name in ["order-2", "order-3"] {
            let order = ActivityID(rawValue: name)
            try await shop.place(ActivityID(rawValue: "another \(name)"))
            try await Shop.place(order, of: other, elsewhere)
            try await waitUntil("\(name) is folded") {
                try await shop.store.projections.snapshot(other, order) != nil
            }
        }
        #expect(try await shop.snapshot() == nil)
        try await shop.change("DROP TRIGGER refuse ON snapshot")
        try await waitUntil("the first is folded") { try await shop.snapshot() != nil }
        running.cancel()
        await running.value
    }

    /// Nothing else would have it look once more.
    @Test func `goes on with what it left of a batch that took its time`() async throws {
        let shop = try await Shop()
        var store = shop.store
        store.upkeep = NoUpkeep()
        let time = Lock(ContinuousClock.now)
        let projector = Projector(
            store: store,
            now: {
                time.withLock { time in
                    time += .seconds(1)
                    return time
                }
            }, report: { Issue.record("folding failed: \($0)") })
        let running = Task { await projector.run() }
        try await shop.place()
        try await waitUntil("it has begun") { try await shop.snapshot() != nil }
        _ = try await shop.store.log.append(
            shop.tenant,
            (1...40).map {
                NewEvent(
                    id: "\($0)", source: "/shop", type: "PizzaDelivery.DriverAssigned",
                    activityID: Shop.order, occurredAt: .timeOfDay,
                    data: Data(#"{"driverName":"\#($0)"}"#.utf8))
            })
        try await waitUntil("all is folded") { try await shop.snapshot()?.version == 41 }
        running.cancel()
        await running.value
    }

    @Test func `folds a tenant's one event before the last of another one's many`() async throws {
        let shop = try await Shop()
        let small = try await shop.store.tenants.ensure("small").id
        let waiting = ManyEvents(base: shop.store.projections, big: shop.tenant, small: small)
        var store = shop.store
        store.projections = waiting
        store.upkeep = NoUpkeep()
        store.listen = { _ in AsyncStream(unfolding: { await waiting.nextNotification() }) }
        let projector = Projector(store: store) { Issue.record("folding failed: \($0)") }
        let running = Task { await projector.run() }
        try await waitUntil("all is folded") { waiting.turns.value.count > ManyEvents.batchesCount }
        running.cancel()
        await running.value
        // After the first batch of the many, and perhaps after that of the same turn.
        #expect(waiting.turns.value.prefix(3).contains(small))
    }
}

/// A tenant has several batches, and while the first of them is folded an event of another one
/// comes.
private struct ManyEvents: ForwardingProjectionStore {
    static let batchesCount = 5
    private static let event = RecordedEvent(
        tenant: TenantID(rawValue: 1), position: 1, version: 1, recordedAt: .timeOfDay,
        event: NewEvent(
            id: "1", source: "/shop", type: "PizzaDelivery.DriverAssigned",
            activityID: Shop.order, occurredAt: .timeOfDay, data: Data("{}".utf8)))

    let base: any ProjectionStore
    let big: TenantID
    let small: TenantID
    let turns = Lock<[TenantID]>([])
    private let newsCount = Lock(0)
    private let everything = Gate()
    private let folding = Gate()

    init(base: any ProjectionStore, big: TenantID, small: TenantID) {
        (self.base, self.big, self.small) = (base, big, small)
    }

    /// Called when the projector has noted what came before.
    func nextNotification() async -> StoreNotification? {
        let number = newsCount.withLock { count in
            count += 1
            return count
        }
        switch number {
        case 1:
            // Else it could be part of the look at everything.
            await everything.arrivals(1)
            await everything.open()
            return .happened(.appended, big)
        case 2:
            await folding.arrivals(1)
            return .happened(.appended, small)
        default:
            await folding.open()
            return nil
        }
    }

    func foldNext(
        _ tenant: TenantID?, _ limit: Int, _ fold: @Sendable (FoldBatch) -> FoldResult
    ) async throws(EventStoreError) -> FoldedBatch? {
        guard let tenant else {
            await everything.pass()
            return nil
        }
        let ofBig = turns.withLock { turns in
            turns.append(tenant)
            return turns.filter { $0 == big }.count
        }
        await folding.pass()
        let count = tenant == big && ofBig < Self.batchesCount ? limit : 1
        let events = Array(repeating: Self.event, count: count)
        return FoldedBatch(FoldBatch(tenant: tenant, events: events, snapshots: [:])) { _ in
            FoldResult(snapshots: [], decisions: [], parked: [])
        }
    }
}
