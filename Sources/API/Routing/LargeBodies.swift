import Domain

/// Reads large bodies on other threads, since the loop does nothing else while it reads one. One of
/// each tenant at a time, so that nobody takes all the threads.
final class LargeBodies: Sendable {
    private let turns = TenantTurns()

    /// - Parameter bytes: how much there is to read.
    func read<Content: Sendable>(
        bytes: Int, of tenant: TenantID,
        _ body: @Sendable () throws(ProblemDocument) -> Content
    ) async throws(ProblemDocument) -> Content {
        guard bytes > Limits.readOnLoopBytesMax else { return try body() }
        return try await readElsewhere(of: tenant, body)
    }

    /// What takes long to read however short it is.
    func readElsewhere<Content: Sendable>(
        of tenant: TenantID, _ body: @Sendable () throws(ProblemDocument) -> Content
    ) async throws(ProblemDocument) -> Content {
        _ = await turns.begin(tenant)
        defer { turns.end(tenant) }
        return try await Elsewhere.run(body)
    }
}
