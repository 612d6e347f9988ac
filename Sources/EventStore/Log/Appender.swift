import Domain
import EventLoop
import Postgres

/// Commits the events of many callers together: while one batch commits, the next gathers. There
/// is no timer; the first event goes with those that the loop read in the same turn.
///
/// The connection calls back with what became of a batch, so that the next one is on its way before
/// the callers of the last one are resumed. When as much has gathered as is being committed, it is
/// sent ahead, and Postgres goes on without a pause.
actor Appender {
    /// How a batch is being recorded.
    private enum Way {
        /// Relying on what is known of the log's end.
        case knowing(PlainAppend)
        /// Relying on nothing, in one statement.
        case looking(PlainAppend)
        /// Folded already, which relies on still more.
        case folded(FoldedAppend)
        /// By `append_events`, which finds out what conflicts.
        case careful
    }

    private struct Flight {
        var batch: [AppendRequest]
        var way: Way
        var startedAt = ContinuousClock.now

        var folded: FoldedAppend? {
            guard case .folded(let folded) = way else { return nil }
            return folded
        }

        /// One whose outcome can be relied on.
        var knowing: PlainAppend? {
            switch way {
            case .knowing(let append): append
            case .folded(let folded): folded.append
            case .looking, .careful: nil
            }
        }
    }

    nonisolated let pool: Pool
    nonisolated var unownedExecutor: UnownedSerialExecutor { pool.unownedExecutor }

    private let news: NewsFanOut
    private let fresh: FreshEvents
    private let along: FoldingAlong
    private let limits: AppendLimits
    private let line: AppendLine
    private var queue: AppendQueue
    /// Batches that came to nothing and go again, each when nothing else is under way.
    private var again: [(batch: [AppendRequest], carefully: Bool)] = []
    /// Batches that are being committed, in their order.
    private var flights: [Flight] = []
    private var lastEndedAt = ContinuousClock.now
    private var lastCommitTook = Duration.zero
    private var ends = LogEnds()
    private var lastTag = Int64.random(in: .min ... .max)
    private var nextID: UInt64 = 0
    private var isWatching = false
    private var isStarting = false

    init(
        pool: Pool, news: NewsFanOut, fresh: FreshEvents, along: FoldingAlong, limits: AppendLimits
    ) {
        self.pool = pool
        self.news = news
        self.fresh = fresh
        self.along = along
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
        guard !queue.isEmpty || !again.isEmpty else { return }
        guard let connection = line.connection else { return open() }
        if again.isEmpty {
            let batch = queue.takeBatch(eventsMax: Limits.batchEventsMax)
            if !startKnowing(batch, on: connection) { startLooking(batch, on: connection) }
        } else {
            let (batch, carefully) = again.removeFirst()
            if carefully {
                startCarefully(batch, on: connection)
            } else {
                startLooking(batch, on: connection)
            }
        }
    }

    /// Only behind one whose outcome can be relied on. A few events sent ahead would cost a commit
    /// that many could have shared.
    private func sendAhead() {
        guard flights.count == 1, let append = flights[0].knowing, again.isEmpty,
            !queue.isEmpty, queue.events >= append.events.count, let connection = line.connection
        else { return }
        let batch = queue.takeBatch(eventsMax: Limits.batchEventsMax)
        if !startKnowing(batch, on: connection) { again.append((batch, false)) }
    }

    /// - Returns: false when too little is known.
    private func startKnowing(_ batch: [AppendRequest], on connection: Connection) -> Bool {
        guard let end = ends.end(of: batch[0].tenant),
            let append = PlainAppend(batch, end: end, tag: nextTag())
        else { return false }
        // Whoever waits for their turn does not wait for what can be done later.
        let hasTime =
            queue.isEmpty && lastCommitTook < .seconds(limits.foldedAlongCommitSeconds)
        let folded = hasTime ? along.fold(append, after: flights.first?.folded) : nil
        append.expect(in: ends)
        if let folded {
            send(batch, .folded(folded), [folded.statement], on: connection)
        } else {
            send(batch, .knowing(append), append.statements, on: connection)
        }
        return true
    }

    private func startLooking(_ batch: [AppendRequest], on connection: Connection) {
        ends.doubt(batch[0].tenant)
        guard let append = PlainAppend(batch, end: nil, tag: nextTag()) else {
            return startCarefully(batch, on: connection)
        }
        send(batch, .looking(append), append.statements, on: connection)
    }

    private func startCarefully(_ batch: [AppendRequest], on connection: Connection) {
        ends.doubt(batch[0].tenant)
        send(batch, .careful, [.append(batch)], on: connection)
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
        for (batch, _) in again {
            for request in batch { request.fail(EventStoreError(PostgresError.closed)) }
        }
        again = []
    }

    private func send(
        _ batch: [AppendRequest], _ way: Way, _ statements: [Statement], on connection: Connection
    ) {
        flights.append(Flight(batch: batch, way: way))
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
        let now = ContinuousClock.now
        // One that was sent ahead waited for the one before.
        (lastCommitTook, lastEndedAt) = (now - max(flight.startedAt, lastEndedAt), now)
        do throws(PostgresError) {
            let results = try result.get()
            let rows = results[results.count - 1]
            switch flight.way {
            case .knowing(let append):
                if let outcomes = try append.outcomes(rows, notingIn: &ends) {
                    try keep(append, rows, outcomes)
                    return finish(batch, outcomes)
                }
                goAgain(batch, carefully: false)
            case .looking(let append):
                if let outcomes = try append.outcomes(rows, notingIn: &ends) {
                    try keep(append, rows, outcomes)
                    return finish(batch, outcomes)
                }
                goAgain(batch, carefully: true)
            case .folded(let folded):
                if let end = try folded.end(rows, notingIn: &ends) {
                    return finish(batch, folded, end)
                }
                along.rest(folded.append.tenant)
                goAgain(batch, carefully: false)
            case .careful:
                let count = batch.reduce(0) { $0 + $1.events.count }
                finish(batch, try AppendOutcome.decode(rows, count: count))
            }
        } catch {
            fail(flight, error)
        }
    }

    private func keep(
        _ append: PlainAppend, _ rows: Rows, _ outcomes: [AppendOutcome]
    ) throws(PostgresError) {
        if let time = try rows.first?.moment(2) { along.note(time) }
        guard fresh.isWanted, let stretch = try append.recorded(rows, outcomes) else { return }
        fresh.note(stretch, of: append.tenant)
    }

    private func finish(
        _ batch: [AppendRequest], _ folded: FoldedAppend, _ end: FoldedAppend.End
    ) {
        let tenant = folded.append.tenant
        along.note(end.time)
        guard end.isFolded else {
            if let stretch = folded.stretch { fresh.note(stretch, of: tenant) }
            return finish(batch, end.outcomes)
        }
        along.keep(folded)
        answer(batch, end.outcomes)
        news.assumeIsolated {
            $0.announceFolded(tenant, along.memory)
            $0.announce(.appendedFolded(tenant))
        }
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
    private func goAgain(_ batch: [AppendRequest], carefully: Bool) {
        ends.doubt(batch[0].tenant)
        again.append((batch, carefully))
        startNext()
    }

    private func fail(_ flight: Flight, _ error: PostgresError) {
        let batch = flight.batch
        // Who knows whether it was recorded.
        ends.doubt(batch[0].tenant)
        var isConflict = false
        if case .server(let fault) = error {
            isConflict = fault.sqlState == SQLState.uniqueViolation
        }
        switch flight.way {
        case .knowing where isConflict, .looking where isConflict:
            return goAgain(batch, carefully: true)
        case .folded(let folded) where error.sqlState != nil && !error.isTransient:
            // It may be for what was folded; what is to be recorded must not suffer from that.
            along.rest(folded.append.tenant)
            return goAgain(batch, carefully: isConflict)
        case .knowing, .looking, .folded, .careful: break
        }
        if batch.count > 1, !error.isTransient {
            // One caller's event that the database refuses (an unknown tenant) must not cost the
            // others theirs.
            again += batch.map { ([$0], false) }
        } else {
            for request in batch { request.fail(EventStoreError(error)) }
        }
        startNext()
    }
}
