import Domain

/// How many push-to-starts the phone still obeys: a count within a window that slides.
struct StartBudget: Sendable {
    private var spent: [Moment] = []

    /// - Returns: false when nothing is left; the start must then be ignored.
    mutating func spend(at now: Moment, _ rules: PhoneRules) -> Bool {
        spent.removeAll { now.seconds(since: $0) >= rules.startWindowSeconds }
        guard spent.count < rules.startsMax else { return false }
        spent.append(now)
        return true
    }
}
