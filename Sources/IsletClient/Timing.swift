package import Foundation

/// The clock, the pauses and the chance, so that tests need not wait, and what iOS is asked for.
package struct Timing: Sendable {
    package var now: @Sendable () -> Date = { Date() }
    /// Throws when it is cut short.
    package var sleep: @Sendable (Duration) async throws -> Void = {
        try await Task.sleep(for: $0)
    }
    /// From 0 up to 1.
    package var chance: @Sendable () -> Double = { Double.random(in: 0..<1) }
    /// As long as the app's own code may take; throws when it is cut short.
    package var limit: @Sendable (Duration) async throws -> Void = {
        try await Task.sleep(for: $0)
    }
    /// Asks the system not to suspend the app, and gives what takes that back.
    package var keepAwake: @Sendable () -> @Sendable () -> Void = Timing.systemAwake

    package init() {}

    private static func systemAwake() -> @Sendable () -> Void {
        #if canImport(ActivityKit) && !os(macOS)
            BackgroundTime.begin()
        #else
            {}
        #endif
    }

    /// What the app's own code gives. It may be deaf to a cancellation, and is left to itself when
    /// it takes too long.
    func within<Value: Sendable>(
        _ seconds: Double, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let (results, sink) = AsyncThrowingStream<Value, any Error>.makeStream()
        let working = Task {
            do {
                sink.yield(try await work())
            } catch {
                sink.finish(throwing: error)
            }
        }
        let timer = Task {
            try await limit(.seconds(seconds))
            sink.finish(throwing: URLError(.timedOut))
        }
        defer {
            working.cancel()
            timer.cancel()
        }
        for try await result in results { return result }
        throw CancellationError()
    }
}
