public import Domain

/// When a message to a webhook is tried again, and when it or the webhook is given up.
public struct WebhookRules: Hashable, Sendable {
    /// Tries of one message in all.
    public var attemptsMax = Limits.webhookAttemptsMax
    /// Seconds after the first try from which on there is no other.
    public var ageSecondsMax = Limits.webhookAgeSecondsMax
    /// Seconds for which nothing arrives before the webhook is turned off.
    public var failingSecondsMax = Limits.webhookFailingSecondsMax

    public init() {}
}

/// What came of sending a message.
public enum WebhookAnswer: Hashable, Sendable {
    /// - `retryAfterSeconds`: as the receiver asked.
    case answered(status: Int, retryAfterSeconds: Double?)
    /// - `reason`: a word or two, nothing secret.
    case notAnswered(reason: String)

    /// 2xx, and nothing else.
    /// Source: Standard Webhooks, "Delivery success criteria and retries".
    public var isDelivered: Bool {
        if case .answered(200..<300, _) = self { true } else { false }
    }

    /// The receiver wants no more.
    /// Source: Standard Webhooks, the same section (410 Gone).
    public var isGone: Bool {
        if case .answered(410, _) = self { true } else { false }
    }

    /// For the ledger and the log.
    public var reason: String {
        switch self {
        case .answered(let status, _): "status \(status)"
        case .notAnswered(let reason): reason
        }
    }

    /// Seconds that the receiver asks for with 429 or 503, no more than a day.
    public var pauseSeconds: Double? {
        switch self {
        case .answered(429, let seconds?), .answered(503, let seconds?):
            min(seconds, Limits.webhookPauseSecondsMax)
        case .answered, .notAnswered: nil
        }
    }
}

extension WebhookRules {
    /// When a message that did not arrive is tried again.
    /// - Parameters:
    ///   - attempts: tries so far, this one among them.
    ///   - chance: from 0 to 1, so that what failed together is not tried again together.
    /// - Returns: nil when it is given up.
    public func retryAt(
        after answer: WebhookAnswer, attempts: Int, firstTriedAt: Moment, now: Moment,
        chance: Double
    ) -> Moment? {
        let schedule = Limits.webhookRetrySeconds
        let rest = schedule[min(max(attempts, 1), schedule.count) - 1]
        let spread = 1 + Limits.webhookRetrySpread * (2 * chance - 1)
        let next = now.adding(seconds: max(rest * spread, answer.pauseSeconds ?? 0))
        let age = next.seconds(since: firstTriedAt)
        return attempts < attemptsMax && age <= ageSecondsMax ? next : nil
    }

    /// How it goes after a page of messages.
    /// - Returns: the health, and why the webhook is turned off, if it is.
    public func health(
        after answers: [WebhookAnswer], _ before: WebhookHealth, now: Moment
    ) -> (WebhookHealth, Webhook.Stop?) {
        var health = before
        health.pausedUntil = answers.compactMap(\.pauseSeconds).max().map {
            now.adding(seconds: $0)
        }
        health.lastFailure =
            answers.last { !$0.isDelivered }?.reason ?? (answers.isEmpty ? before.lastFailure : nil)
        if answers.contains(where: \.isGone) { return (health, .gone) }
        if answers.contains(where: \.isDelivered) {
            (health.failures, health.failingSince) = (0, nil)
            return (health, nil)
        }
        guard !answers.isEmpty else { return (health, nil) }
        let since = before.failingSince ?? now
        let pause = now.adding(seconds: RetryDelay.seconds(attempts: before.failures))
        health.failures += 1
        health.failingSince = since
        health.pausedUntil = max(health.pausedUntil ?? pause, pause)
        return (health, now.seconds(since: since) >= failingSecondsMax ? .failing : nil)
    }
}
