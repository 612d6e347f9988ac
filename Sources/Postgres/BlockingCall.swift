import Foundation

/// Runs a C call that blocks on a thread made for it, so that neither the cooperative pool nor the
/// loop waits. Such calls are rare here: connecting, cancelling, starting a server.
enum BlockingCall {
    static func run<R: Sendable, Failure: Error>(
        _ name: String, _ call: @escaping @Sendable () throws(Failure) -> R
    ) async throws(Failure) -> R {
        let result: Result<R, Failure> = await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: Result(catching: call)) }
            thread.name = name
            thread.start()
        }
        return try result.get()
    }
}
