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
        let active = keys.filter { KeyDocument($0, now: now).state == .active }
        let counts = Dictionary(grouping: active, by: \.tenant.id).mapValues(\.count)
        let moving = Dictionary(uniqueKeysWithValues: moves.map { ($0.id, $0) })
        let documents = tenants.map {
            TenantDocument(
                id: $0.id.rawValue, name: $0.name, activeKeys: counts[$0.id] ?? 0,
                events: usage[$0.id]?.events ?? 0, bytes: usage[$0.id]?.bytes ?? 0,
                move: moving[$0.id].map(MovingTenantDocument.init))
        }
        let rows = zip(tenants, documents).map { (tenant, document) -> [String] in
            [
                "\(document.id)", document.name, "\(document.activeKeys)", "\(document.events)",
                "\(document.bytes)", moving[tenant.id].map(MovingTenantText.words) ?? "",
            ]
        }
        Console.answer(
            arguments, documents,
            Table.text(["ID", "NAME", "ACTIVE KEYS", "EVENTS", "BYTES", "MOVE"], rows))
    }
}

/// A tenant as lists show it.
private struct TenantDocument: Encodable {
    var id: Int32
    var name: String
    var activeKeys: Int
    var events: Int64
    var bytes: Int64
    /// Of one that moves to or from another cell.
    var move: MovingTenantDocument?
}

extension Command {
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
