import HTTP

extension Caller {
    /// Makes an answer of rows that each have to be presented and written. One of more than most
    /// pages have is made on another thread, one of each tenant at a time.
    func answer(
        rows count: Int, _ make: @Sendable () -> Response
    ) async throws(ProblemDocument) -> Response {
        guard count > Limits.answeredOnLoopRowsMax else { return make() }
        let turns = authenticator.largeAnswers
        guard await turns.begin(tenant) else {
            throw ProblemDocument(
                .overloaded, "As many long lists of the tenant are asked for at a time as may be.",
                headers: authenticator.environment.limits.retryAfter)
        }
        defer { turns.end(tenant) }
        guard !Task.isCancelled else {
            throw ProblemDocument(.overloaded, "The request was given up.")
        }
        return try await Elsewhere.run { () throws(ProblemDocument) in make() }
    }
}
