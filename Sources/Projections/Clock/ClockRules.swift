import Domain

/// The rules of the clock's events, the same for every kind. No policy changes how much they
/// matter.
enum ClockRules {
    static let stale = Rule("stale", .none, "No report came in time.")
    static let quietHoursOver = Rule("quietHoursOver", .none, "Quiet hours are over.")
    static let restart = Rule(
        "restart", .timely, "Fresh cards take the place of those that would end soon.")
    static let endGrace = Rule(
        "endGrace", .timely, isCritical: true, "Nothing has changed since the end was reported.")
    static let timeLimit = Rule("timeLimit", .timely, "Eight hours are over.")
    static let dismissed = Rule("dismissed", .none, "The card has left the Lock Screen.")
    static let overtaken = Rule(
        "overtaken", .none, "A newer report has moved the time that the clock spoke of.")

    static let all = [
        stale, quietHoursOver, restart, endGrace, timeLimit, dismissed, overtaken,
    ]
}
