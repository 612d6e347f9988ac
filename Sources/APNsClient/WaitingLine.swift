/// Those who wait for a stream, in their order; taking the first one moves nobody.
struct WaitingLine {
    struct Waiter {
        let since: ContinuousClock.Instant
        let due: ContinuousClock.Instant
        let continuation: CheckedContinuation<Result<StreamLease, NoAnswer>, Never>
    }

    private var waiters: [Waiter?] = []
    private var head = 0

    var isEmpty: Bool { head == waiters.count }
    var first: Waiter? { isEmpty ? nil : waiters[head] }

    mutating func append(_ waiter: Waiter) {
        waiters.append(waiter)
    }

    /// For those who have waited before.
    mutating func prepend(_ waiter: Waiter) {
        if head > 0 {
            head -= 1
            waiters[head] = waiter
        } else {
            waiters.insert(waiter, at: 0)
        }
    }

    mutating func popFirst() -> Waiter? {
        guard let first else { return nil }
        waiters[head] = nil
        head += 1
        if isEmpty {
            waiters.removeAll(keepingCapacity: true)
            head = 0
        } else if head > waiters.count / 2 {
            waiters.removeFirst(head)
            head = 0
        }
        return first
    }
}

/// The right to one stream of a connection, to be given back.
struct StreamLease: Sendable {
    var connection: PooledConnection
    /// Nothing else is sent on the connection until this is answered.
    var goesFirst: Bool
}
