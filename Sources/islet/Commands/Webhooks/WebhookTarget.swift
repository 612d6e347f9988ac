import DatabaseAccess
import Domain
import EventStore
import Terminal

/// What the commands about webhooks have in common.
enum WebhookTarget {
    static let tenant = OptionSpec.tenant("Merchant or feed whose webhook it is.")
    static let operand = Command.Operand(
        name: "ID", help: "The webhook's id, as islet webhooks list shows it.")

    /// Does something with one webhook of a tenant.
    /// - Throws: when there is no such tenant or webhook.
    static func with<Result: Sendable>(
        _ arguments: Arguments,
        _ body:
            @escaping @Sendable (EventStore, Webhook) async throws(CommandFailure) -> Result
    ) async throws(CommandFailure) -> Result {
        let name = try TenantName.check(try arguments.required("tenant"))
        let id = arguments.operand(operand.name)
        return try await Database.whileOpen(arguments) {
            database async throws(CommandFailure) -> Result in
            let store = database.store
            let tenant = try await TenantName.tenant(called: name, in: store)
            let found = try await Database.asked(try await store.webhooks.all(tenant.id, id)).first
            guard let (webhook, _) = found else {
                throw .failed("\(name) has no webhook \(id); see islet webhooks list")
            }
            return try await body(store, webhook)
        }
    }
}
