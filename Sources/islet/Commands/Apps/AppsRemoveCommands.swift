import AppKeys
import DatabaseAccess
import Domain
import EventStore
import JSON
import Terminal

extension Command {
    static let appsRemove = Command(
        path: ["apps", "remove"],
        summary: "Remove a key of an app, or the app with all of them.",
        discussion: """
            Phones of an app without a key wait, and lose nothing: add it again and they get their
            newest state. Asks before it removes the last key.
            """,
        options: [
            AppOptions.tenant, AppOptions.bundle,
            OptionSpec(
                "key-id", .text(placeholder: "ID"), "Only this key. Without it: all of the app's."),
            OptionSpec("yes", .flag, "Do not ask."), OptionSpec.json,
        ] + Database.options,
        examples: [
            "islet apps remove --tenant pizzeria --bundle com.example.pizza --key-id ABC123DEFG",
            "islet apps remove --tenant pizzeria --bundle com.example.pizza --yes",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let name = try TenantName.check(try arguments.required("tenant"))
        let bundleID = try arguments.required("bundle")
        let keyID = arguments.text("key-id")
        let (tenant, keys) = try await Database.with(arguments, tenant: name) {
            store, tenant async throws(EventStoreError) in
            let identities = try await store.apps.keys().map(\.identity)
            return (
                tenant.id,
                identities.filter {
                    $0.tenant == tenant.id && $0.bundleID.hasBytes(of: bundleID)
                }
            )
        }
        let going = keys.filter { keyID.map($0.keyID.hasBytes) ?? true }
        guard !going.isEmpty else {
            let key = keyID.map { "no key \($0)" } ?? "no key"
            throw .failed("\(bundleID) of \(name) has \(key); see islet apps list")
        }
        let left = keys.filter { !going.contains($0) }
        let lost = APNsEnvironment.allCases.filter { environment in
            going.contains { $0.scope.covers(environment) }
                && !left.contains { $0.scope.covers(environment) }
        }
        let places = lost.map(\.rawValue).joined(separator: " and ")
        let question = "Leave \(bundleID) without a key for \(places)? Its phones will wait."
        guard lost.isEmpty || arguments.flag("yes") || Console.isConfirmed(question) else {
            throw .failed("nothing was removed; --yes removes it without a question")
        }
        let count = try await Database.with(arguments) { store async throws(EventStoreError) in
            try await store.apps.remove(tenant, bundleID, keyID)
        }
        Console.done(
            arguments, ["removed": count],
            "\(count.counted("key")) of \(bundleID) removed.")
    }

    static let appsRewrapKeys = Command(
        path: ["apps", "rewrap-keys"],
        summary: "Encrypt all keys and webhooks' secrets with the first master key of the file.",
        discussion: """
            To rotate the master key: put a new line first in the file, send SIGHUP to all servers,
            which then open with both, run this, and take the old line out again. While a tenant
            arrives from another cell this is refused.
            """,
        options: [MasterKeys.option, OptionSpec.json] + Database.options,
        examples: ["islet apps rewrap-keys --master-key-file master.key"]
    ) { (arguments) async throws(CommandFailure) in
        let masterKeys = try AppOptions.masterKeys(arguments)
        let (count, total) = try await Database.whileOpen(arguments) {
            database async throws(CommandFailure) -> (Int, Int) in
            let store = database.store
            let records = try await Database.asked(try await store.apps.keys())
            let moves = try await Database.asked(try await store.tenants.moves())
            if let move = moves.first(where: { $0.state == .arriving }) {
                throw .failed(
                    "tenant \"\(move.name)\" is arriving from cell \(move.cell), and what it "
                        + "brings must stay as it was sealed there: end that move first")
            }
            // All or none: a file that lacks a line is found before anything is written.
            var keys: [(AppKeyRecord, NewAppKey)] = []
            for record in records where record.masterKeyID != masterKeys.currentID {
                try masterKeys.requireLine(for: record)
                guard case .opened(let pem) = masterKeys.open(record) else {
                    throw .failed(
                        "the key \(record.identity.keyID) of \(record.identity.bundleID) was "
                            + "changed since it was sealed: remove it and add it again")
                }
                keys.append((record, masterKeys.seal(pem, for: record.identity)))
            }
            let secrets = try await rewrappedSecrets(store, masterKeys)
            var count = 0
            for (record, key) in keys {
                let isResealed = try await Database.asked(
                    try await store.apps.reseal(record, key.sealed, key.masterKeyID))
                if isResealed { count += 1 }
            }
            for (secret, fresh) in secrets {
                let isResealed = try await Database.asked(
                    try await store.webhooks.reseal(secret, fresh.sealed, fresh.masterKeyID))
                if isResealed { count += 1 }
            }
            return (count, records.count + secrets.count)
        }
        let document: JSON = [
            "rewrapped": .integer(count), "keys": .integer(total),
            "masterKeyId": .string(masterKeys.currentID),
        ]
        Console.done(
            arguments, document,
            "\(count) of \(total) keys are encrypted again, with the master key "
                + "\(masterKeys.currentID).")
    }

    /// Those of webhooks that another master key sealed, and what takes their place.
    private static func rewrappedSecrets(
        _ store: EventStore, _ masterKeys: MasterKeys
    ) async throws(CommandFailure) -> [(WebhookSecret, WebhookSecret)] {
        let secrets = try await Database.asked(try await store.webhooks.secrets(nil))
        var fresh: [(WebhookSecret, WebhookSecret)] = []
        for secret in secrets where secret.masterKeyID != masterKeys.currentID {
            guard let bytes = masterKeys.open(secret) else {
                throw .failed(
                    "no line of --master-key-file opens the secret of the webhook "
                        + "\(secret.webhookID), which the master key \(secret.masterKeyID) "
                        + "sealed: give the right file. If that line is lost, "
                        + MasterKeys.remedyForSecrets)
            }
            fresh.append((secret, masterKeys.seal(bytes, for: secret.tenant, secret.webhookID)))
        }
        return fresh
    }
}
