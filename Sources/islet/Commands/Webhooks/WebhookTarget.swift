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
            @escaping @Sendable (EventStore, Webhook) async throws(EventStoreError) -> Result
    ) async throws(CommandFailure) -> Result {
        let name = try TenantName.check(try arguments.required("tenant"))
        let id = arguments.operand(operand.name)
        let result = try await Database.with(arguments, tenant: name) {
            store, tenant async throws(EventStoreError) -> Result? in
            guard let (webhook, _) = try await store.webhooks.all(tenant.id, id).first else {
                return nil
            }
            return try await body(store, webhook)
        }
        guard let result else {
            throw .failed("\(name) has no webhook \(id); see islet webhooks list")
        }
        return result
    }
}
