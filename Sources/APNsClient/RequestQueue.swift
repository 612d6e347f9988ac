/// Requests that wait for a stream: in their order, but few before many.
struct RequestQueue {
    /// How many are asked for together.
    enum BatchSize: CaseIterable {
        /// A push or a handful: somebody's pizza is at the door.
        case few
        /// Those of a page. Thousands may be ahead of the next one, and none of them is urgent.
        case many

        init(_ count: Int) {
            self = count <= Limits.fewMax ? .few : .many
        }
    }

    private var few = Queue()
    private var many = Queue()

    var isEmpty: Bool { few.isEmpty && many.isEmpty }

    subscript(batchSize: BatchSize) -> Queue {
        get {
            switch batchSize {
            case .few: few
            case .many: many
            }
        }
        _modify {
            switch batchSize {
            case .few: yield &few
            case .many: yield &many
            }
        }
    }

    struct Queue {
        private var pendingRequests: [PendingRequest?] = []
        private var head = 0

        var isEmpty: Bool { head == pendingRequests.count }
        var first: PendingRequest? { isEmpty ? nil : pendingRequests[head] }

        mutating func append(_ pending: PendingRequest) {
            pendingRequests.append(pending)
        }

        mutating func prepend(_ pending: PendingRequest) {
            if head > 0 {
                head -= 1
                pendingRequests[head] = pending
            } else {
                pendingRequests.insert(pending, at: 0)
            }
        }

        @discardableResult
        mutating func popFirst() -> PendingRequest? {
            guard let first else { return nil }
            pendingRequests[head] = nil
            head += 1
            if head > pendingRequests.count / 2 {
                pendingRequests.removeFirst(head)
                head = 0
            }
            return first
        }
    }
}

/// The right to one stream of a connection, to be given back.
struct StreamSlot: Sendable {
    var connection: PooledConnection
    var token: TokenMint.Token
    /// Nothing else is sent on the connection until this is answered.
    var goesFirst: Bool
    /// How many requests had been answered on the connection when this was taken.
    var answersBefore: Int
}
