package import Foundation

/// The clock, the pauses and the chance, so that tests need not wait, and what iOS is asked for.
package struct Timing: Sendable {
    package var now: @Sendable () -> Date
    /// Throws when it is cut short.
    package var sleep: @Sendable (Duration) async throws -> Void
    /// From 0 up to 1.
    package var chance: @Sendable () -> Double
    /// As long as the app's own code may take; throws when it is cut short.
    package var limit: @Sendable (Duration) async throws -> Void
    /// Asks the system not to suspend the app, and gives what takes that back.
    package var keepAwake: @Sendable () -> @Sendable () -> Void

    package init(
        now: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        chance: @escaping @Sendable () -> Double,
        limit: @escaping @Sendable (Duration) async throws -> Void,
        keepAwake: @escaping @Sendable () -> @Sendable () -> Void
    ) {
        self.now = now
        self.sleep = sleep
        self.chance = chance
        self.limit = limit
        self.keepAwake = keepAwake
    }

    package static let live = Timing(
        now: { Date() }, sleep: { try await Task.sleep(for: $0) },
        chance: { Double.random(in: 0..<1) }, limit: { try await Task.sleep(for: $0) },
        keepAwake: keepAwake)

    private static func keepAwake() -> @Sendable () -> Void {
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
