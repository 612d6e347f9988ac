import Domain

extension MatchPolicy {
    static let fullTime = Rule("fullTime", .alert, isAboutEnd: true, "The result stands.")
    static let abandoned = Rule(
        "abandoned", .alert, isAboutEnd: true, "The match was abandoned or called off.")
    static let goal = Rule("goal", .alert, isCritical: true, "A goal that counts.")
    static let goalDisallowed = Rule(
        "goalDisallowed", .alert, isCritical: true, "A goal was taken back.")
    static let resultCorrected = Rule(
        "resultCorrected", .alert, isCritical: true, isAboutEnd: true,
        "The result that was sent was wrong.")
    static let redCard = Rule("redCard", .alert, "A player was sent off.")
    static let resumed = Rule(
        "resumed", .alert, isCritical: true, "The match was said to be over and is not.")
    static let halfTime = Rule("halfTime", .alert, "The first half is over.")
    static let extraTime = Rule("extraTime", .alert, "Extra time begins.")
    static let shootout = Rule("shootout", .alert, "The shoot-out begins.")
    static let suspended = Rule("suspended", .timely, hasWords: true, "Play is suspended.")
    static let kickOff = Rule("kickOff", .timely, hasWords: true, "The match has begun.")
    static let confirmed = Rule("confirmed", .timely, "Full time was reported once more.")
    static let shootoutKick = Rule(
        "shootoutKick", .timely, hasWords: true, "A kick of the shoot-out was taken.")
    static let scoreCorrected = Rule(
        "scoreCorrected", .timely, hasWords: true, "The score was corrected.")
    static let interval = Rule("interval", .timely, hasWords: true, "A later period is over.")
    static let period = Rule("period", .timely, hasWords: true, "Play goes on.")
    static let scheduled = Rule("scheduled", .timely, hasWords: true, "The match appears.")
    static let kickOffMoved = Rule(
        "kickOffMoved", .timely, "The kick-off was moved, and cards count down to the new one.")
    static let card = Rule("card", .ambient, "A player was booked.")
    static let clock = Rule("clock", .ambient, "The clock was put right.")
    static let details = Rule("details", .ambient, "A detail of the card changed.")
    static let undecided = Rule(
        "undecided", .none, "Full time was reported, and the shoot-out is not decided yet.")

    static let rules = [
        fullTime, abandoned, resultCorrected, goal, goalDisallowed, redCard, resumed, shootout,
        extraTime, halfTime, suspended, kickOff, confirmed, shootoutKick, scoreCorrected, interval,
        period, scheduled, kickOffMoved, card, clock, details, undecided,
    ]

    static let staleAfter = Threshold.staleness(
        "staleAfterSeconds", 1800, "Silence for this long is odd: half a period without a word.")
    static let dismiss = Threshold.dismissal(
        "dismissSeconds", 1800, "How long the result may be admired.")

    static let broadcastFromFollowers = Threshold.broadcastFromFollowers.with(standard: 1000)
    static let endGrace = Threshold.endGrace.with(standard: 120)

    static let thresholds = [staleAfter, dismiss, endGrace, broadcastFromFollowers]
}
