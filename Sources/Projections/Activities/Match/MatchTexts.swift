import Domain

/// The words of a match. Goals, cards and reasons come from the feed and stay as they are.
enum MatchTexts {
    static let all: Phrasebook.Texts = [.standard: english, Language("de"): german]

    private static let english: [String: Template] = [
        "lastGoal": "The last goal",
        "scheduled.title": "{home} – {away}",
        "scheduled.body": "The match is on the programme.",
        "kickOff.title": "Kick-off: {home} – {away}",
        "kickOff.body": "The match has begun.",
        "goal.title": "Goal! {home} {score} {away}",
        "goal.body": "{team} score.",
        "goalDisallowed.title": "No goal: {home} {score} {away}",
        "goalDisallowed.body": "{credit} does not count{reason}",
        "redCard.title": "Red card for {team}",
        "scoreCorrected.title": "Correction: {home} {score} {away}",
        "scoreCorrected.body": "The score was put right.",
        "halfTime.title": "Half-time: {home} {score} {away}",
        "halfTime.body": "The first half is over.",
        "interval.title": "Break: {home} {score} {away}",
        "interval.body": "The period is over.",
        "period.title": "Play goes on: {home} {score} {away}",
        "period.body": "The next period has begun.",
        "suspended.title": "Suspended: {home} {score} {away}",
        "suspended.body": "Play has been suspended.",
        "abandoned.title": "Abandoned: {home} {score} {away}",
        "abandoned.body": "The match will not be finished.",
        "fullTime.title": "Full time: {home} {score} {away}",
        "fullTime.penalties": "{winner} win {score} on penalties.",
        "fullTime.level": "It ends level.",
        "fullTime.won": "{winner} win.",
    ]

    private static let german: [String: Template] = [
        "lastGoal": "Das letzte Tor",
        "scheduled.body": "Das Spiel ist angesetzt.",
        "kickOff.title": "Anpfiff: {home} – {away}",
        "kickOff.body": "Das Spiel läuft.",
        "goal.title": "Tor! {home} {score} {away}",
        "goal.body": "Tor für {team}.",
        "goalDisallowed.title": "Kein Tor: {home} {score} {away}",
        "goalDisallowed.body": "{credit} zählt nicht{reason}",
        "redCard.title": "Platzverweis für {team}",
        "scoreCorrected.title": "Berichtigt: {home} {score} {away}",
        "scoreCorrected.body": "Der Spielstand wurde berichtigt.",
        "halfTime.title": "Halbzeit: {home} {score} {away}",
        "halfTime.body": "Die erste Halbzeit ist vorbei.",
        "interval.title": "Pause: {home} {score} {away}",
        "interval.body": "Der Spielabschnitt ist vorbei.",
        "period.title": "Es geht weiter: {home} {score} {away}",
        "period.body": "Der nächste Spielabschnitt läuft.",
        "suspended.title": "Unterbrochen: {home} {score} {away}",
        "suspended.body": "Das Spiel ist unterbrochen.",
        "abandoned.title": "Abgebrochen: {home} {score} {away}",
        "abandoned.body": "Das Spiel wird nicht zu Ende gespielt.",
        "fullTime.title": "Abpfiff: {home} {score} {away}",
        "fullTime.penalties": "{winner} gewinnt {score} im Elfmeterschießen.",
        "fullTime.level": "Es bleibt beim Unentschieden.",
        "fullTime.won": "{winner} gewinnt.",
    ]
}
