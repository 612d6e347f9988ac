import Domain
import EventLoop
import EventStore
import Postgres

/// Completes the fan-outs of many activities together: while one commit waits for the disk and for
/// a moment longer, the next one gathers. Only the fan-out that is completed and the next one of
/// its activity wait for it.
actor OutcomeWriter {
    private struct Completion {
        var claim: DeliveryClaim
        var outcome: LedgerRow.Outcome
        var continuation: CheckedContinuation<Result<Bool, PostgresError>, Never>
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { dedicated.unownedExecutor }

    private nonisolated let dedicated: DedicatedConnection
    private let onCompleted: @Sendable ([DeliveryClaim]) async -> Void
    private var waiting: [Completion] = []
    private var isUnderWay = false

    /// - Parameter onCompleted: called with the claims that were completed, before their callers go
    ///   on.
    init(pool: Pool, onCompleted: @escaping @Sendable ([DeliveryClaim]) async -> Void) {
        dedicated = DedicatedConnection(pool: pool)
        self.onCompleted = onCompleted
    }

    /// Returns after the commit.
    /// - Returns: false when a later claim was given out: nothing was completed.
    func complete(
        _ claim: DeliveryClaim, _ outcome: LedgerRow.Outcome
    ) async throws(PostgresError) -> Bool {
        let result = await withCheckedContinuation { continuation in
            waiting.append(
                Completion(claim: claim, outcome: outcome, continuation: continuation))
            startNext()
        }
        return try result.get()
    }

    private func startNext() {
        guard !isUnderWay, !waiting.isEmpty else { return }
        isUnderWay = true
        let batch = Array(waiting.prefix(Limits.completedAtOnceMax))
        waiting.removeFirst(batch.count)
        // Not in a caller's task, which may be cancelled.
        Task(executorPreference: dedicated.pool.loop) { await self.carryOut(batch) }
    }

    private func carryOut(_ batch: [Completion]) async {
        let results = await write(batch)
        let rest = Duration.milliseconds(Limits.completionRestMillis)
        dedicated.pool.loop.schedule(after: rest) { [weak self] in
            self?.assumeIsolated { writer in
                writer.isUnderWay = false
                writer.startNext()
            }
        }
        await onCompleted(zip(batch, results).filter { $1 == .success(true) }.map(\.0.claim))
        for (completion, result) in zip(batch, results) {
            completion.continuation.resume(returning: result)
        }
    }

    private func write(_ batch: [Completion]) async -> [Result<Bool, PostgresError>] {
        do throws(PostgresError) {
            let session = try await dedicated.session()
            let statement = Statement.complete(batch.map { ($0.claim, $0.outcome) })
            let rows = try await session.query(statement.sql, statement.parameters)
            let completed = Set(try rows.decoded(ClaimKey.init))
            return batch.map { .success(completed.contains(ClaimKey($0.claim))) }
        } catch {
            guard batch.count > 1, !error.isTransient else {
                return batch.map { _ in .failure(error) }
            }
            // One that the database refuses must not cost the others theirs.
            var results: [Result<Bool, PostgresError>] = []
            for completion in batch { results += await write([completion]) }
            return results
        }
    }
}

extension Statement {
    fileprivate static func complete(
        _ fanOuts: [(claim: DeliveryClaim, outcome: LedgerRow.Outcome)]
    ) -> Statement {
        let outcomes = fanOuts.map(\.outcome)
        return Statement(
            ClaimQueries.complete,
            Parameter.keys(fanOuts.map { ClaimKey($0.claim) }) + [
                .int8s(fanOuts.map(\.claim.timestamp)), .int8s(fanOuts.map(\.claim.completesUpTo)),
                .int8s(outcomes.map(\.carriedBy)), .int8s(outcomes.map(\.timestamp)),
                .int4s(outcomes.map { Int32(clamping: $0.accepted) }),
                .int4s(outcomes.map { Int32(clamping: $0.failed) }),
                .timestamps(outcomes.map(\.completedAt.timestamp)),
                .int4s(outcomes.map { Int32(clamping: $0.channels.accepted) }),
                .int4s(outcomes.map { Int32(clamping: $0.channels.failed) }),
            ])
    }
}
