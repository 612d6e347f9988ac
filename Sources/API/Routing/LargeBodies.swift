import Domain
import Locks

/// Reads large bodies on other threads, since the loop does nothing else while it reads one. One of
/// each tenant at a time, so that nobody takes all the threads.
final class LargeBodies: Sendable {
    /// Of each tenant of whom a body is being read, those who wait for it.
    private let waiting = Lock([TenantID: ArraySlice<CheckedContinuation<Void, Never>>]())

    /// - Parameter bytes: how much there is to read.
    func read<Content: Sendable>(
        bytes: Int, of tenant: TenantID,
        _ body: @Sendable () throws(ProblemDocument) -> Content
    ) async throws(ProblemDocument) -> Content {
        guard bytes > Limits.readOnLoopBytesMax else { return try body() }
        await begin(tenant)
        defer { end(tenant) }
        let content = await withTaskExecutorPreference(globalConcurrentExecutor) {
            await Self.elsewhere(body)
        }
        return try content.get()
    }

    @concurrent
    private static func elsewhere<Content: Sendable>(
        _ body: @Sendable () throws(ProblemDocument) -> Content
    ) async -> Result<Content, ProblemDocument> {
        do throws(ProblemDocument) { return .success(try body()) } catch { return .failure(error) }
    }

    private func begin(_ tenant: TenantID) async {
        await withCheckedContinuation { continuation in
            let isFirst = waiting.withLock { waiting in
                guard waiting[tenant] != nil else {
                    waiting[tenant] = []
                    return true
                }
                waiting[tenant]?.append(continuation)
                return false
            }
            if isFirst { continuation.resume() }
        }
    }

    private func end(_ tenant: TenantID) {
        let next = waiting.withLock { waiting in
            let next = waiting[tenant]?.popFirst()
            if next == nil { waiting[tenant] = nil }
            return next
        }
        next?.resume()
    }
}
