/// Runs work that takes long on other threads than the loop's. The loop does nothing else while it
/// works, and the task of a request would stay on it by itself.
enum OffLoop {
    /// - Parameter work: waits for nothing. What does has to be `@concurrent` itself, under the
    ///   same preference.
    static func run<Content: Sendable, Failure: Error>(
        _ work: @Sendable () throws(Failure) -> Content
    ) async throws(Failure) -> Content {
        let content = await withTaskExecutorPreference(globalConcurrentExecutor) {
            await execute(work)
        }
        return try content.get()
    }

    @concurrent
    private static func execute<Content: Sendable, Failure: Error>(
        _ work: @Sendable () throws(Failure) -> Content
    ) async -> Result<Content, Failure> {
        do throws(Failure) { return .success(try work()) } catch { return .failure(error) }
    }
}
