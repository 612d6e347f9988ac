import API
import DatabaseAccess
import Domain
import EventStore
import JSON
import TLS
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
            OptionSpec.tenant("Whose keys. Without it: all tenants'."),
            OptionSpec.json,
        ] + Database.options,
        examples: ["islet keys list", "islet keys list --tenant pizzeria --json"]
    ) { (arguments) async throws(CommandFailure) in
        let name = arguments.text("tenant")
        let keys = try await Database.with(arguments, tenants: name) {
            store, tenants async throws(EventStoreError) in
            try await store.tenants.keys(name == nil ? nil : tenants.first?.id)
        }
        let now = WallClock.now()
        Console.answer(
            arguments, keys.map { KeyDocument.key($0, now: now).printed(of: $0.tenant.name) },
            Table.text(KeyRow.headings, keys.map { KeyRow.cells($0, now: now) }))
    }
}

/// A key as the table shows it.
enum KeyRow {
    static let headings = [
        "ID", "TENANT", "STATE", "SCOPES", "CREATED", "EXPIRES", "LAST USED", "LABEL",
    ]

    static func cells(_ key: APIKeyRecord, now: Moment) -> [String] {
        [
            "\(key.id)", key.tenant.name, key.state(at: now).rawValue,
            key.scopes.map(\.rawValue).sorted().joined(separator: ","),
            String(key.createdAt.rfc3339.prefix(10)), minute(key.expiresAt),
            minute(key.lastUsedAt), key.label ?? "–",
        ]
    }

    private static func minute(_ moment: Moment?) -> String {
        moment.map { String($0.rfc3339.prefix(16)) + "Z" } ?? "–"
    }
}

extension Command {
    static let keysRevoke = Command(
        path: ["keys", "revoke"],
        summary: "Revoke an API key: it opens nothing from now on, on every node.",
        discussion: "A key that was revoked stays revoked, and stays in the list.",
        operands: [Operand(name: "ID", help: "the key's id, as `islet keys list` shows it")],
        options: [OptionSpec.json] + Database.options,
        examples: ["islet keys revoke 3"]
    ) { (arguments) async throws(CommandFailure) in
        guard let id = Int64(arguments.operand("ID")), id > 0 else {
            throw .usage("ID must be a number of `islet keys list`, never the key itself")
        }
        let key = try await Database.with(arguments) { store async throws(EventStoreError) in
            try await store.tenants.revokeKey(id)
        }
        guard let key else { throw .failed("there is no key \(id); see islet keys list") }
        Console.done(
            arguments, KeyDocument.key(key, now: WallClock.now()).printed(of: key.tenant.name),
            "Key \(id) of \(key.tenant.name) is revoked.")
    }

    static let keysRotateTickets = Command(
        path: ["keys", "rotate-tickets"],
        summary: "Give a tenant a new secret to sign tickets with.",
        discussion: """
            Tickets that were made before stay valid until the next rotation; those made before the
            last one open nothing any more. Nodes remember secrets for up to five seconds.
            """,
        operands: [Operand(name: "NAME", help: "the tenant's name")],
        options: [OptionSpec.json] + Database.options,
        examples: ["islet keys rotate-tickets pizzeria"]
    ) { (arguments) async throws(CommandFailure) in
        let name = arguments.operand("NAME")
        let secret = try await Database.with(arguments, tenant: name) {
            store, tenant async throws(EventStoreError) in
            try await store.tickets.rotate(tenant.id, SecureRandom.bytes(32))
        }
        let document: JSON = ["tenant": .string(name), "secretId": .integer(secret.id)]
        Console.done(
            arguments, document,
            "Secret \(secret.id) of tenant \(name) signs tickets from now on.")
    }
}
