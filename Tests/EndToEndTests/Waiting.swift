import Testing

/// Asks until the answer is yes. The test fails when it is not within the time.
func waitUntil(
    _ what: Comment, within seconds: Double = 120,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < deadline {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    throw WaitedInVain(what: what.rawValue)
}

struct WaitedInVain: Error {
    var what: String
}
