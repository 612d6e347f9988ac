import Domain

/// The texts of an adventure.
enum AdventureTexts {
    static let all: Phrasebook.Texts = [.standard: english, Language("de"): german]

    private static let english: [String: Template] = [
        "yourHero": "Your hero",
        "theBoss": "the boss",
        "hasBegun": "The adventure has begun!",
        "wasHit": "{hero} was hit.",
        "feelsBetter": "{hero} feels better.",
        "hasWon": "{hero} has defeated {boss}!",
        "hasFallen": "{hero} has fallen.",
        "first.title": "{hero} sets out",
        "first.body": "{description}",
        "criticalHit.title": "{hero} has taken a critical hit!",
        "criticalHit.body": "{percent} % of health left. {description}",
        "recovered.title": "{hero} is out of danger",
        "recovered.body": "{percent} % of health. {description}",
        "bossDefeated.title": "Victory!",
        "bossDefeated.body": "{description}",
        "fallen.title": "{hero} has fallen",
        "fallen.body": "{description}",
        "start.title": "{hero} sets out",
        "start.body": "Follow the adventure here.",
    ]

    private static let german: [String: Template] = [
        "yourHero": "Ihr Held",
        "theBoss": "den Endgegner",
        "hasBegun": "Das Abenteuer hat begonnen!",
        "wasHit": "{hero} wurde getroffen.",
        "feelsBetter": "{hero} erholt sich.",
        "hasWon": "{hero} hat {boss} besiegt!",
        "hasFallen": "{hero} ist gefallen.",
        "first.title": "{hero} bricht auf",
        "criticalHit.title": "{hero} ist schwer getroffen!",
        "criticalHit.body": "Noch {percent} % Gesundheit. {description}",
        "recovered.title": "{hero} ist außer Gefahr",
        "recovered.body": "{percent} % Gesundheit. {description}",
        "bossDefeated.title": "Sieg!",
        "fallen.title": "{hero} ist gefallen",
        "start.title": "{hero} bricht auf",
        "start.body": "Hier verfolgen Sie das Abenteuer.",
    ]
}
