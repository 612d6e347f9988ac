import EventLoop
import Postgres

/// Looks up what strangers present, before anybody knows whose it is: one statement at a time, for
/// all that have come meanwhile. A stranger that tries keys by the thousand takes one connection
/// and few statements.
actor BatchedLookups<Key: Hashable & Sendable, Value: Sendable> {
    private typealias Answer = Result<Value?, PostgresError>
    private struct Lookup {
        var key: Key
        var continuation: CheckedContinuation<Answer, Never>
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { pool.loop.asUnownedSerialExecutor() }

    private nonisolated let pool: Pool
    private let read: @Sendable (Pool, Set<Key>) async throws(PostgresError) -> [Key: Value]
    /// Bounded by the requests that a server has under way.
    private var waiting: [Lookup] = []
    private var isUnderWay = false

    /// - Parameter read: of `Limits.lookedUpAtOnceMax` keys at most.
    init(
        pool: Pool,
        read: @escaping @Sendable (Pool, Set<Key>) async throws(PostgresError) -> [Key: Value]
    ) {
        self.pool = pool
        self.read = read
    }

    /// What `read` gives for the key, not older than the question.
    func value(of key: Key) async throws(PostgresError) -> Value? {
        let answer = await withCheckedContinuation { continuation in
            waiting.append(Lookup(key: key, continuation: continuation))
            startNext()
        }
        return try answer.get()
    }

    /// How many are not being looked up yet.
    var waitingCount: Int { waiting.count }

    private func startNext() {
        guard !isUnderWay, !waiting.isEmpty else { return }
        isUnderWay = true
        let batch = Array(waiting.prefix(Limits.lookedUpAtOnceMax))
        waiting.removeFirst(batch.count)
        // Not in a caller's task, which may be cancelled.
        Task(executorPreference: pool.loop) { await self.carryOut(batch) }
    }

    private func carryOut(_ batch: [Lookup]) async {
        do throws(PostgresError) {
            let found = try await read(pool, Set(batch.map(\.key)))
            for lookup in batch {
                lookup.continuation.resume(returning: .success(found[lookup.key]))
            }
        } catch {
            // Nobody waits in vain for as many time-outs as there are others before.
            let failed = batch + waiting
            waiting = []
            for lookup in failed { lookup.continuation.resume(returning: .failure(error)) }
        }
        isUnderWay = false
        startNext()
    }
}
