import Domain

/// The texts of an order of pizzas.
enum PizzaDeliveryTexts {
    static let all: Phrasebook.Texts = [.standard: english, Language("de"): german]

    private static let english: [String: Template] = [
        "order": "Order {number}",
        "yourOrder": "Your order",
        "theOrder": "your order",
        "yourDriver": "Your driver",
        "pizzas": .plural(
            by: "count", [.one: "your pizza", .other: "your {count} pizzas"]),
        "first.title": "Order received",
        "first.body": "{order} is with the shop.",
        "accepted.title": "Order accepted",
        "accepted.body": "{order} is being made.",
        "driverAssigned.title": "Driver assigned",
        "driverAssigned.body": "{driver} will bring {pizzas}.",
        "driverReassigned.title": "New driver",
        "driverReassigned.body": "{driver} now brings {pizzas}.",
        "pickedUp.title": "On its way",
        "pickedUp.body": "{order} has left the shop.",
        "late.title": "Running late",
        "late.body": .plural(
            by: "minutes",
            [
                .one: "{order} comes about {minutes} minute later than promised{reason}",
                .other: "{order} comes about {minutes} minutes later than promised{reason}",
            ]),
        "overdue.title": "Running late",
        "overdue.body": .plural(
            by: "minutes",
            [
                .one: "{order} is {minutes} minute past the promise, and there is no news of it.",
                .other:
                    "{order} is {minutes} minutes past the promise, and there is no news of it.",
            ]),
        "arriving.title": "Almost there",
        "arriving.body": "{driver} is arriving.",
        "delivered.title": "Delivered",
        "delivered.body": "{order} is at your door. Enjoy!",
        "cancelled.title": "Order cancelled",
        "cancelled.body": "{order} was cancelled.",
        "failed.title": "Delivery failed",
        "failed.body": "{order} could not be delivered.",
        "start.title": "Your order",
        "start.body": "{order} can be followed here.",
    ]

    private static let german: [String: Template] = [
        "order": "Bestellung {number}",
        "yourOrder": "Ihre Bestellung",
        "theOrder": "Ihre Bestellung",
        "yourDriver": "Ihr Fahrer",
        "pizzas": .plural(by: "count", [.one: "Ihre Pizza", .other: "Ihre {count} Pizzen"]),
        "first.title": "Bestellung eingegangen",
        "first.body": "{order} ist beim Lokal.",
        "accepted.title": "Bestellung angenommen",
        "accepted.body": "{order} wird zubereitet.",
        "driverAssigned.title": "Fahrer zugeteilt",
        "driverAssigned.body": "{driver} bringt {pizzas}.",
        "driverReassigned.title": "Neuer Fahrer",
        "driverReassigned.body": "Jetzt bringt {driver} {pizzas}.",
        "pickedUp.title": "Unterwegs",
        "pickedUp.body": "{order} hat das Lokal verlassen.",
        "late.title": "Verspätung",
        "late.body": .plural(
            by: "minutes",
            [
                .one: "{order} kommt etwa {minutes} Minute später als versprochen{reason}",
                .other: "{order} kommt etwa {minutes} Minuten später als versprochen{reason}",
            ]),
        "overdue.title": "Verspätung",
        "overdue.body": .plural(
            by: "minutes",
            [
                .one: "{order} sollte vor {minutes} Minute da sein. Neues ist nicht bekannt.",
                .other: "{order} sollte vor {minutes} Minuten da sein. Neues ist nicht bekannt.",
            ]),
        "arriving.title": "Gleich da",
        "arriving.body": "{driver} ist gleich bei Ihnen.",
        "delivered.title": "Geliefert",
        "delivered.body": "{order} ist da. Guten Appetit!",
        "cancelled.title": "Bestellung storniert",
        "cancelled.body": "{order} wurde storniert.",
        "failed.title": "Lieferung gescheitert",
        "failed.body": "{order} konnte nicht geliefert werden.",
        "start.title": "Ihre Bestellung",
        "start.body": "{order}: hier sehen Sie, wo sie ist.",
    ]
}
