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

private func outcome(_ activity: String, _ position: Int64) -> FoldResult {
    let event = RecordedEvent(
        tenant: acme, position: position, version: 1, recordedAt: Samples.time,
        event: Samples.event("\(position)", activity))
    return FoldResult(
        snapshots: [Samples.snapshot(event)], decisions: [Samples.decision(event)], parked: [])
}

extension ChangeBuffer {
    /// Activities that changed after a position, by place; nil when the database is to be asked.
    fileprivate func names(after position: Int64, notice: Int64 = 0, limit: Int = 9) -> [String]? {
        after(.init(position: position, noticeNumber: notice), of: acme, limit: limit)?.all
            .map(\.activityID.rawValue)
    }

    fileprivate func note(_ activity: String, at position: Int64, of tenant: TenantID = acme) {
        note(
            outcome(activity, position), of: tenant, before: checkpoint(position - 1),
            after: checkpoint(position))
    }
}

struct ChangeBufferTests {
    private let buffer = ChangeBuffer(changesMax: 6)

    init() {
        buffer.hear(.resumed)
        _ = buffer.names(after: 0)
    }

    @Test func `an activity comes once, at its newest place`() {
        for (index, name) in ["a", "b", "c", "b"].enumerated() {
            buffer.note(name, at: Int64(index + 1))
        }
        #expect(buffer.names(after: 1) == ["c", "b"])
        #expect(buffer.names(after: 3) == ["b"])
        #expect(buffer.names(after: 3, notice: 7) == ["b"])
        #expect(buffer.after(.init(position: 3), of: acme, limit: 9)?.generation == 3)
        let changes = buffer.after(.init(position: 3), of: acme, limit: 9)?.all
        #expect(changes?.first?.decision?.decision.position == 4)
    }

    @Test func `the database is asked where something may be missing`() {
        buffer.note("a", at: 1)
        buffer.note("b", at: 2)
        // Before the first commit that is known, and when nothing is newer.
        #expect(buffer.names(after: 0) == nil)
        #expect(buffer.names(after: 2) == nil)
        #expect(buffer.names(after: 1, limit: 0) == nil)
        #expect(buffer.after(.init(position: 1), of: TenantID(rawValue: 2), limit: 9) == nil)
        // Somebody else has folded or touched something meanwhile.
        buffer.note(
            outcome("c", 3), of: acme, before: checkpoint(2, movedAt: 9), after: checkpoint(3))
        #expect(buffer.names(after: 1) == nil)
        #expect(buffer.names(after: 2) == nil)
        buffer.note("d", at: 4)
        #expect(buffer.names(after: 2) == nil)
        #expect(buffer.names(after: 3) == ["d"])
        // Parked events have notices, which are in the database only.
        var parked = outcome("e", 5)
        parked.parked = [
            ParkedEvent(position: 5, activityID: ActivityID(rawValue: "e"), reason: "why")
        ]
        buffer.note(parked, of: acme, before: checkpoint(4), after: checkpoint(5))
        #expect(buffer.names(after: 3) == nil)
        buffer.note("f", at: 6)
        #expect(buffer.names(after: 5) == nil)
    }

    @Test func `nothing is kept that others may have changed since`() {
        for position in Int64(1)...3 { buffer.note("a\(position)", at: position) }
        buffer.hear(.happened(.folded, TenantID(rawValue: 2)))
        buffer.hear(.happened(.appended, acme))
        #expect(buffer.names(after: 1) == ["a2", "a3"])
        buffer.hear(.happened(.folded, acme))
        #expect(buffer.names(after: 1) == nil)
        for position in Int64(4)...5 { buffer.note("a\(position)", at: position) }
        #expect(buffer.names(after: 3) == nil)
        #expect(buffer.names(after: 4) == ["a5"])
        // What happens meanwhile, nobody hears.
        buffer.hear(.lost)
        #expect(buffer.names(after: 4) == nil)
        for position in Int64(6)...7 { buffer.note("a\(position)", at: position) }
        #expect(buffer.names(after: 6) == nil)
        buffer.hear(.resumed)
        #expect(buffer.names(after: 6) == nil)
        for position in Int64(8)...9 { buffer.note("a\(position)", at: position) }
        #expect(buffer.names(after: 8) == ["a9"])
    }

    @Test func `memory is bounded, and what is left says where it begins`() {
        for position in Int64(1)...20 { buffer.note("a\(position)", at: position) }
        let known = (1...20).filter { buffer.names(after: Int64($0)) != nil }
        #expect(known.count <= 6)
        #expect(buffer.names(after: 19) == ["a20"])
        #expect(buffer.names(after: 2) == nil)
    }

    @Test func `a thousand tenants share one bound, and a busy one has what is new`() {
        let bytes = outcome("a", 1).snapshots.reduce(0) { $0 + $1.memoryBytes }
        let buffer = ChangeBuffer(bytesMax: 100 * bytes)
        buffer.hear(.resumed)
        _ = buffer.names(after: 0)
        buffer.note("a0", at: 1)
        let idle = (2...Int32(1_000)).map { TenantID(rawValue: $0) }
        for (position, tenant) in zip(Int64(2)..., idle) {
            for place in Int64(1)...3 { buffer.note("a\(place)", at: place, of: tenant) }
            buffer.note("a\(position)", at: position)
            #expect(buffer.names(after: position - 1) == ["a\(position)"])
        }
        let kept = idle.map { buffer.after(.init(position: 1), of: $0, limit: 9)?.all.count ?? 0 }
        #expect((1...100).contains(kept.reduce(0, +)))
        #expect(kept.last == 2)
        // What is left says where it begins, and goes on from there.
        #expect(buffer.names(after: 1) == nil)
        buffer.note("b", at: 4, of: idle[0])
        let after = buffer.after(.init(position: 3), of: idle[0], limit: 9)
        #expect(after?.all.map(\.activityID.rawValue) == ["b"])
    }
}
