import Domain
import EventStore

/// What the commands about webhooks have in common.
enum WebhookTarget {
    static let tenant = OptionSpec(
        "tenant", .text(placeholder: "NAME"), "Merchant or feed whose webhook it is.")
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
        let found = try await Database.with(arguments) {
            store async throws(EventStoreError) -> (isTenant: Bool, result: Result?) in
            guard let tenant = try await store.tenants.find(name) else { return (false, nil) }
            guard let (webhook, _) = try await store.webhooks.all(tenant.id, id).first else {
                return (true, nil)
            }
            return (true, try await body(store, webhook))
        }
        guard found.isTenant else { throw TenantName.unknown(name) }
        guard let result = found.result else {
            throw .failed("\(name) has no webhook \(id); see islet webhooks list")
        }
        return result
    }
}
