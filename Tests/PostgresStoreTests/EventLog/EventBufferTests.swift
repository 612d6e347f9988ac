import Domain
import Testing

@testable import PostgresStore

private let acme = TenantID(rawValue: 1)
private let bravo = TenantID(rawValue: 2)

private func stretch(
    _ positions: ClosedRange<Int64>, policyRevision: Int = 0
) -> EventBuffer.Stretch {
    EventBuffer.Stretch(
        events: positions.map {
            RecordedEvent(
                tenant: acme, position: $0, version: $0, recordedAt: Samples.time,
                event: Samples.event("\($0)"))
        }, policyRevision: policyRevision)
}

struct EventBufferTests {
    private let buffer = EventBuffer()

    init() {
        // Nothing is kept before somebody folds.
        _ = take(after: nil)
    }

    private func take(
        _ tenant: TenantID = acme, after position: Int64?, limit: Int = .max
    ) -> [Int64]? {
        buffer.take(of: tenant, after: position, limit: limit)?.events.map(\.position)
    }

    @Test func `what is recorded one after the other is taken together`() {
        buffer.note(stretch(1...2, policyRevision: 1), of: acme)
        buffer.note(stretch(3...3, policyRevision: 2), of: acme)
        let taken = buffer.take(of: acme, after: 0, limit: 9)
        #expect(taken?.events.map(\.position) == [1, 2, 3])
        #expect(taken?.policyRevision == 2)
        #expect(take(after: 0) == nil)
        // An event of another node makes a gap: what comes before it has to be read.
        buffer.note(stretch(4...5), of: acme)
        buffer.note(stretch(7...8), of: acme)
        #expect(take(after: 6) == [7, 8])
    }

    @Test func `only as much waits as is folded sooner from here, and others do not pay for it`() {
        buffer.note(stretch(1...1), of: bravo)
        for position in Int64(1)...Int64(Limits.bufferedEventsMax) {
            buffer.note(stretch(position...position), of: acme)
        }
        #expect(take(after: 0) == nil)
        #expect(take(bravo, after: 0) == [1])
    }
}
