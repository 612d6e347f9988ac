import Domain
import EventLoop
import Postgres

/// Commits the events of many callers together: while one batch commits, the next gathers. There
/// is no timer; the first event goes at once.
///
/// A batch goes through `start`, `end` and `finish`, each called back by the connection, so that
/// the next batch is on its way before the callers of the last one are resumed.
actor Appender {
    /// How a batch is being recorded.
    private enum Way {
        /// Relying on what is known of the log's end.
        case knowing(PlainAppend)
        /// Relying on nothing, in one statement.
        case looking(PlainAppend)
        /// By `append_events`, which finds out what conflicts.
        case careful
    }

    nonisolated let pool: Pool
    nonisolated var unownedExecutor: UnownedSerialExecutor { pool.unownedExecutor }

    private let news: NewsFanOut
    private let limits: AppendLimits
    private let line: AppendLine
    private var queue = AppendQueue()
    /// Requests of a batch that the database refused, to be tried one by one.
    private var alone: [AppendRequest] = []
    private var ends = LogEnds()
    private var isCommitting = false
    private var nextID: UInt64 = 0
    private var isWatching = false

    init(pool: Pool, news: NewsFanOut, limits: AppendLimits) {
        self.pool = pool
        self.news = news
        self.limits = limits
        line = AppendLine(pool: pool)
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
        startNext()
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
            let why = line.failure.map { EventStoreError($0) }
            request.fail(why ?? .overloaded(detail: "the event's turn did not come in time"))
        }
    }

    private static let cancelled = EventStoreError.unavailable(detail: "the call was cancelled")

    // MARK: Batches

    private func startNext() {
        guard !isCommitting, !queue.isEmpty || !alone.isEmpty else { return }
        guard let connection = line.connection else { return open() }
        isCommitting = true
        let batch =
            alone.isEmpty
            ? queue.takeBatch(eventsMax: Limits.batchEventsMax) : [alone.removeFirst()]
        if let end = ends.end(of: batch[0].tenant), let append = PlainAppend(batch, end: end) {
            send(batch, .knowing(append), append.statement, on: connection)
        } else {
            startLooking(batch, on: connection)
        }
    }

    private func startLooking(_ batch: [AppendRequest], on connection: Connection) {
        ends.doubt(batch[0].tenant)
        guard let append = PlainAppend(batch, end: nil) else {
            return startCarefully(batch, on: connection)
        }
        send(batch, .looking(append), append.statement, on: connection)
    }

    private func startCarefully(_ batch: [AppendRequest], on connection: Connection) {
        ends.doubt(batch[0].tenant)
        send(batch, .careful, .append(batch), on: connection)
    }

    private func open() {
        line.open { [weak self] in
            self?.assumeIsolated { appender in
                if appender.line.failure == .closed { appender.failAll() }
                appender.startNext()
            }
        }
    }

    private func failAll() {
        while !queue.isEmpty {
            for request in queue.takeBatch(eventsMax: Limits.batchEventsMax) {
                request.fail(EventStoreError(PostgresError.closed))
            }
        }
    }

    private func send(
        _ batch: [AppendRequest], _ way: Way, _ statement: Statement, on connection: Connection
    ) {
        let timeout = Duration.seconds(Limits.appendTimeoutSeconds)
        let onEnd = { @Sendable (result: Result<Rows, PostgresError>) in
            self.assumeIsolated { $0.end(batch, way, result, on: connection) }
        }
        connection.assumeIsolated { $0.query(statement, timeout: timeout, onEnd: onEnd) }
    }

    private func end(
        _ batch: [AppendRequest], _ way: Way, _ result: Result<Rows, PostgresError>,
        on connection: Connection
    ) {
        do throws(PostgresError) {
            let rows = try result.get()
            switch way {
            case .knowing(let append):
                if let outcomes = try append.outcomes(rows, notingIn: &ends) {
                    finish(batch, outcomes)
                } else {
                    startLooking(batch, on: connection)
                }
            case .looking(let append):
                if let outcomes = try append.outcomes(rows, notingIn: &ends) {
                    finish(batch, outcomes)
                } else {
                    startCarefully(batch, on: connection)
                }
            case .careful:
                let count = batch.reduce(0) { $0 + $1.events.count }
                finish(batch, try AppendOutcome.decode(rows, count: count))
            }
        } catch {
            if case .careful = way { return fail(batch, error) }
            guard case .server(let fault) = error, fault.sqlState == SQLState.uniqueViolation else {
                return fail(batch, error)
            }
            startCarefully(batch, on: connection)
        }
    }

    private func finish(_ batch: [AppendRequest], _ outcomes: [AppendOutcome]) {
        isCommitting = false
        startNext()
        var start = 0
        for request in batch {
            let end = start + request.events.count
            request.continuation.resume(returning: .success(Array(outcomes[start..<end])))
            start = end
        }
        let tenant = batch[0].tenant
        news.assumeIsolated { $0.announce(.appended(tenant)) }
    }

    /// One caller's event that the database refuses (a NUL in a string, an unknown tenant) must
    /// not cost the others theirs: then every request goes alone.
    private func fail(_ batch: [AppendRequest], _ error: PostgresError) {
        // Who knows whether it was recorded.
        ends.doubt(batch[0].tenant)
        isCommitting = false
        if batch.count > 1, !error.isTransient {
            alone = batch
        } else {
            for request in batch { request.fail(EventStoreError(error)) }
        }
        startNext()
    }
}
