import Domain
import EventStore
import Pipeline
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
}
