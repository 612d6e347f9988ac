import API
import DatabaseAccess
import Domain
import EventStore
import JSON
import Terminal

extension Command {
    static let webhooksList = Command(
        path: ["webhooks", "list"],
        summary: "List webhooks, and how sending to them goes.",
        discussion: """
            BEHIND counts events that are folded and not dealt with yet; WAITING messages that are
            tried again; GIVEN UP those that are not, see islet dead-letters list.
            """,
        options: [
            OptionSpec.tenant("Whose webhooks. Without it: all tenants'."),
            OptionSpec.json,
        ] + Database.options,
        examples: ["islet webhooks list", "islet webhooks list --tenant pizzeria --json"]
    ) { (arguments) async throws(CommandFailure) in
        let name = arguments.text("tenant")
        let rows = try await Database.with(arguments, tenants: name) {
            store, tenants async throws(EventStoreError) in
            var rows: [WebhookRow] = []
            for tenant in tenants {
                rows += try await store.webhooks.all(tenant.id, nil).map {
                    WebhookRow(tenant: tenant.name, webhook: $0.0, figures: $0.1)
                }
            }
            return rows
        }
        Console.answer(
            arguments, ["webhooks": rows.map(\.document)],
            Table.text(WebhookRow.headings, rows.map(\.cells)))
    }
}

/// A webhook as the list shows it.
struct WebhookRow: Sendable {
    static let headings = [
        "TENANT", "ID", "URL", "STATE", "DELIVERED", "BEHIND", "WAITING", "GIVEN UP",
        "LAST FAILURE",
    ]

    var tenant: String
    var webhook: Webhook
    var figures: WebhookFigures

    var document: JSON {
        var document = WebhookDocument.webhook(webhook, figures)
        document["state"] = .string(state)
        return document.printed(of: tenant)
    }

    /// `enabled`, `failing`, or why it is turned off.
    var state: String {
        switch webhook.stop {
        case .owner?: "disabled"
        case .gone?: "disabled: it answered 410"
        case .failing?: "disabled: nothing arrived for days"
        case nil: webhook.health.failingSince == nil ? "enabled" : "failing"
        }
    }

    var cells: [String] {
        [
            tenant, webhook.id, webhook.url, state, "\(figures.delivered)", "\(figures.behind)",
            figures.waiting.orMore, figures.givenUp.orMore, webhook.health.lastFailure ?? "–",
        ]
    }
}
