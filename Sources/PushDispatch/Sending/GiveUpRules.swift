public import Domain

/// When what does not get through is given up, whatever carries it.
public struct GiveUpRules: Hashable, Sendable {
    /// For pushes to phones.
    public var pushes = PushRules()
    /// For starts of cards.
    public var starts = StartRules()
    /// For messages to webhooks.
    public var webhooks = WebhookRules()

    public init() {}
}

/// How long a phone is sent a state that does not get through.
public struct PushRules: Hashable, Sendable {
    /// Pushes in a row that failed.
    public var attemptsMax = Limits.pushAttemptsMax
    /// Seconds after the newest change, or after the phone registered when that was later.
    public var ageSecondsMax = Limits.pushAgeSecondsMax

    public init() {}

    /// - Parameters:
    ///   - attempts: failures in a row, the newest among them.
    ///   - since: the newest change, or when the phone registered.
    public func isExhausted(attempts: Int, since: Moment, now: Moment) -> Bool {
        attempts >= attemptsMax || now.seconds(since: since) > ageSecondsMax
    }
}

/// How long the start of a card is tried that surely did not arrive.
public struct StartRules: Hashable, Sendable {
    /// Tries in all.
    public var attemptsMax = Limits.startAttemptsMax
    /// Seconds after the first try.
    public var ageSecondsMax = Limits.startAgeSecondsMax

    public init() {}
}
