/// Requests that wait for a stream, in their order; taking the first one moves no other.
struct WaitingLine {
    private var errands: [Errand?] = []
    private var head = 0

    var isEmpty: Bool { head == errands.count }
    var first: Errand? { isEmpty ? nil : errands[head] }

    mutating func append(_ errand: Errand) {
        errands.append(errand)
    }

    /// For those that have waited before.
    mutating func prepend(_ errand: Errand) {
        if head > 0 {
            head -= 1
            errands[head] = errand
        } else {
            errands.insert(errand, at: 0)
        }
    }

    @discardableResult
    mutating func popFirst() -> Errand? {
        guard let first else { return nil }
        errands[head] = nil
        head += 1
        if isEmpty {
            errands.removeAll(keepingCapacity: true)
            head = 0
        } else if head > errands.count / 2 {
            errands.removeFirst(head)
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
