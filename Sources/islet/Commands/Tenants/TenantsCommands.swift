import DatabaseAccess
import Domain
import EventStore
import JSON
import Terminal

extension Command {
    static let tenantsList = Command(
        path: ["tenants", "list"],
        summary: "List tenants, how many keys of each still open something, and what each keeps.",
        discussion: """
            The events are those of the log now. Their bytes, without indexes, are counted from a
            sample of what came since the last look; a server looks every few seconds. Of a tenant
            that moves to or from another cell it says how far that is, and whether somebody works
            on it: a move that stands still goes on with islet tenants move.
            """,
        options: [OptionSpec.json] + Database.options,
        examples: ["islet tenants list", "islet tenants list --json"]
    ) { (arguments) async throws(CommandFailure) in
        let (tenants, keys, usage, moves) = try await Database.with(arguments, .readOnly) {
            store async throws(EventStoreError) in
            (
                try await store.tenants.all(), try await store.tenants.keys(nil),
                try await store.tenants.usage(false), try await store.tenants.moves()
            )
        }
        let now = WallClock.now()
        let active = keys.filter { $0.state(at: now) == .active }
        let counts = Dictionary(grouping: active, by: \.tenant.id).mapValues(\.count)
        let moving = Dictionary(uniqueKeysWithValues: moves.map { ($0.id, $0) })
        let documents = tenants.map { tenant in
            let document: JSON = [
                "id": .integer(tenant.id.rawValue), "name": .string(tenant.name),
                "activeKeys": .integer(counts[tenant.id] ?? 0),
                "events": .integer(usage[tenant.id]?.events ?? 0),
                "bytes": .integer(usage[tenant.id]?.bytes ?? 0),
                "move": moving[tenant.id].map(MovingTenantText.document) ?? .null,
            ]
            return document.printed()
        }
        let rows = tenants.map { tenant -> [String] in
            [
                "\(tenant.id.rawValue)", tenant.name, "\(counts[tenant.id] ?? 0)",
                "\(usage[tenant.id]?.events ?? 0)", "\(usage[tenant.id]?.bytes ?? 0)",
                moving[tenant.id].map(MovingTenantText.words) ?? "",
            ]
        }
        Console.answer(
            arguments, documents,
            Table.text(["ID", "NAME", "ACTIVE KEYS", "EVENTS", "BYTES", "MOVE"], rows))
    }

    static let tenantsCreate = Command(
        path: ["tenants", "create"],
        summary: "Create a tenant: a merchant or a feed with a log of its own.",
        discussion: "One that exists already stays as it is. `keys create` does this by itself.",
        operands: [Operand(name: "NAME", help: "what to call it; one line of at most 100 bytes")],
        options: [OptionSpec.json] + Database.options,
        examples: ["islet tenants create pizzeria"]
    ) { (arguments) async throws(CommandFailure) in
        let name = try TenantName.check(arguments.operand("NAME"))
        let tenant = try await Database.with(arguments) {
            store async throws(EventStoreError) in
            try await store.tenants.ensure(name)
        }
        let document: JSON = ["name": .string(tenant.name), "id": .integer(tenant.id.rawValue)]
        Console.done(
            arguments, document,
            "Tenant \(tenant.name) has the id \(tenant.id.rawValue).")
    }
}
