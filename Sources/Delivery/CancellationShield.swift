import Domain
import EventStore

/// Runs a call of the store that does not end with the caller's task. What went out to phones must
/// be written down although the server stops meanwhile, or it would be sent twice.
/// - Parameter executor: where the store's answers arrive; nil for anywhere.
func shieldedFromCancellation<R: Sendable>(
    on executor: (any TaskExecutor)? = nil,
    _ body: @escaping @Sendable () async throws(EventStoreError) -> R
) async throws(EventStoreError) -> R {
    let task = Task(executorPreference: executor) { await Result(of: body) }
    return try await task.value.get()
}
