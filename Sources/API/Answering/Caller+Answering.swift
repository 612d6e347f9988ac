import HTTP

extension Caller {
    /// Makes an answer of rows that each have to be presented and written. One of more than most
    /// pages have is made on another thread, one of each tenant at a time.
    /// - Parameter bytes: of rows that may be large.
    func answer(
        rows count: Int, bytes: Int = 0, _ make: @Sendable () -> Response
    ) async throws(ProblemDocument) -> Response {
        guard count > Limits.answeredOnLoopRowsMax || bytes > Limits.answeredOnLoopBytesMax else {
            return make()
        }
        return try await inTurn(largeWork.answers, "long lists") {
            () async throws(ProblemDocument) in
            try await OffLoop.run { () throws(ProblemDocument) in make() }
        }
    }

    /// Answers with rows of the ledger. Where those of the tenant are large, other threads read and
    /// write them, for one of its requests at a time.
    /// - Parameter work: is `@concurrent` itself; see `OffLoop`.
    func answerFromLedger(
        _ work: @Sendable () async throws(ProblemDocument) -> Response
    ) async throws(ProblemDocument) -> Response {
        guard largeWork.ledgers.has(tenant) else { return try await work() }
        return try await inTurn(largeWork.ledgers.turns, "long lists", work)
    }

    /// What takes long, of each tenant one at a time, on other threads than the loop's.
    /// - Parameters:
    ///   - things: what the tenant asks too many of when it is refused.
    ///   - work: is `@concurrent` itself; see `OffLoop`.
    func inTurn<Content: Sendable>(
        _ turns: TenantTurns, _ things: String,
        _ work: @Sendable () async throws(ProblemDocument) -> Content
    ) async throws(ProblemDocument) -> Content {
        guard await turns.begin(tenant) else {
            throw ProblemDocument(
                .overloaded,
                "As many of the tenant's \(things) are asked for at a time as may be.",
                headers: authenticator.environment.limits.retryAfter, isOfTenant: true)
        }
        defer { turns.end(tenant) }
        guard !Task.isCancelled else {
            throw ProblemDocument(.overloaded, "The request was given up.")
        }
        return try await withTaskExecutorPreference(globalConcurrentExecutor) {
            () async throws(ProblemDocument) in try await work()
        }
    }
}
