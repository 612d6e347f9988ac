/// How often something is tried, and how long it waits in between.
public struct RetryPolicy: Hashable, Sendable {
    /// In all, the first attempt included.
    public var attemptsMax: Int
    /// Doubled with each failure, and spread, so that many clients do not return at once.
    public var firstPause: Duration
    public var pauseMax: Duration

    public init(
        attemptsMax: Int = 6, firstPause: Duration = .milliseconds(250),
        pauseMax: Duration = .seconds(30)
    ) {
        self.attemptsMax = max(1, attemptsMax)
        self.firstPause = firstPause
        self.pauseMax = pauseMax
    }

    /// Waits for up to eight seconds in all, or as long as the server asks for.
    public static let standard = RetryPolicy()
    public static let once = RetryPolicy(attemptsMax: 1)

    /// Between half and the whole of the doubled pause, or what the server asks for if that is
    /// longer.
    /// - Parameter chance: from 0 up to 1.
    package func pause(after failures: Int, asked: Duration?, chance: Double) -> Duration {
        var pause = firstPause
        for _ in 1..<max(failures, 1) where pause < pauseMax { pause *= 2 }
        pause = min(pause, pauseMax) * (0.5 + 0.5 * chance)
        guard let asked else { return pause }
        return max(pause, min(asked, .seconds(Limits.pauseSecondsMax)))
    }
}
