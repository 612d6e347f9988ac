public import Domain

/// When what does not get through is given up, whatever carries it.
public struct GiveUpRules: Hashable, Sendable {
    /// How often and for how long something is tried.
    public struct Bounds: Hashable, Sendable {
        /// Tries in all; of pushes to a phone, those in a row that failed.
        public var attemptsMax: Int
        /// Seconds after the first try; of pushes to a phone, after the newest change, or after the
        /// phone registered when that was later.
        public var ageSecondsMax: Double

        /// Whether a push to a phone is given up: after `attemptsMax` tries, or when it is older
        /// than `ageSecondsMax`. About a start `StartMachine` decides, and gives up one of just
        /// that age too.
        /// - Parameters:
        ///   - attempts: failures in a row, the newest among them.
        ///   - since: the newest change, or when the phone registered.
        public func isExhausted(attempts: Int, since: Moment, now: Moment) -> Bool {
            attempts >= attemptsMax || now.seconds(since: since) > ageSecondsMax
        }
    }

    /// For pushes of a state to a phone.
    public var pushes = Bounds(
        attemptsMax: Limits.pushAttemptsMax, ageSecondsMax: Limits.pushAgeSecondsMax)
    /// For starts of cards that surely did not arrive.
    public var starts = Bounds(
        attemptsMax: Limits.startAttemptsMax, ageSecondsMax: Limits.startAgeSecondsMax)
    /// For messages to webhooks.
    public var webhooks = WebhookRules()

    public init() {}
}
