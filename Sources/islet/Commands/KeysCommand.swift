import APNs
import EventStore
import TLS

extension Command {
    static let keysCreate = Command(
        path: ["keys", "create"],
        summary: "Create an API key for a tenant and print it, once.",
        discussion: """
            The tenant is created when there is none of that name. The key alone goes to standard
            output; the database keeps only its SHA-256.
            """,
        options: [
            OptionSpec(
                "tenant", .text(placeholder: "NAME"), "Merchant or feed that the key belongs to."),
            OptionSpec(
                "scope", .choice(Scope.allCases.map(\.rawValue)),
                "What the key may do. Without it: everything but admin.", repeats: true),
        ] + Database.options,
        examples: [
            "islet keys create --tenant pizzeria",
            "KEY=$(islet keys create --tenant pizzeria --scope events:write)",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let name = try TenantName.check(arguments.required("tenant"))
        let given = arguments.texts("scope").compactMap(Scope.init)
        let scopes = given.isEmpty ? Set(Scope.allCases).subtracting([.admin]) : Set(given)
        let database = try await Database.open(arguments, log: Log(lowest: .warning))
        let key = APIKey.generate()
        do throws(EventStoreError) {
            let tenant = try await database.store.tenants.ensure(name)
            try await database.store.tenants.addKey(tenant.id, key.sha256, scopes)
        } catch {
            await database.close()
            throw .failed(Database.explanation(of: error))
        }
        await database.close()
        Console.print(key.text)
    }
}

/// A new API key. Only this value ever holds the text.
struct APIKey {
    /// `islet_` and 256 random bits in base64url.
    let text: String

    static func generate() -> APIKey {
        let secret = Base64URL.encode(SecureRandom.bytes(32))
        return APIKey(text: "islet_" + String(decoding: secret, as: UTF8.self))
    }

    var sha256: [UInt8] { SHA256.hash(Array(text.utf8)) }
}
