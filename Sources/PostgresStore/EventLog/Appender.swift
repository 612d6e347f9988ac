import Domain
import EventLoop
import EventStore
import Postgres
import Synchronization

/// Commits the events of many callers together: while one batch commits, the next gathers. There
/// is no timer; the first event goes with those that the loop read in the same iteration.
///
/// The connection calls back with the result of a batch, so that the next one is on its way before
/// the callers of the last one are resumed. When as much has gathered as is being committed, it is
/// sent ahead, and Postgres goes on without a pause. Small batches go past the large ones of other
/// tenants on a lane of their own.
actor Appender {
    nonisolated let pool: Pool
    nonisolated var unownedExecutor: UnownedSerialExecutor { pool.unownedExecutor }

    private let hub: NotificationHub
    private let eventBuffer: EventBuffer
    private let memory: LogMemory
    private let limits: AppendLimits
    /// The lane for batches of all sizes.
    private let main: AppendLane
    /// The lane for small batches while the other is busy.
    private let fast: AppendLane
    private var queue: AppendQueue
    private var heads = LogHeadCache()
    private var lastTag = Int64.random(in: .min ... .max)
    /// The last request's id.
    private let lastID = Atomic<UInt64>(0)
    private var isWatching = false
    private var isStarting = false

    /// - Parameter memory: learns what was recorded before the callers do.
    init(
        pool: Pool, hub: NotificationHub, eventBuffer: EventBuffer, memory: LogMemory,
        limits: AppendLimits
    ) {
        self.pool = pool
        self.memory = memory
        self.hub = hub
        self.eventBuffer = eventBuffer
        self.limits = limits
        queue = AppendQueue(limits)
        main = AppendLane(pool: pool, size: .standard)
        fast = AppendLane(pool: pool, size: .small)
    }

    /// Returns after the commit. A caller that gives up while queued, or whose turn does not come
    /// in time, records nothing.
    ///
    /// Not as the actor's: a caller that is on its loop already, as requests are, would queue up
    /// for it twice, on the way in and on the way back.
    nonisolated func append(
        _ tenant: TenantID, _ events: [NewEvent], isAtomic: Bool
    ) async throws(EventStoreError) -> [AppendResult] {
        guard !events.isEmpty else { return [] }
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        let answer: AppendRequest.Answer = await pool.loop.answer(
            orIfCancelled: .failure(Self.cancelled)
        ) { continuation in
            let request = AppendRequest(
                id: id, tenant: tenant, events: events, isAtomic: isAtomic,
                continuation: continuation)
            self.assumeIsolated { $0.enqueue(request) }
        } onCancel: {
            self.assumeIsolated { $0.cancel(id, of: tenant) }
        }
        return try answer.get()
    }

    private func enqueue(_ request: AppendRequest) {
        if let refusal = queue.refusal(of: request) {
            request.fail(refusal)
            return
        }
        queue.add(request)
        watch()
        startSoon()
    }

    /// Starts at the end of the loop's iteration: a commit for the first request that it read would
    /// cost as much as one for all of them.
    private func startSoon() {
        guard !isStarting else { return }
        isStarting = true
        pool.loop.run {
            self.assumeIsolated { appender in
                appender.isStarting = false
                appender.startBoth()
            }
        }
    }

    private func cancel(_ id: UInt64, of tenant: TenantID) {
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
        let oldest = ContinuousClock.now - .seconds(limits.queueWaitSeconds)
        let late =
            [main, fast].flatMap { $0.removeWaiting(enqueuedBefore: oldest) }
            + queue.removeAll(enqueuedBefore: oldest)
        let why = main.connection.failure.map { EventStoreError($0) }
        for request in late {
            request.fail(why ?? .overloaded(detail: "the event's turn did not come in time"))
        }
    }

    private static let cancelled = EventStoreError.unavailable(detail: "the call was cancelled")

    // MARK: Batches

    private func startBoth() {
        startNext(main)
        if main.isBusy || fast.isBusy { startNext(fast) }
    }

    private func startNext(_ lane: AppendLane) {
        guard lane.sent.isEmpty else { return sendAhead(lane) }
        guard lane.hasWaiting || queue.hasBatch(lane.size, without: other(than: lane).tenants)
        else { return }
        guard let connection = lane.connection.current else { return open(lane) }
        if !lane.retries.isEmpty {
            return startWithAppendEvents(lane.retries.removeFirst(), lane, connection)
        }
        let batch = lane.next ?? take(for: lane)
        lane.next = nil
        guard !batch.isEmpty else { return }
        if !startOptimistically(batch, lane, connection) {
            startWithAppendEvents(batch, lane, connection)
        }
    }

    /// Sends a batch behind one whose outcome is foreseen. A few events sent ahead would cost a
    /// commit that many could have shared.
    private func sendAhead(_ lane: AppendLane) {
        guard lane.sent.count == 1, let first = lane.sent[0].optimistic, first.expectedHead != nil,
            !lane.hasWaiting, !queue.isEmpty, queue.events >= first.events.count,
            let connection = lane.connection.current
        else { return }
        let batch = take(for: lane)
        guard !batch.isEmpty else { return }
        if heads.head(of: batch[0].tenant) == nil || !startOptimistically(batch, lane, connection) {
            lane.next = batch
        }
    }

    private func take(for lane: AppendLane) -> [AppendRequest] {
        queue.takeBatch(lane.size, without: other(than: lane).tenants)
    }

    private func other(than lane: AppendLane) -> AppendLane { lane === main ? fast : main }

    /// Relies on what is known of the log's head, if anything.
    /// - Returns: false when it takes more than that.
    private func startOptimistically(
        _ batch: [AppendRequest], _ lane: AppendLane, _ connection: Connection
    ) -> Bool {
        let head = heads.head(of: batch[0].tenant)
        lastTag &+= 1
        guard let append = OptimisticAppend(batch, head: head, tag: lastTag) else { return false }
        append.assumeSuccess(in: &heads)
        send(.init(batch: batch, optimistic: append), append.statements, lane, connection)
        return true
    }

    private func startWithAppendEvents(
        _ batch: [AppendRequest], _ lane: AppendLane, _ connection: Connection
    ) {
        heads.invalidate(batch[0].tenant)
        send(.init(batch: batch), [.append(batch)], lane, connection)
    }

    private func open(_ lane: AppendLane) {
        // Another connection may lead to another log: a database that was restored, say.
        eventBuffer.forget()
        lane.connection.open { [weak self] in
            self?.assumeIsolated { appender in
                if appender.main.connection.failure == .closed { appender.failAll() }
                appender.startBoth()
            }
        }
    }

    private func failAll() {
        var requests = main.removeWaiting() + fast.removeWaiting()
        while !queue.isEmpty { requests += queue.takeBatch() }
        for request in requests { request.fail(EventStoreError(PostgresError.closed)) }
    }

    private func send(
        _ sent: AppendLane.SentBatch, _ statements: [Statement], _ lane: AppendLane,
        _ connection: Connection
    ) {
        lane.sent.append(sent)
        // The first of a batch has waited longest, maybe for another commit.
        let deadline = sent.batch[0].enqueuedAt + .seconds(limits.answerSeconds)
        let timeout = max(.zero, ContinuousClock.now.duration(to: deadline))
        let isMain = lane === main
        let onEnd = { @Sendable (result: Result<[Rows], PostgresError>) in
            self.assumeIsolated { $0.end(isMain ? $0.main : $0.fast, result) }
        }
        connection.assumeIsolated { $0.batch(statements, timeout: timeout, onEnd: onEnd) }
    }

    // MARK: Results

    /// Ends the first batch that was sent: a connection answers in the order of the calls.
    private func end(_ lane: AppendLane, _ result: Result<[Rows], PostgresError>) {
        let sent = lane.sent.removeFirst()
        let batch = sent.batch
        do throws(PostgresError) {
            let results = try result.get()
            let rows = results[results.count - 1]
            guard let append = sent.optimistic else {
                let count = batch.reduce(0) { $0 + $1.events.count }
                // The function has told all nodes itself, if it recorded anything.
                return finish(batch, try AppendResult.decode(rows, count: count))
            }
            guard let appended = try append.results(rows, notingIn: &heads) else {
                return retry(batch, lane)
            }
            if eventBuffer.isWanted, let stretch = try append.recorded(rows, appended) {
                eventBuffer.note(stretch, of: append.tenant)
            }
            finish(batch, appended)
            hub.assumeIsolated { $0.announce(.happened(.appended, append.tenant)) }
        } catch {
            fail(sent, lane, error)
        }
    }

    private func finish(_ batch: [AppendRequest], _ results: [AppendResult]) {
        memory.note(results, of: batch[0].tenant)
        answer(batch, results)
    }

    /// The next batch is on its way before anybody gets an answer about the last.
    private func answer(_ batch: [AppendRequest], _ results: [AppendResult]) {
        startBoth()
        var start = 0
        for request in batch {
            let end = start + request.events.count
            request.continuation.resume(returning: .success(Array(results[start..<end])))
            start = end
        }
    }

    /// Nothing was recorded; what was sent behind it relied on it and will come back too.
    private func retry(_ batch: [AppendRequest], _ lane: AppendLane) {
        heads.invalidate(batch[0].tenant)
        lane.retries.append(batch)
        startBoth()
    }

    private func fail(_ sent: AppendLane.SentBatch, _ lane: AppendLane, _ error: PostgresError) {
        let batch = sent.batch
        if sent.optimistic != nil, error.sqlState == SQLState.uniqueViolation {
            return retry(batch, lane)
        }
        // Nobody knows whether it was recorded.
        heads.invalidate(batch[0].tenant)
        if batch.count > 1, !error.isTransient {
            // One caller's event that the database refuses (an unknown tenant) must not cost the
            // others theirs.
            lane.retries += batch.map { [$0] }
        } else {
            for request in batch { request.fail(EventStoreError(error)) }
        }
        startBoth()
    }
}
