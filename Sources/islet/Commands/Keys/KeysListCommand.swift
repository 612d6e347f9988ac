import DatabaseAccess
import Domain
import EventStore
import Terminal

extension Command {
    static let keysList = Command(
        path: ["keys", "list"],
        summary: "List API keys by their ids: what they may do and when they end.",
        discussion: """
            The keys themselves are kept nowhere and cannot be shown again. Last use is noted about
            once an hour.
            """,
        options: [
            OptionSpec(
                "tenant", .text(placeholder: "NAME"), "Whose keys. Without it: all tenants'."),
            OptionSpec("json", .flag, "Print one JSON document instead of a table."),
        ] + Database.options,
        examples: ["islet keys list", "islet keys list --tenant pizzeria --json"]
    ) { (arguments) async throws(CommandFailure) in
        let name = arguments.text("tenant")
        let keys = try await Database.with(arguments, tenants: name) {
            store, tenants async throws(EventStoreError) in
            try await store.tenants.keys(name == nil ? nil : tenants.first?.id)
        }
        let now = WallClock.now()
        let documents = keys.map { KeyDocument($0, now: now) }
        if arguments.flag("json") {
            Console.print(Console.json(documents))
        } else {
            Console.print(Table.text(KeyDocument.headings, documents.map(\.cells)))
        }
    }
}
