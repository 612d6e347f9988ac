import Domain

/// The texts of an order of coffee.
enum CoffeeDeliveryTexts {
    static let all: Phrasebook.Texts = [.standard: english, Language("de"): german]

    private static let english: [String: Template] = [
        "yourCoffee": "Your coffee",
        "first.title": "Order received",
        "first.body": "{coffee} is on the list.",
        "progress.title": "In the making",
        "progress.body": "{coffee} is being made.",
        "onItsWay.title": "On its way",
        "onItsWay.body": "{coffee} is out for delivery.",
        "delayed.title": "Running late",
        "delayed.body": .plural(
            by: "minutes",
            [
                .one: "{coffee} comes {minutes} minute later.",
                .other: "{coffee} comes {minutes} minutes later.",
            ]),
        "overdue.title": "Running late",
        "overdue.body": .plural(
            by: "minutes",
            [
                .one: "{coffee} was to come {minutes} minute ago, and there is no news of it.",
                .other: "{coffee} was to come {minutes} minutes ago, and there is no news of it.",
            ]),
        "delivered.title": "Delivered",
        "delivered.body": "{coffee} is here.",
        "cancelled.title": "Order cancelled",
        "cancelled.body": "{coffee} was cancelled.",
        "start.title": "Your order",
        "start.body": "{coffee} can be followed here.",
    ]

    private static let german: [String: Template] = [
        "yourCoffee": "Ihr Kaffee",
        "first.title": "Bestellung eingegangen",
        "first.body": "{coffee} ist notiert.",
        "progress.title": "In Arbeit",
        "progress.body": "{coffee} wird zubereitet.",
        "onItsWay.title": "Unterwegs",
        "onItsWay.body": "{coffee} wird gebracht.",
        "delayed.title": "Verspätung",
        "delayed.body": .plural(
            by: "minutes",
            [
                .one: "{coffee} kommt {minutes} Minute später.",
                .other: "{coffee} kommt {minutes} Minuten später.",
            ]),
        "overdue.title": "Verspätung",
        "overdue.body": .plural(
            by: "minutes",
            [
                .one: "{coffee} sollte vor {minutes} Minute da sein. Neues ist nicht bekannt.",
                .other: "{coffee} sollte vor {minutes} Minuten da sein. Neues ist nicht bekannt.",
            ]),
        "delivered.title": "Geliefert",
        "delivered.body": "{coffee} ist da.",
        "cancelled.title": "Bestellung storniert",
        "cancelled.body": "{coffee} wurde storniert.",
        "start.title": "Ihre Bestellung",
        "start.body": "{coffee}: hier sehen Sie, wie weit wir sind.",
    ]
}
