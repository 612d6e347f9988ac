import DatabaseAccess
import EventStore
import TLS
import Terminal

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
        Console.done(
            arguments, TicketSecretDocument(tenant: name, secretId: secret.id),
            "Secret \(secret.id) of tenant \(name) signs tickets from now on.")
    }
}

/// Which secret signs a tenant's tickets; never the secret.
private struct TicketSecretDocument: Encodable {
    var tenant: String
    var secretId: Int
}
