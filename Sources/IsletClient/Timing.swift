package import Foundation

/// The clock, the pauses and the chance, so that tests need not wait.
package struct Timing: Sendable {
    package var now: @Sendable () -> Date
    /// Throws when it is cut short.
    package var sleep: @Sendable (Duration) async throws -> Void
    /// From 0 up to 1.
    package var chance: @Sendable () -> Double

    package init(
        now: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        chance: @escaping @Sendable () -> Double
    ) {
        self.now = now
        self.sleep = sleep
        self.chance = chance
    }

    package static let live = Timing(
        now: { Date() }, sleep: { try await Task.sleep(for: $0) },
        chance: { Double.random(in: 0..<1) })
}
