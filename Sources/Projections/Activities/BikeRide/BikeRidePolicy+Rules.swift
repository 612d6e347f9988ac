import Domain

extension BikeRidePolicy {
    static let ended = Rule("ended", .alert, isAboutEnd: true, "The bicycle is given back.")
    static let first = Rule("first", .timely, hasWords: true, "The ride appears.")
    static let status = Rule("status", .timely, hasWords: true, "The ride goes on or pauses.")
    static let fare = Rule("fare", .ambient, "The fare has changed.")
    static let details = Rule("details", .ambient, "A detail of the card changed.")

    static let rules = [ended, first, status, fare, details]

    static let staleAfter = Threshold.staleness(
        "staleAfterSeconds", 3600, "A bicycle says nothing while it rolls; this long is odd.")
    static let dismiss = Threshold.dismissal(
        "dismissSeconds", 900, "How long the card of an ended ride stays.")

    static let thresholds = [staleAfter, dismiss]
}
