import Domain
import Postgres

/// Commits the events of many callers together: while one batch commits, the next gathers. There
/// is no timer; the first event goes at once.
actor Appender {
    nonisolated let pool: Pool
    nonisolated var unownedExecutor: UnownedSerialExecutor { pool.unownedExecutor }

    private var queue: [AppendRequest] = []
    private var queuedEvents = 0
    private var queuedBytes = 0
    private var isCommitting = false
    private var nextID: UInt64 = 0
    private var isWatching = false
    private let limits: AppendLimits

    init(pool: Pool, limits: AppendLimits) {
        self.pool = pool
        self.limits = limits
    }

    /// Returns after the commit. A caller that gives up while queued, or whose turn does not come
    /// in time, records nothing.
    func append(
        _ tenant: TenantID, _ events: [NewEvent], isAtomic: Bool
    ) async throws(EventStoreError) -> [AppendOutcome] {
        guard !events.isEmpty else { return [] }
        nextID += 1
        let id = nextID
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enqueue(
                    AppendRequest(
                        id: id, tenant: tenant, events: events, isAtomic: isAtomic,
                        continuation: continuation))
            }
        } onCancel: {
            Task { await self.withdraw(id) }
        }
        return try answer.get()
    }

    /// Checks here and not before: at every `await` another caller may come in between.
    private func enqueue(_ request: AppendRequest) {
        if Task.isCancelled {
            request.fail(Self.cancelled)
            return
        }
        let events = queuedEvents + request.events.count
        guard queue.isEmpty || events <= limits.queuedEventsMax,
            queuedBytes <= Limits.queuedBytesMax
        else {
            request.fail(.overloaded(detail: "too many events wait to be recorded"))
            return
        }
        queue.append(request)
        queuedEvents += request.events.count
        queuedBytes += request.bytes
        watch()
        guard !isCommitting else { return }
        isCommitting = true
        // At once, so that Postgres works while the loop reads the next requests. The preference
        // keeps the task on the loop, where it would otherwise come back from every wait by way of
        // the shared pool of threads.
        Task.immediate(executorPreference: pool.loop) { await self.commitAll() }
    }

    private func withdraw(_ id: UInt64) {
        guard let index = queue.firstIndex(where: { $0.id == id }) else { return }
        let request = queue.remove(at: index)
        leave(request)
        request.fail(Self.cancelled)
    }

    /// Looks through the queue for as long as the appender lives: a timer for each request would
    /// cost more than all of them together ever wait.
    private func watch() {
        guard !isWatching else { return }
        isWatching = true
        Task { [weak self] in
            while await self?.expire() != nil {
                try? await Task.sleep(for: .milliseconds(Limits.queueWatchMillis))
            }
        }
    }

    private func expire() {
        let due = ContinuousClock.now - .seconds(limits.queueWaitSeconds)
        // The oldest stand in front.
        while let request = queue.first, request.enqueuedAt < due {
            queue.removeFirst()
            leave(request)
            request.fail(.overloaded(detail: "the event's turn did not come in time"))
        }
    }

    private static let cancelled = EventStoreError.unavailable(detail: "the call was cancelled")

    private func leave(_ request: AppendRequest) {
        queuedEvents -= request.events.count
        queuedBytes -= request.bytes
    }

    private func commitAll() async {
        while !queue.isEmpty {
            await commit(takeBatch())
        }
        isCommitting = false
    }

    /// At least one request, then as many as fit.
    private func takeBatch() -> [AppendRequest] {
        var count = 0
        var events = 0
        for request in queue {
            events += request.events.count
            if count > 0, events > Limits.batchEventsMax { break }
            count += 1
        }
        let batch = Array(queue.prefix(count))
        queue.removeFirst(count)
        for request in batch { leave(request) }
        return batch
    }

    private func commit(_ batch: [AppendRequest]) async {
        do throws(PostgresError) {
            let outcomes = try await record(batch)
            var start = 0
            for request in batch {
                let end = start + request.events.count
                request.continuation.resume(returning: .success(Array(outcomes[start..<end])))
                start = end
            }
        } catch {
            await fail(batch, error)
        }
    }

    private func record(_ batch: [AppendRequest]) async throws(PostgresError) -> [AppendOutcome] {
        if let outcomes = try await recordPlainly(batch) { return outcomes }
        let outcomes = try AppendOutcome.decode(try await run(.append(batch)))
        guard outcomes.count == batch.reduce(0, { $0 + $1.events.count }) else {
            throw .decoding(column: "outcomes", expected: "one outcome per event")
        }
        return outcomes
    }

    /// The short way, which most batches can go.
    /// - Returns: nil when this one cannot; then nothing is recorded.
    private func recordPlainly(
        _ batch: [AppendRequest]
    ) async throws(PostgresError) -> [AppendOutcome]? {
        guard let append = PlainAppend(batch) else { return nil }
        let rows: Rows
        do { rows = try await run(append.statement) } catch {
            guard case .server(let fault) = error, fault.sqlState == SQLState.uniqueViolation else {
                throw error
            }
            return nil
        }
        return try append.outcomes(rows)
    }

    private func run(_ statement: Statement) async throws(PostgresError) -> Rows {
        try await pool.query(
            statement.sql, statement.parameters, timeout: .seconds(Limits.appendTimeoutSeconds))
    }

    /// One caller's event that the database refuses (a NUL in a string, an unknown tenant) must
    /// not cost the others theirs: then every request goes alone.
    private func fail(_ batch: [AppendRequest], _ error: PostgresError) async {
        if batch.count > 1, !error.isTransient {
            for request in batch { await commit([request]) }
        } else {
            for request in batch { request.fail(EventStoreError(error)) }
        }
    }
}
