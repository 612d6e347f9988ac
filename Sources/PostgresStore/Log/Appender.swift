import Domain
import EventLoop
import EventStore
import Postgres

/// Commits the events of many callers together: while one batch commits, the next gathers. There
/// is no timer; the first event goes with those that the loop read in the same turn.
///
/// The connection calls back with what became of a batch, so that the next one is on its way before
/// the callers of the last one are resumed. When as much has gathered as is being committed, it is
/// sent ahead, and Postgres goes on without a pause.
actor Appender {
    private struct Flight {
        var batch: [AppendRequest]
        /// Nil for `append_events`, which finds out what conflicts.
        var plain: PlainAppend?
    }

    nonisolated let pool: Pool
    nonisolated var unownedExecutor: UnownedSerialExecutor { pool.unownedExecutor }

    private let news: NotificationFanOut
    private let fresh: EventBuffer
    private let limits: AppendLimits
    private let line: AppendLine
    private var queue: AppendQueue
    /// Batches that came to nothing and go again by `append_events`, each when nothing else is
    /// under way.
    private var again: [[AppendRequest]] = []
    /// Taken from the queue, of a tenant of whom too little is known to be sent ahead.
    private var next: [AppendRequest]?
    /// Batches that are being committed, in their order.
    private var flights: [Flight] = []
    private var ends = LogEnds()
    private var lastTag = Int64.random(in: .min ... .max)
    private var nextID: UInt64 = 0
    private var isWatching = false
    private var isStarting = false

    init(pool: Pool, news: NotificationFanOut, fresh: EventBuffer, limits: AppendLimits) {
        self.pool = pool
        self.news = news
        self.fresh = fresh
        self.limits = limits
        queue = AppendQueue(limits)
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
        if let refusal = queue.refusal(of: request) {
            request.fail(Self.error(for: refusal))
            return
        }
        queue.add(request)
        watch()
        startSoon()
    }

    private static func error(for refusal: AppendQueue.Refusal) -> EventStoreError {
        switch refusal {
        case .share(let events):
            .overloaded(
                detail: "\(events) events of this tenant wait to be recorded already, which is its "
                    + "own share of the queue")
        case .full: .overloaded(detail: "too many events of all tenants wait to be recorded")
        }
    }

    /// At the end of the loop's turn: a commit for the first request that it read would cost as
    /// much as one for all of them.
    private func startSoon() {
        guard !isStarting else { return }
        isStarting = true
        pool.loop.run {
            self.assumeIsolated { appender in
                appender.isStarting = false
                appender.startNext()
            }
        }
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
        guard flights.isEmpty else { return sendAhead() }
        guard !queue.isEmpty || !again.isEmpty || next != nil else { return }
        guard let connection = line.connection else { return open() }
        guard again.isEmpty else { return startCarefully(again.removeFirst(), on: connection) }
        let batch = next ?? queue.takeBatch(eventsMax: Limits.batchEventsMax)
        next = nil
        if !startPlainly(batch, on: connection) { startCarefully(batch, on: connection) }
    }

    /// Only behind one whose outcome is foreseen. A few events sent ahead would cost a commit
    /// that many could have shared.
    private func sendAhead() {
        guard flights.count == 1, let first = flights[0].plain, first.expected != nil,
            again.isEmpty, next == nil, !queue.isEmpty, queue.events >= first.events.count,
            let connection = line.connection
        else { return }
        let batch = queue.takeBatch(eventsMax: Limits.batchEventsMax)
        if ends.end(of: batch[0].tenant) == nil || !startPlainly(batch, on: connection) {
            next = batch
        }
    }

    /// Relies on what is known of the log's end, if anything.
    /// - Returns: false when it takes more than that.
    private func startPlainly(_ batch: [AppendRequest], on connection: Connection) -> Bool {
        let end = ends.end(of: batch[0].tenant)
        guard let append = PlainAppend(batch, end: end, tag: nextTag()) else { return false }
        append.expect(in: ends)
        send(batch, append, append.statements, on: connection)
        return true
    }

    private func startCarefully(_ batch: [AppendRequest], on connection: Connection) {
        ends.doubt(batch[0].tenant)
        send(batch, nil, [.append(batch)], on: connection)
    }

    private func nextTag() -> Int64 {
        lastTag &+= 1
        return lastTag
    }

    private func open() {
        // Another connection may lead to another log: a database that was restored, say.
        fresh.forget()
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
        for request in again.joined() + (next ?? []) {
            request.fail(EventStoreError(PostgresError.closed))
        }
        (again, next) = ([], nil)
    }

    private func send(
        _ batch: [AppendRequest], _ plain: PlainAppend?, _ statements: [Statement],
        on connection: Connection
    ) {
        flights.append(Flight(batch: batch, plain: plain))
        let timeout = Duration.seconds(limits.commitSeconds)
        let onEnd = { @Sendable (result: Result<[Rows], PostgresError>) in
            self.assumeIsolated { $0.end(result) }
        }
        connection.assumeIsolated { $0.batch(statements, timeout: timeout, onEnd: onEnd) }
    }

    // MARK: Outcomes

    /// Of the first flight: a connection answers in the order of the calls.
    private func end(_ result: Result<[Rows], PostgresError>) {
        let flight = flights.removeFirst()
        let batch = flight.batch
        do throws(PostgresError) {
            let results = try result.get()
            let rows = results[results.count - 1]
            guard let append = flight.plain else {
                let count = batch.reduce(0) { $0 + $1.events.count }
                return finish(batch, try AppendOutcome.decode(rows, count: count))
            }
            guard let outcomes = try append.outcomes(rows, notingIn: &ends) else {
                return goAgain(batch)
            }
            try keep(append, rows, outcomes)
            finish(batch, outcomes)
        } catch {
            fail(flight, error)
        }
    }

    private func keep(
        _ append: PlainAppend, _ rows: Rows, _ outcomes: [AppendOutcome]
    ) throws(PostgresError) {
        guard fresh.isWanted, let stretch = try append.recorded(rows, outcomes) else { return }
        fresh.note(stretch, of: append.tenant)
    }

    private func finish(_ batch: [AppendRequest], _ outcomes: [AppendOutcome]) {
        answer(batch, outcomes)
        let tenant = batch[0].tenant
        news.assumeIsolated { $0.announce(.appended(tenant)) }
    }

    /// The next batch is on its way before anybody is told of the last.
    private func answer(_ batch: [AppendRequest], _ outcomes: [AppendOutcome]) {
        startNext()
        var start = 0
        for request in batch {
            let end = start + request.events.count
            request.continuation.resume(returning: .success(Array(outcomes[start..<end])))
            start = end
        }
    }

    /// Nothing was recorded; what was sent behind it relied on it and will come back too.
    private func goAgain(_ batch: [AppendRequest]) {
        ends.doubt(batch[0].tenant)
        again.append(batch)
        startNext()
    }

    private func fail(_ flight: Flight, _ error: PostgresError) {
        let batch = flight.batch
        if flight.plain != nil, error.sqlState == SQLState.uniqueViolation {
            return goAgain(batch)
        }
        // Who knows whether it was recorded.
        ends.doubt(batch[0].tenant)
        if batch.count > 1, !error.isTransient {
            // One caller's event that the database refuses (an unknown tenant) must not cost the
            // others theirs.
            again += batch.map { [$0] }
        } else {
            for request in batch { request.fail(EventStoreError(error)) }
        }
        startNext()
    }
}
