import EventLoop

/// Runs a C call that blocks on a thread made for it, so that neither the cooperative pool nor the
/// loop waits. Such calls are rare here: connecting, cancelling, starting a server.
enum BlockingCall {
    /// - Parameters:
    ///   - failure: the error when the system has no thread left for this process or its user.
    ///   - start: the system's, unless a test has another.
    static func run<R: Sendable>(
        _ name: String, orElse failure: (_ detail: String) -> PostgresError,
        startingBy start: OwnThread.Starter = OwnThread.start,
        _ call: @escaping @Sendable () throws(PostgresError) -> R
    ) async throws(PostgresError) -> R {
        let result: Result<R, PostgresError> = await withCheckedContinuation { continuation in
            let code = start(name) { continuation.resume(returning: Result(catching: call)) }
            guard code != 0 else { return }
            let detail = "no thread could be made: \(SystemError.text(code))"
            continuation.resume(returning: .failure(failure(detail)))
        }
        return try result.get()
    }
}
