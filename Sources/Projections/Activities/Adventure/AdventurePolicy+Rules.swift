import Domain

extension AdventurePolicy {
    static let bossDefeated = Rule(
        "bossDefeated", .alert, isAboutEnd: true, "The adventure is won.")
    static let fallen = Rule("fallen", .alert, isAboutEnd: true, "The adventure is lost.")
    static let criticalHit = Rule(
        "criticalHit", .alert, isCritical: true, "The hero needs help.")
    static let recovered = Rule(
        "recovered", .timely, hasWords: true, "The hero is out of danger.")
    static let first = Rule("first", .timely, hasWords: true, "The adventure appears.")
    static let happening = Rule("happening", .ambient, "The adventure goes on.")

    static let rules = [bossDefeated, fallen, criticalHit, recovered, first, happening]

    static let criticalPercent = Threshold(
        "criticalPercent", 20, in: 0...100, "At this health or less a hero needs help.")
    static let staleAfter = Threshold.staleness(
        "staleAfterSeconds", 1800, "A hero of whom nothing is reported for so long was left alone.")
    static let dismiss = Threshold.dismissal(
        "dismissSeconds", 900, "How long the card of an ended adventure stays.")

    static let thresholds = [criticalPercent, staleAfter, dismiss]
}
