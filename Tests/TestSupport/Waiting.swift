public import Domain
import Foundation

/// Asks until the answer is yes. The test fails when it is not within the time.
public func waitUntil(
    _ what: String = "what the test waits for", within seconds: Double = 120,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < deadline {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    throw WaitedInVain(what: what)
}

struct WaitedInVain: Error {
    var what: String
}

extension Moment {
    public static var timeOfDay: Moment {
        Moment(microseconds: 0).adding(seconds: Date().timeIntervalSince1970)
    }
}
