import Domain
import EventStore
import Foundation
import Testing

@testable import PostgresStore

private let acme = TenantID(rawValue: 1)

private func checkpoint(_ position: Int64, movedAt: Int64 = 0) -> SnapshotCache.Checkpoint {
    SnapshotCache.Checkpoint(
        position: position, generation: 3, movedAt: Moment(unixSeconds: movedAt))
}

private func outcome(_ activity: String, _ position: Int64) -> FoldOutcome {
    let event = RecordedEvent(
        tenant: acme, position: position, version: 1, recordedAt: Samples.time,
        event: Samples.event("\(position)", activity))
    return FoldOutcome(
        snapshots: [Samples.snapshot(event)], decisions: [Samples.decision(event)], parked: [])
}

extension ChangeBuffer {
    /// Activities that changed after a position, by place; nil when the database is to be asked.
    fileprivate func names(after position: Int64, notice: Int64 = 0, limit: Int = 9) -> [String]? {
        after(.init(position: position, notice: notice), of: acme, limit: limit)?.all
            .map(\.activityID.rawValue)
    }

    fileprivate func note(_ activity: String, at position: Int64, of tenant: TenantID = acme) {
        note(
            outcome(activity, position), of: tenant, before: checkpoint(position - 1),
            after: checkpoint(position))
    }
}

struct ChangeBufferTests {
    private let fresh = ChangeBuffer(changesMax: 6)

    init() {
        fresh.hear(.resumed)
        _ = fresh.names(after: 0)
    }

    @Test func `an activity comes once, at its newest place`() {
        for (index, name) in ["a", "b", "c", "b"].enumerated() {
            fresh.note(name, at: Int64(index + 1))
        }
        #expect(fresh.names(after: 1) == ["c", "b"])
        #expect(fresh.names(after: 3) == ["b"])
        #expect(fresh.names(after: 3, notice: 7) == ["b"])
        #expect(fresh.after(.init(position: 3), of: acme, limit: 9)?.generation == 3)
        let changes = fresh.after(.init(position: 3), of: acme, limit: 9)?.all
        #expect(changes?.first?.decision?.decision.position == 4)
    }

    @Test func `the database is asked where something may be missing`() {
        fresh.note("a", at: 1)
        fresh.note("b", at: 2)
        // Before the first commit that is known, and when nothing is newer.
        #expect(fresh.names(after: 0) == nil)
        #expect(fresh.names(after: 2) == nil)
        #expect(fresh.names(after: 1, limit: 0) == nil)
        #expect(fresh.after(.init(position: 1), of: TenantID(rawValue: 2), limit: 9) == nil)
        // Somebody else has folded or touched something meanwhile.
        fresh.note(
            outcome("c", 3), of: acme, before: checkpoint(2, movedAt: 9), after: checkpoint(3))
        #expect(fresh.names(after: 1) == nil)
        #expect(fresh.names(after: 2) == nil)
        fresh.note("d", at: 4)
        #expect(fresh.names(after: 2) == nil)
        #expect(fresh.names(after: 3) == ["d"])
        // Parked events have notices, which are in the database only.
        var parked = outcome("e", 5)
        parked.parked = [
            ParkedEvent(position: 5, activityID: ActivityID(rawValue: "e"), reason: "why")
        ]
        fresh.note(parked, of: acme, before: checkpoint(4), after: checkpoint(5))
        #expect(fresh.names(after: 3) == nil)
        fresh.note("f", at: 6)
        #expect(fresh.names(after: 5) == nil)
    }

    @Test func `nothing is kept that others may have changed since`() {
        for position in Int64(1)...3 { fresh.note("a\(position)", at: position) }
        fresh.hear(.happened(.folded, TenantID(rawValue: 2)))
        fresh.hear(.happened(.appended, acme))
        #expect(fresh.names(after: 1) == ["a2", "a3"])
        fresh.hear(.happened(.folded, acme))
        #expect(fresh.names(after: 1) == nil)
        for position in Int64(4)...5 { fresh.note("a\(position)", at: position) }
        #expect(fresh.names(after: 3) == nil)
        #expect(fresh.names(after: 4) == ["a5"])
        // What happens meanwhile, nobody hears.
        fresh.hear(.lost)
        #expect(fresh.names(after: 4) == nil)
        for position in Int64(6)...7 { fresh.note("a\(position)", at: position) }
        #expect(fresh.names(after: 6) == nil)
        fresh.hear(.resumed)
        #expect(fresh.names(after: 6) == nil)
        for position in Int64(8)...9 { fresh.note("a\(position)", at: position) }
        #expect(fresh.names(after: 8) == ["a9"])
    }

    @Test func `memory is bounded, and what is left says where it begins`() {
        for position in Int64(1)...20 { fresh.note("a\(position)", at: position) }
        let known = (1...20).filter { fresh.names(after: Int64($0)) != nil }
        #expect(known.count <= 6)
        #expect(fresh.names(after: 19) == ["a20"])
        #expect(fresh.names(after: 2) == nil)
    }

    @Test func `a thousand tenants share one bound, and a busy one has what is new`() {
        let bytes = outcome("a", 1).snapshots.reduce(0) { $0 + $1.heldBytes }
        let fresh = ChangeBuffer(bytesMax: 100 * bytes)
        fresh.hear(.resumed)
        _ = fresh.names(after: 0)
        fresh.note("a0", at: 1)
        let idle = (2...Int32(1_000)).map { TenantID(rawValue: $0) }
        for (position, tenant) in zip(Int64(2)..., idle) {
            for place in Int64(1)...3 { fresh.note("a\(place)", at: place, of: tenant) }
            fresh.note("a\(position)", at: position)
            #expect(fresh.names(after: position - 1) == ["a\(position)"])
        }
        let kept = idle.map { fresh.after(.init(position: 1), of: $0, limit: 9)?.all.count ?? 0 }
        #expect((1...100).contains(kept.reduce(0, +)))
        #expect(kept.last == 2)
        // What is left says where it begins, and goes on from there.
        #expect(fresh.names(after: 1) == nil)
        fresh.note("b", at: 4, of: idle[0])
        let after = fresh.after(.init(position: 3), of: idle[0], limit: 9)
        #expect(after?.all.map(\.activityID.rawValue) == ["b"])
    }
}
