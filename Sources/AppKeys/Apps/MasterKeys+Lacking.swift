import DatabaseAccess
public import EventStore
public import Terminal

/// What a node cannot do without, said before it begins.
extension MasterKeys {
    /// - Parameter keys: nil where no file is given.
    /// - Throws: when the database has an app's key or a webhook's secret that none of them opens.
    public static func requireLines(
        _ keys: MasterKeys?, in store: EventStore
    ) async throws(CommandFailure) {
        for record in try await Database.asked(try await store.apps.keys()) {
            guard let keys else { throw missing(for: record) }
            try keys.requireLine(for: record)
        }
        for secret in try await Database.asked(try await store.webhooks.secrets(nil)) {
            guard let keys else { throw missing(for: secret) }
            try keys.requireLine(for: secret)
        }
    }

    private static func missing(for record: AppKeyRecord) -> CommandFailure {
        .failed(
            "the database has keys of apps, such as \(record.place.keyID) of "
                + "\(record.place.bundleID), and there is no --master-key-file to open them with")
    }

    private static func missing(for secret: WebhookSecret) -> CommandFailure {
        .failed(
            "the database has secrets of webhooks, such as that of \(secret.webhookID), and there "
                + "is no --master-key-file to open them with")
    }

    /// - Throws: when the key was sealed with a master key that the file does not have.
    public func requireLine(for record: AppKeyRecord) throws(CommandFailure) {
        guard !has(record.masterKeyID) else { return }
        throw .failed(
            "--master-key-file has no line that opens the key \(record.place.keyID) of "
                + "\(record.place.bundleID): it was sealed with the master key "
                + "\(record.masterKeyID), the file's first is \(currentID)")
    }

    private func requireLine(for secret: WebhookSecret) throws(CommandFailure) {
        guard !has(secret.masterKeyID) else { return }
        throw .failed(
            "--master-key-file has no line that opens the secret of the webhook "
                + "\(secret.webhookID): it was sealed with the master key \(secret.masterKeyID), "
                + "the file's first is \(currentID). If that line is lost, islet webhooks rotate "
                + "makes another secret")
    }
}
