import Domain
import EventStore

extension Command {
    static let tenantsList = Command(
        path: ["tenants", "list"],
        summary: "List tenants and how many keys each has that still open something.",
        options: [OptionSpec("json", .flag, "Print one JSON document instead of a table.")]
            + Database.options,
        examples: ["islet tenants list", "islet tenants list --json"]
    ) { (arguments) async throws(CommandFailure) in
        let (tenants, keys) = try await Database.with(arguments, .readOnly) {
            store async throws(EventStoreError) in
            (try await store.tenants.all(), try await store.tenants.keys(nil))
        }
        let now = WallClock.now()
        let active = keys.filter { KeyDocument($0, now: now).state == .active }
        let counts = Dictionary(grouping: active, by: \.tenant.id).mapValues(\.count)
        let documents = tenants.map {
            TenantDocument(id: $0.id.rawValue, name: $0.name, activeKeys: counts[$0.id] ?? 0)
        }
        if arguments.flag("json") {
            Console.print(Console.json(documents))
        } else {
            let rows = documents.map { ["\($0.id)", $0.name, "\($0.activeKeys)"] }
            Console.print(Table.text(["ID", "NAME", "ACTIVE KEYS"], rows))
        }
    }
}

/// A tenant as lists show it.
private struct TenantDocument: Encodable {
    var id: Int32
    var name: String
    var activeKeys: Int
}
