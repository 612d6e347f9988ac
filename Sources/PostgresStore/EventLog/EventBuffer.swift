import Domain
import EventLoop

/// Events that this node has just recorded, so that folding them does not begin with reading them.
///
/// Only what was committed gets here, and what stands at a position never changes. A fold needs
/// only this: they are the very next events after the checkpoint.
final class EventBuffer: Sendable {
    /// Events without a gap between their positions.
    struct Stretch {
        var events: [RecordedEvent]
        /// As of the last of them: no policy that is for any of them came later.
        var policyRevision: Int
    }

    /// What waits of one tenant.
    private struct Waiting {
        var stretch: Stretch
        /// Bytes of its events' data.
        var bytes: Int
    }

    private struct State {
        /// Since the first `take`.
        var isWanted = false
        var waiting: [TenantID: Waiting] = [:]
        var count = 0
        var bytes = 0

        mutating func forget() {
            waiting.removeAll(keepingCapacity: true)
            (count, bytes) = (0, 0)
        }

        /// In place: what waits already is not looked at, however much it is.
        mutating func add(_ stretch: Stretch, bytes added: Int, to tenant: TenantID) {
            count += stretch.events.count
            bytes += added
            if waiting[tenant] == nil {
                waiting[tenant] = Waiting(stretch: stretch, bytes: added)
            } else {
                waiting[tenant]?.stretch.events += stretch.events
                waiting[tenant]?.stretch.policyRevision = stretch.policyRevision
                waiting[tenant]?.bytes += added
            }
        }

        mutating func take(_ tenant: TenantID) -> Stretch? {
            guard let taken = waiting.removeValue(forKey: tenant) else { return nil }
            count -= taken.stretch.events.count
            bytes -= taken.bytes
            return taken.stretch
        }
    }

    private let state = Lock(State())

    /// Nothing is kept before somebody folds on this node.
    var isWanted: Bool { state.withLock { $0.isWanted } }

    func note(_ stretch: Stretch, of tenant: TenantID) {
        state.withLock { state in
            guard state.isWanted, let first = stretch.events.first else { return }
            let last = state.waiting[tenant]?.stretch.events.last?.position
            if last != first.position - 1 { _ = state.take(tenant) }
            let bytes = stretch.events.reduce(0) { $0 + $1.event.data.count }
            state.add(stretch, bytes: bytes, to: tenant)
            // The projector has fallen behind, and does better to read a whole page: of the tenant
            // that has most, so that the others do not pay for it.
            while state.count > Limits.bufferedEventsMax
                || state.bytes > Limits.bufferedEventBytesMax
            {
                let most = state.waiting.max {
                    $0.value.stretch.events.count < $1.value.stretch.events.count
                }
                guard let most, state.take(most.key) != nil else { return state.forget() }
            }
        }
    }

    /// Takes the events after a position, if they are known. From the first call on, events are
    /// kept.
    /// - Parameter position: nil when that is not known; they are forgotten then.
    func take(of tenant: TenantID, after position: Int64?, limit: Int) -> Stretch? {
        state.withLock { state in
            state.isWanted = true
            guard var stretch = state.take(tenant), let position else { return nil }
            stretch.events.removeAll { $0.position <= position }
            guard stretch.events.first?.position == position + 1, stretch.events.count <= limit
            else { return nil }
            return stretch
        }
    }

    func forget() { state.withLock { $0.forget() } }
}
