import DatabaseAccess
import EventStore
import Terminal

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
