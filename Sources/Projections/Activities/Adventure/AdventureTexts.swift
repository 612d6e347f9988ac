import Domain

/// The words of an adventure.
enum AdventureTexts {
    static let all: Phrasebook.Texts = [.standard: english, Language("de"): german]

    private static let english: [String: Template] = [
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
