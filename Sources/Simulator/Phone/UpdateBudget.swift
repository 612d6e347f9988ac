import Domain

/// How many updates at priority 10 a phone still shows of one activity: tokens that come back with
/// time. Apple says that there is such a budget on the device, that priority 5 is not charged, that
/// frequent updates raise it, and no figure. Source: "Starting and updating Live Activities with
/// ActivityKit push notifications".
struct UpdateBudget: Sendable {
    private var tokens: Double?
    private var countedAt: Moment

    init(at now: Moment) { countedAt = now }

    /// - Returns: false when nothing is left; the system then throttles the push.
    mutating func spend(at now: Moment, _ pace: PhoneRules.Pace) -> Bool {
        let refilled = max(0, now.seconds(since: countedAt)) / pace.refillSeconds
        let left = min(pace.count, (tokens ?? pace.count) + refilled)
        countedAt = max(now, countedAt)
        tokens = left < 1 ? left : left - 1
        return left >= 1
    }
}

/// How many push-to-starts the phone still obeys: a count within a window that slides.
struct StartWindow: Sendable {
    private var spent: [Moment] = []

    /// - Returns: false when nothing is left; the start must then be ignored.
    mutating func spend(at now: Moment, _ rules: PhoneRules) -> Bool {
        spent.removeAll { now.seconds(since: $0) >= rules.startWindowSeconds }
        guard spent.count < rules.startsMax else { return false }
        spent.append(now)
        return true
    }
}
