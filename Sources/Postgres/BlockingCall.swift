import Foundation

/// Runs a C call that blocks on a thread made for it, so that neither the cooperative pool nor the
/// loop waits. Such calls are rare here: connecting, cancelling, starting a server.
enum BlockingCall {
    nonisolated(nonsending) static func run<R: Sendable>(
        _ name: String, _ call: @escaping @Sendable () -> R
    ) async -> R {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: call()) }
            thread.name = name
            thread.start()
        }
    }
}
