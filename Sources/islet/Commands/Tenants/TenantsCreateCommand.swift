import DatabaseAccess
import Domain
import EventStore
import Terminal

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
        let tenant = try await Database.with(arguments, .create) {
            store async throws(EventStoreError) in
            try await store.tenants.ensure(name)
        }
        Console.done(
            arguments, NewTenantDocument(name: tenant.name, id: tenant.id.rawValue),
            "Tenant \(tenant.name) has the id \(tenant.id.rawValue).")
    }
}

/// A tenant that is there now.
private struct NewTenantDocument: Encodable {
    var name: String
    var id: Int32
}
