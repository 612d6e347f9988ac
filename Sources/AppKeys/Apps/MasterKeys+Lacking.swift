import DatabaseAccess
import Domain
public import EventStore
public import Terminal

/// What a node cannot do without, said before it begins, and before anything else is sealed: with a
/// file that does not open all that the database has, no server starts.
extension MasterKeys {
    /// - Parameter keys: nil where no file is given.
    /// - Throws: when the database has an app's key that none of them opens, or such a secret of a
    ///   webhook that is not turned off.
    public static func requireLines(
        _ keys: MasterKeys?, in store: EventStore, patience: Duration = .zero
    ) async throws(CommandFailure) {
        for record in try await Database.asked(
            patience: patience, try await store.apps.keys())
        {
            guard let keys else { throw missing(for: record) }
            try keys.requireLine(for: record)
        }
        for secret in try await Database.asked(
            patience: patience, try await store.webhooks.secrets(nil))
        {
            if let keys, keys.has(secret.masterKeyID) { continue }
            let webhook = try await Database.asked(
                patience: patience,
                try await store.webhooks.all(secret.tenant, secret.webhookID).first?.0)
            guard let webhook, webhook.stop == nil else { continue }
            throw keys?.lacking(for: secret) ?? missing(for: secret)
        }
    }

    /// What helps when no line will ever open a webhook's secret. All that still sign are needed:
    /// receivers may know but one of them.
    public static let remedyForSecrets =
        "islet webhooks rotate --overlap-seconds 0 makes another secret, and islet webhooks remove "
        + "ends the webhook"

    private static func missing(for record: AppKeyRecord) -> CommandFailure {
        .failed(
            "the database has keys of apps, such as \(record.place.keyID) of "
                + "\(record.place.bundleID), and there is no --master-key-file to open them with: "
                + remedy(for: record))
    }

    private static func missing(for secret: WebhookSecret) -> CommandFailure {
        .failed(
            "the database has secrets of webhooks, such as that of \(secret.webhookID), and there "
                + "is no --master-key-file to open them with. If that file is lost, "
                + remedyForSecrets)
    }

    /// - Throws: when the key was sealed with a master key that the file does not have.
    public func requireLine(for record: AppKeyRecord) throws(CommandFailure) {
        guard !has(record.masterKeyID) else { return }
        throw .failed(
            "--master-key-file has no line that opens the key \(record.place.keyID) of "
                + "\(record.place.bundleID): it was sealed with the master key "
                + "\(record.masterKeyID), the file's first is \(currentID): "
                + Self.remedy(for: record))
    }

    private static func remedy(for record: AppKeyRecord) -> String {
        "give the file that the key was sealed with, or remove it: islet apps remove --tenant "
            + "NAME --bundle \(record.place.bundleID) --key-id \(record.place.keyID), with the "
            + "tenant that islet apps list names"
    }

    private func lacking(for secret: WebhookSecret) -> CommandFailure {
        .failed(
            "--master-key-file has no line that opens the secret of the webhook "
                + "\(secret.webhookID): it was sealed with the master key \(secret.masterKeyID), "
                + "the file's first is \(currentID): give the file that it was sealed with. If "
                + "that line is lost, \(Self.remedyForSecrets)")
    }
}
