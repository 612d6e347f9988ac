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
        return try await readElsewhere(of: tenant, body)
    }

    /// What takes long to read however short it is.
    func readElsewhere<Content: Sendable>(
        of tenant: TenantID, _ body: @Sendable () throws(ProblemDocument) -> Content
    ) async throws(ProblemDocument) -> Content {
        await begin(tenant)
        defer { end(tenant) }
        return try await Elsewhere.run(body)
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
