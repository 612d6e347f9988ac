import Domain

/// The texts of a ride. What it cost stays as the source put it.
enum BikeRideTexts {
    static let all: Phrasebook.Texts = [.standard: english, Language("de"): german]

    private static let english: [String: Template] = [
        "first.title": "Your bike",
        "first.body": "Your bike is reserved.",
        "status.unstarted.title": "Your bike",
        "status.unstarted.body": "Your bike is waiting.",
        "status.unlocked.title": "Unlocked",
        "status.unlocked.body": "Your bike is unlocked.",
        "status.riding.title": "Riding",
        "status.riding.body": "Have a good ride.",
        "status.paused.title": "Paused",
        "status.paused.body": "Your ride is paused.",
        "status.ended.title": "Ride ended",
        "status.ended.body": "Thank you for riding.",
        "ended.title": "Ride ended",
        "ended.body": "Thank you for riding.",
        "start.title": "Your ride",
        "start.body": "Follow it here.",
    ]

    private static let german: [String: Template] = [
        "first.title": "Ihr Fahrrad",
        "first.body": "Ihr Fahrrad ist reserviert.",
        "status.unstarted.title": "Ihr Fahrrad",
        "status.unstarted.body": "Ihr Fahrrad wartet.",
        "status.unlocked.title": "Entsperrt",
        "status.unlocked.body": "Ihr Fahrrad ist entsperrt.",
        "status.riding.title": "Unterwegs",
        "status.riding.body": "Gute Fahrt.",
        "status.paused.title": "Pause",
        "status.paused.body": "Ihre Fahrt pausiert.",
        "status.ended.title": "Fahrt beendet",
        "status.ended.body": "Danke, dass Sie gefahren sind.",
        "ended.title": "Fahrt beendet",
        "ended.body": "Danke, dass Sie gefahren sind.",
        "start.title": "Ihre Fahrt",
        "start.body": "Hier sehen Sie, wie sie läuft.",
    ]
}
