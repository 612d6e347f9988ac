import API
import DatabaseAccess
import Domain
import EventStore
import Terminal

extension Command {
    static let audit = Command(
        path: ["audit"],
        summary: "Show what administrators have done: who, when, what, and what it changed.",
        discussion: """
            Newest first. Acts of the API, of commands and of psql are there alike, since the
            database writes them down with what they change. None is ever changed or removed, and
            no secret is in them. Those of a tenant that was removed stay, and are shown with those
            of another that has its name now; those of one that moved to another cell went with it.
            """,
        options: [
            OptionSpec.tenant(
                "What was done to it, and to those that had its name before. Without it: to all."),
            OptionSpec("limit", .integer(1...1_000), "How many acts.", default: "50"),
            OptionSpec(
                "before", .integer(1...Int.max), "Only acts before the one with this id."),
            OptionSpec.json,
        ] + Database.options,
        examples: ["islet audit", "islet audit --tenant pizzeria --limit 10 --json"]
    ) { (arguments) async throws(CommandFailure) in
        let name = arguments.text("tenant")
        let limit = arguments.integer("limit") ?? 50
        let before = arguments.integer("before").map { Int64($0) }
        let acts = try await Database.with(arguments, .readOnly) {
            store async throws(EventStoreError) -> Result<[AuditEntry], CommandFailure> in
            guard let name else { return .success(try await store.audit.list(nil, before, limit)) }
            let named = try await store.audit.named(name)
            let moved = named.cell.map {
                "the tenant \"\(name)\" has moved to the cell \($0), and its acts with it: work on "
                    + "that cell's database"
            }
            if !named.here.isEmpty {
                if let moved { Console.note(moved) }
                return .success(try await store.audit.list(of: named.here, before, limit))
            }
            if let moved { return .failure(.failed(moved)) }
            return .failure(TenantName.unknown(name, among: try await store.tenants.all()))
        }.get()
        Console.answer(
            arguments, acts.map { AuditDocument.act($0).printed(of: $0.tenant.name) },
            Table.text(["ID", "TIME", "TENANT", "ACT", "OF", "BY"], acts.map(cells)))
    }

    private static func cells(_ entry: AuditEntry) -> [String] {
        [
            "\(entry.id)", String(entry.at.rfc3339.prefix(19)) + "Z", entry.tenant.name, entry.act,
            entry.subject, entry.actor,
        ]
    }
}
