import Domain
import Postgres

/// Commits the events of many callers together: while one batch commits, the next gathers. There
/// is no timer; the first event goes at once.
actor Appender {
    nonisolated let pool: Pool
    nonisolated var unownedExecutor: UnownedSerialExecutor { pool.unownedExecutor }

    private let news: NewsFanOut
    private let limits: AppendLimits
    private var queue = AppendQueue()
    private var ends = LogEnds()
    private var isCommitting = false
    private var nextID: UInt64 = 0
    private var isWatching = false

    init(pool: Pool, news: NewsFanOut, limits: AppendLimits) {
        self.pool = pool
        self.news = news
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
            Task { await self.withdraw(id, of: tenant) }
        }
        return try answer.get()
    }

    /// Checks here and not before: at every `await` another caller may come in between.
    private func enqueue(_ request: AppendRequest) {
        if Task.isCancelled {
            request.fail(Self.cancelled)
            return
        }
        guard queue.isEmpty || queue.events + request.events.count <= limits.queuedEventsMax,
            queue.bytes <= Limits.queuedBytesMax
        else {
            request.fail(.overloaded(detail: "too many events wait to be recorded"))
            return
        }
        queue.add(request)
        watch()
        guard !isCommitting else { return }
        isCommitting = true
        // At once, so that Postgres works while the loop reads the next requests. The preference
        // keeps the task on the loop, where it would otherwise come back from every wait by way of
        // the shared pool of threads.
        Task.immediate(executorPreference: pool.loop) { await self.commitAll() }
    }

    private func withdraw(_ id: UInt64, of tenant: TenantID) {
        queue.remove(id, of: tenant)?.fail(Self.cancelled)
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
        while let request = queue.removeOne(enqueuedBefore: due) {
            request.fail(.overloaded(detail: "the event's turn did not come in time"))
        }
    }

    private static let cancelled = EventStoreError.unavailable(detail: "the call was cancelled")

    private func commitAll() async {
        while !queue.isEmpty {
            await commit(queue.takeBatch(eventsMax: Limits.batchEventsMax))
        }
        isCommitting = false
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

    /// The short way, which most batches can go: first with what is known of the log's end, and if
    /// that has changed meanwhile, without.
    /// - Returns: nil when the batch cannot go that way; then nothing is recorded.
    private func recordPlainly(
        _ batch: [AppendRequest]
    ) async throws(PostgresError) -> [AppendOutcome]? {
        let tenant = batch[0].tenant
        do throws(PostgresError) {
            if let end = ends.end(of: tenant),
                let outcomes = try await recordPlainly(batch, at: end)
            {
                return outcomes
            }
            ends.doubt(tenant)
            return try await recordPlainly(batch, at: nil)
        } catch {
            // Who knows whether it was recorded.
            ends.doubt(tenant)
            guard case .server(let fault) = error, fault.sqlState == SQLState.uniqueViolation else {
                throw error
            }
            return nil
        }
    }

    private func recordPlainly(
        _ batch: [AppendRequest], at end: LogEnd?
    ) async throws(PostgresError) -> [AppendOutcome]? {
        guard let append = PlainAppend(batch, end: end) else { return nil }
        let rows = try await run(append.statement)
        guard let outcomes = try append.outcomes(rows, notingIn: &ends) else { return nil }
        await news.announce(.appended(batch[0].tenant))
        return outcomes
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
