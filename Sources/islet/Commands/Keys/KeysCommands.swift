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
        let documents = keys.map { KeyDocument($0, now: now) }
        Console.answer(
            arguments, documents, Table.text(KeyDocument.headings, documents.map(\.cells)))
    }
}

/// A key as lists show it.
struct KeyDocument: Encodable, Hashable {
    enum State: String, Encodable {
        case active, expired, revoked
    }

    var id: Int64
    var tenant: String
    var label: String?
    var scopes: [String]
    var state: State
    var createdAt: String
    var expiresAt: String?
    var lastUsedAt: String?
    var revokedAt: String?

    init(_ key: APIKeyRecord, now: Moment) {
        id = key.id
        tenant = key.tenant.name
        label = key.label
        scopes = key.scopes.map(\.rawValue).sorted()
        let isExpired = key.expiresAt.map { $0 <= now } ?? false
        state = key.revokedAt != nil ? .revoked : isExpired ? .expired : .active
        createdAt = key.createdAt.rfc3339
        expiresAt = key.expiresAt?.rfc3339
        lastUsedAt = key.lastUsedAt?.rfc3339
        revokedAt = key.revokedAt?.rfc3339
    }

    static let headings = [
        "ID", "TENANT", "STATE", "SCOPES", "CREATED", "EXPIRES", "LAST USED", "LABEL",
    ]

    var cells: [String] {
        [
            "\(id)", tenant, state.rawValue, scopes.joined(separator: ","), day(createdAt),
            expiresAt.map(minute) ?? "–", lastUsedAt.map(minute) ?? "–", label ?? "–",
        ]
    }

    private func day(_ moment: String) -> String { String(moment.prefix(10)) }

    private func minute(_ moment: String) -> String { String(moment.prefix(16)) + "Z" }
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
            arguments, KeyDocument(key, now: WallClock.now()),
            "Key \(id) of \(key.tenant.name) is revoked.")
    }
}

extension Command {
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
