import DatabaseAccess
import Domain
import EventStore
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
                    WebhookRow(tenant.name, $0.0, $0.1)
                }
            }
            return rows
        }
        Console.answer(
            arguments, ["webhooks": rows], Table.text(WebhookRow.headings, rows.map(\.cells)))
    }
}

/// A webhook as the list shows it.
struct WebhookRow: Encodable, Sendable {
    static let headings = [
        "TENANT", "ID", "URL", "STATE", "DELIVERED", "BEHIND", "WAITING", "GIVEN UP",
        "LAST FAILURE",
    ]

    var tenant: String
    var id: String
    var url: String
    var kinds: [String]
    var phases: [String]
    /// `enabled`, `failing`, or why it is turned off.
    var state: String
    var delivered: Int64
    var failed: Int64
    var behind: Int64
    var waiting: Int
    var givenUp: Int
    var failingSince: String?
    var lastFailure: String?

    init(_ tenant: String, _ webhook: Webhook, _ figures: WebhookFigures) {
        self.tenant = tenant
        id = webhook.id
        url = webhook.url
        kinds = webhook.kinds
        phases = webhook.phases.map(\.rawValue)
        state =
            switch webhook.stop {
            case .owner?: "disabled"
            case .gone?: "disabled: it answered 410"
            case .failing?: "disabled: nothing arrived for days"
            case nil: webhook.health.failingSince == nil ? "enabled" : "failing"
            }
        (delivered, failed) = (figures.delivered, figures.failed)
        (behind, waiting, givenUp) = (figures.behind, figures.waiting, figures.givenUp)
        failingSince = webhook.health.failingSince?.rfc3339
        lastFailure = webhook.health.lastFailure
    }

    var cells: [String] {
        [
            tenant, id, url, state, "\(delivered)", "\(behind)", waiting.orMore, givenUp.orMore,
            lastFailure ?? "–",
        ]
    }
}
