public import Domain
import EventLoop
public import EventStore

/// A database in memory: what Islet's SQL promises, said as plainly as can be.
///
/// Each call of the store is one transaction, as it is on Postgres, but for a fold, which locks the
/// tenant's checkpoint between its two. Rebuilds, keys and what dashboards ask are left out.
public final class MemoryDatabase: Sendable {
    /// Where a statement stands when its node asks whether to go on.
    public enum Point: Sendable {
        /// It has not been carried out.
        case before
        /// It has been committed, and the node does not know it yet.
        case after
    }

    /// Asked around every statement of a node. Whatever it throws is the statement's answer.
    public typealias Gate = @Sendable (Point) async throws(EventStoreError) -> Void

    private let tables = Lock(MemoryTables())
    let clock: @Sendable () -> Moment
    let flaw: MemoryFlaw?

    /// - Parameters:
    ///   - clock: the database's, which all nodes go by.
    ///   - flaw: put in on purpose.
    public init(flaw: MemoryFlaw? = nil, clock: @escaping @Sendable () -> Moment) {
        self.clock = clock
        self.flaw = flaw
    }

    /// A process with a session of its own.
    /// - Parameter isCurrent: whether the process can rely on a claim by what it knows by itself.
    /// - Returns: its number, by which it ends, and its store.
    public func makeNode(
        gate: @escaping Gate = { (_) async throws(EventStoreError) in },
        isCurrent: @escaping @Sendable (DeliveryClaim) -> Bool = { _ in true }
    ) -> (id: Int, store: EventStore) {
        let id = tables.withLock { $0.makeNode() }
        let session = MemorySession(node: id, database: self, gate: gate, isCurrent: isCurrent)
        return (id, .memory(session))
    }

    /// The database has not heard of the process for too long: what it owned is free. What it asks
    /// later is carried out, but for what it would do with that.
    public func expireNode(_ id: Int) {
        guard flaw != .keptLocks else { return }
        tables.withLock { $0.free(id) }
    }

    /// The session breaks: what it owned is free, and nothing it asks is carried out any more.
    public func endNode(_ id: Int) { tables.withLock { $0.end(id) } }

    /// Whatever is there, read at one instant.
    func look<R>(_ body: (MemoryTables) -> R) -> R { tables.withLock { body($0) } }

    /// What happens to the database, and not in it.
    func change(_ body: (inout MemoryTables) -> Void) { tables.withLock { body(&$0) } }

    /// - Parameter body: all or nothing: what it throws, it throws before it writes.
    fileprivate func transact<R>(
        _ body: (inout MemoryTables, Moment) throws(EventStoreError) -> R
    ) throws(EventStoreError) -> R {
        let now = clock()
        return try tables.withLock { (tables) throws(EventStoreError) in
            try body(&tables, now)
        }
    }
}

/// One node's connection.
struct MemorySession: Sendable {
    let node: Int
    let database: MemoryDatabase
    let gate: MemoryDatabase.Gate
    let isCurrent: @Sendable (DeliveryClaim) -> Bool

    func statement<R>(
        _ body: (inout MemoryTables, Moment) throws(EventStoreError) -> R
    ) async throws(EventStoreError) -> R {
        try await gate(.before)
        let result = try transact(body)
        try await gate(.after)
        return result
    }

    /// Without a question before or after: what the database does by itself.
    func transact<R>(
        _ body: (inout MemoryTables, Moment) throws(EventStoreError) -> R
    ) throws(EventStoreError) -> R {
        try database.transact { (tables, now) throws(EventStoreError) in
            guard !tables.ended.contains(node) else {
                throw .unavailable(detail: "the connection to the database broke")
            }
            return try body(&tables, now)
        }
    }

    /// As one that writes under a claim: void unless the claim is this node's newest.
    func write<R>(
        under claim: DeliveryClaim,
        _ body: (inout MemoryTables, Moment) throws(EventStoreError) -> R
    ) async throws(EventStoreError) -> R {
        try await statement { (tables, now) throws(EventStoreError) in
            try tables.requireOwned(claim, by: node)
            guard tables[claim].lastTimestamp == claim.timestamp else {
                throw MemoryTables.claimVoid
            }
            return try body(&tables, now)
        }
    }

    func read<R>(
        under claim: DeliveryClaim, _ body: (MemoryTables, Moment) -> R
    ) async throws(EventStoreError) -> R {
        try await statement { (tables, now) throws(EventStoreError) in
            try tables.requireOwned(claim, by: node)
            return body(tables, now)
        }
    }
}
