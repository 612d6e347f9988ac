import API
import DatabaseAccess
import Domain
import EventStore
import TLS
import Terminal

extension Command {
    static let keysCreate = Command(
        path: ["keys", "create"],
        summary: "Create an API key for a tenant and print it, once.",
        discussion: """
            The tenant is created when there is none of that name, which is said. The key alone
            goes to standard output, all else to standard error; the database keeps only the key's
            SHA-256.
            """,
        options: [
            OptionSpec.tenant("Merchant or feed that the key belongs to."),
            OptionSpec(
                "scope", .choice(Scope.allCases.map(\.rawValue)),
                "What the key may do. Without it: everything but admin "
                    + "and tenants:manage.", repeats: true),
            OptionSpec(
                "expires", .text(placeholder: "WHEN"),
                "When the key ends: after a time such as 30d, 12h or 90m, or at an RFC 3339 time. "
                    + "Without it: never."),
            OptionSpec(
                "label", .text(placeholder: "TEXT"),
                "What the key is for, shown by `keys list`; at most 200 bytes."),
            OptionSpec.json,
        ] + Database.options,
        examples: [
            "islet keys create --tenant pizzeria",
            "KEY=$(islet keys create --tenant pizzeria --scope events:write)",
            "islet keys create --tenant pizzeria --expires 30d --label 'till 5'",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let name = try TenantName.check(try arguments.required("tenant"))
        let given = arguments.texts("scope").compactMap(Scope.init)
        let scopes = given.isEmpty ? Scope.ordinary : Set(given)
        let end = try Expiry.moment(arguments.text("expires"), now: WallClock.now())
        let label = arguments.text("label")
        if let label, label.utf8.count > 200 || !label.isShownLine {
            throw .usage(
                "--label must be one line of at most 200 bytes, not blank, without control "
                    + "characters")
        }
        let secret = SecureRandom.bytes(32)
        let (known, created, key, text) = try await Database.with(arguments) {
            store async throws(EventStoreError) in
            let known = try await store.tenants.all()
            let tenant = try await store.tenants.ensure(name)
            let text = APIKey.text(of: secret, in: try await store.tenants.ownCell(), tenant.id)
            let key = NewAPIKey(
                tenant: tenant.id, sha256: SHA256.hash(Array(text.utf8)), scopes: scopes,
                label: label, expiresAt: end)
            return (known, try await store.tenants.createKey(key), key, text)
        }
        if !known.contains(where: { $0.name.hasBytes(of: name) }) {
            Console.note(TenantName.created(name, among: known))
        }
        guard let id = created else {
            throw .failed(
                "\(name) has as many API keys in force as it may have: revoke one that is not "
                    + "needed with islet keys revoke")
        }
        Console.note("Key \(id), \(end.map { "expires \($0.rfc3339)" } ?? "never expires").")
        Console.answerOnce(
            arguments, KeyDocument.made(key, id, text: text).printed(of: name), text,
            orElse: "Key \(id) was not printed, and works: revoke it with islet keys revoke \(id).")
    }
}

/// `--expires`, as people write it.
enum Expiry {
    /// - Throws: `.usage` for what is no time, or lies in the past.
    static func moment(_ text: String?, now: Moment) throws(CommandFailure) -> Moment? {
        guard let text else { return nil }
        guard let moment = Moment(rfc3339: text) ?? after(text, now: now) else {
            throw .usage(
                "--expires must be a time such as 30d, 12h or 90m, or RFC 3339 with a zone, such "
                    + "as 2027-01-01T00:00:00Z")
        }
        guard moment > now else { throw .usage("--expires lies in the past") }
        return moment
    }

    private static func after(_ text: String, now: Moment) -> Moment? {
        let seconds: [Character: Double] = ["d": 86_400, "h": 3_600, "m": 60]
        // A hundred years are enough, and far from where a moment would overflow.
        guard let unit = text.last.flatMap({ seconds[$0] }), let count = Int(text.dropLast()),
            count > 0, Double(count) * unit <= 36_500 * 86_400
        else { return nil }
        return now.adding(seconds: Double(count) * unit)
    }
}
