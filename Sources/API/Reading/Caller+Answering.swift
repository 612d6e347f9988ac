import HTTP

extension Caller {
    /// Makes an answer of rows that each have to be presented and written. One of more than most
    /// pages have is made where a large body is read, and in the same turn.
    func answer(
        rows count: Int, _ make: @Sendable () -> Response
    ) async throws(ProblemDocument) -> Response {
        guard count > Limits.answeredOnLoopRowsMax else { return make() }
        return try await authenticator.largeBodies.readElsewhere(of: tenant) {
            () throws(ProblemDocument) in make()
        }
    }
}
