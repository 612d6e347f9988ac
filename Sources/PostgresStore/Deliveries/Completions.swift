import Domain
import EventLoop
import EventStore
import Postgres

/// Settles the rounds of many activities together: while one commit waits for the disk and for a
/// moment longer, the next one gathers. Nobody waits for it but their activity's next round.
actor Completions {
    private struct Settlement {
        var claim: DeliveryClaim
        var outcome: LedgerRow.Outcome
        var continuation: CheckedContinuation<Result<Bool, PostgresError>, Never>
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { line.unownedExecutor }

    private nonisolated let line: KeyedLine
    private let onSettled: @Sendable ([DeliveryClaim]) async -> Void
    private var waiting: [Settlement] = []
    private var isUnderWay = false

    /// - Parameter onSettled: called with the claims that were settled, before their callers go on.
    init(pool: Pool, onSettled: @escaping @Sendable ([DeliveryClaim]) async -> Void) {
        line = KeyedLine(pool: pool)
        self.onSettled = onSettled
    }

    /// Returns after the commit.
    /// - Returns: false when a later claim was given out: nothing was settled.
    func settle(
        _ claim: DeliveryClaim, _ outcome: LedgerRow.Outcome
    ) async throws(PostgresError) -> Bool {
        let result = await withCheckedContinuation { continuation in
            waiting.append(
                Settlement(claim: claim, outcome: outcome, continuation: continuation))
            startNext()
        }
        return try result.get()
    }

    private func startNext() {
        guard !isUnderWay, !waiting.isEmpty else { return }
        isUnderWay = true
        let batch = Array(waiting.prefix(Limits.settledAtOnceMax))
        waiting.removeFirst(batch.count)
        // Not in a caller's task, which may be cancelled.
        Task(executorPreference: line.pool.loop) { await self.carryOut(batch) }
    }

    private func carryOut(_ batch: [Settlement]) async {
        let results = await write(batch)
        line.pool.loop.schedule(after: .milliseconds(Limits.settlementRestMillis)) { [weak self] in
            self?.assumeIsolated { $0.rested() }
        }
        await onSettled(zip(batch, results).filter { $1 == .success(true) }.map(\.0.claim))
        for (settlement, result) in zip(batch, results) {
            settlement.continuation.resume(returning: result)
        }
    }

    private func rested() {
        isUnderWay = false
        startNext()
    }

    private func write(_ batch: [Settlement]) async -> [Result<Bool, PostgresError>] {
        do throws(PostgresError) {
            let session = try await line.session()
            let statement = Statement.settle(batch.map { ($0.claim, $0.outcome) })
            let rows = try await session.query(statement.sql, statement.parameters)
            let settled = Set(try rows.decoded(ClaimKey.init))
            return batch.map { .success(settled.contains(ClaimKey($0.claim))) }
        } catch {
            guard batch.count > 1, !error.isTransient else {
                return batch.map { _ in .failure(error) }
            }
            // One that the database refuses must not cost the others theirs.
            var results: [Result<Bool, PostgresError>] = []
            for settlement in batch { results += await write([settlement]) }
            return results
        }
    }
}

extension Statement {
    fileprivate static func settle(
        _ rounds: [(claim: DeliveryClaim, outcome: LedgerRow.Outcome)]
    ) -> Statement {
        let outcomes = rounds.map(\.outcome)
        return Statement(
            ClaimQueries.settle,
            Parameter.keys(rounds.map { ClaimKey($0.claim) }) + [
                .int8s(rounds.map(\.claim.timestamp)), .int8s(rounds.map(\.claim.settles)),
                .int8s(outcomes.map(\.carriedBy)), .int8s(outcomes.map(\.timestamp)),
                .int4s(outcomes.map { Int32(clamping: $0.accepted) }),
                .int4s(outcomes.map { Int32(clamping: $0.failed) }),
                .timestamps(outcomes.map(\.settledAt.timestamp)),
                .int4s(outcomes.map { Int32(clamping: $0.channels.accepted) }),
                .int4s(outcomes.map { Int32(clamping: $0.channels.failed) }),
            ])
    }
}
