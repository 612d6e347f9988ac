import Domain
import EventStore
import Foundation
import Locks
import TestSupport
import Testing

/// Notes what it is asked.
private final class NotedLog: EventLog {
    let calls = Lock<[String]>([])

    func append(_: TenantID, _ events: [NewEvent], isAtomic: Bool) -> [AppendResult] {
        calls.withLock { $0.append("append \(events.count) \(isAtomic)") }
        return events.map { _ in .notRecorded }
    }

    func select(
        _: TenantID, _ filter: EventFilter, _ positions: ClosedRange<Int64>, _ limit: Int
    ) -> [RecordedEvent] {
        let isAny = filter == EventFilter()
        calls.withLock {
            $0.append("select \(isAny) \(positions.lowerBound) \(positions.upperBound) \(limit)")
        }
        return []
    }

    func readActivity(_: TenantID, _: ActivityID, _: Int64, _: Int) -> [RecordedEvent] { [] }

    func head(_: TenantID) -> Int64 { 0 }
}

/// So many parked events, at every other position.
private final class ParkedEvents: UpkeepStore {
    let total: Int
    let calls = Lock(0)

    init(total: Int) { self.total = total }

    func parked(
        _: TenantID, _ activity: ActivityID?, isSkipped: Bool?, _ after: Int64, _ limit: Int
    ) -> [ParkedRow] {
        calls.withLock { $0 += 1 }
        guard isSkipped == nil else { return [] }
        let positions = (0..<total).map { Int64(2 * $0 + 2) }.filter { $0 > after }
        return positions.prefix(limit).map { position in
            ParkedRow(
                event: ParkedEvent(
                    position: position, activityID: activity ?? ActivityID(rawValue: "any"),
                    reason: "no"),
                type: "t", version: 1, parkedAt: Made.moment(0), isSkipped: false)
        }
    }

    func status() -> [ProjectionStatus] { [] }

    func lags() -> [ProjectionLag] { [] }

    func skipped(_: TenantID, _: ActivityID, _: Int) -> [Int64] { [] }

    func refold(
        _: TenantID, _: ActivityID, _: Int64?, _: @Sendable (RefoldInput) -> FoldResult?
    ) -> Bool { false }
}

private struct OnePolicy: PolicyStore {
    let policy = StoredPolicy(
        kind: "Match", version: 2, fromPosition: .max, document: Data("{}".utf8),
        putAt: Made.moment(0))

    func put(_: TenantID, _: String, _: Int?, _: Data, _: Int) -> PolicyPut { .full }

    func inForce(_: TenantID, _ positions: ClosedRange<Int64>) -> [StoredPolicy] {
        [policy].inForce(positions)
    }

    func versions(_: TenantID, _: String, _: Int, _: Int) -> [StoredPolicy] { [] }
}

private struct Tickets: TicketStore {
    var found: TicketLookup

    func lookUp(ticketsOf _: TenantID) -> TicketLookup { found }

    func ensure(_: TenantID, _ fresh: [UInt8]) -> TicketSecret {
        TicketSecret(id: 1, bytes: fresh)
    }

    func rotate(_: TenantID, _ fresh: [UInt8]) -> TicketSecret {
        TicketSecret(id: 2, bytes: fresh)
    }
}

struct `What every store can do` {
    @Test func `is to append all or nothing, unless somebody says otherwise`() async throws {
        let log = NotedLog()
        let store: any EventLog = log
        _ = try await store.append(Made.tenant, [Made.event(1).event])
        _ = try await store.append(Made.tenant, [], isAtomic: false)
        #expect(log.calls.value == ["append 1 true", "append 0 false"])
    }

    @Test func `is to read on after a position, of any type and activity`() async throws {
        let log = NotedLog()
        let store: any EventLog = log
        _ = try await store.read(Made.tenant, 0, 10)
        _ = try await store.read(Made.tenant, 41, 7)
        #expect(
            log.calls.value == [
                "select true 1 9223372036854775807 10", "select true 42 9223372036854775807 7",
            ])
    }

    @Test(arguments: [0, 1, 499, 500, 501, 1_000, 1_234])
    func `is to list parked events page by page to the end, each once`(
        total: Int
    ) async throws {
        let parked = ParkedEvents(total: total)
        let store: any UpkeepStore = parked
        let rows = try await store.allParked(Made.tenant)
        let positions: [Int64] = (0..<total).map { Int64(2 * $0 + 2) }
        #expect(rows.map(\.event.position) == positions)
        #expect(parked.calls.value == total / 500 + 1)
        let activity = ActivityID(rawValue: "order-42")
        let own = try await store.allParked(Made.tenant, activity)
        let names = Set(own.map(\.event.activityID))
        #expect(names == (total == 0 ? [] : [activity]))
    }

    /// One that was put a moment ago holds for no position that there is yet.
    @Test func `is to find the newest policy, even if no event is judged by it yet`()
        async throws
    {
        let store: any PolicyStore = OnePolicy()
        let newest = try await store.newest(Made.tenant)
        #expect(newest.map(\.version) == [2])
    }

    @Test func `is to give a tenant's ring of tickets as long as the tenant is here`()
        async throws
    {
        let ring = TicketRing(newestKeyID: 7)
        let here: any TicketStore = Tickets(found: .here(ring))
        #expect(try await here.ring(of: Made.tenant) == ring)
        let gone: any TicketStore = Tickets(found: .departed(to: Cell(name: "eu2")))
        #expect(try await gone.ring(of: Made.tenant) == nil)
    }
}
