import DatabaseAccess
import Domain
public import EventStore
public import Terminal

/// What a node cannot do without, said before it begins, and before anything else is sealed.
extension MasterKeys {
    /// Webhooks that a start names, of all whose secrets it cannot open.
    private static let namedMax = 10

    /// With a file that does not open all that the database has, nothing else is sealed.
    /// - Parameter keys: nil where no file is given.
    /// - Throws: when the database has an app's key that none of them opens, or such a secret of a
    ///   webhook that is not turned off.
    public static func requireLines(
        _ keys: MasterKeys?, in store: EventStore, patience: Duration = .zero
    ) async throws(CommandFailure) {
        let closed = try await closedSecrets(to: keys, in: store, patience).secrets
        if let first = closed.first { throw missing(for: first, keys) }
    }

    /// What senders start with. A file that opens nothing is a wrong one. One that opens something
    /// is taken: one tenant's secret whose line is lost keeps no other tenant's phones waiting.
    /// - Parameter present: what a sender has opened secrets with so far.
    /// - Returns: what there is to say of webhooks that nothing is sent to meanwhile.
    /// - Throws: when the database has an app's key that none of them opens, or such a secret of a
    ///   webhook that is not turned off, and nothing that one of them opens or `present` opens the
    ///   secret: its line is not lost, but was taken out too early.
    func requireRightFile(
        insteadOf present: MasterKeys?, in store: EventStore, patience: Duration
    ) async throws(CommandFailure) -> [AppDiagnostic] {
        let closed = try await Self.closedSecrets(to: self, in: store, patience)
        let refused = closed.secrets.first {
            !closed.opensOthers || present?.has($0.masterKeyID) == true
        }
        if let refused { throw Self.missing(for: refused, self) }
        return closed.secrets.map {
            .unsigned(webhook: $0.webhookID, why: Self.missing(for: $0, self).text)
        }
    }

    /// - Returns: a secret of each webhook that is not turned off and has one that none of them
    ///   opens, at most `namedMax`; and whether they open anything.
    /// - Throws: when the database has an app's key that none of them opens.
    private static func closedSecrets(
        to keys: MasterKeys?, in store: EventStore, _ patience: Duration
    ) async throws(CommandFailure) -> (secrets: [WebhookSecret], opensOthers: Bool) {
        let records = try await Database.asked(patience: patience, try await store.apps.keys())
        for record in records {
            guard let keys else { throw missing(for: record) }
            try keys.requireLine(for: record)
        }
        let secrets = try await Database.asked(
            patience: patience, try await store.webhooks.secrets(nil))
        var opensOthers = !records.isEmpty
        var closed: [WebhookSecret] = []
        for secret in secrets {
            if let keys, keys.has(secret.masterKeyID) {
                opensOthers = true
                continue
            }
            // They come in order of their webhooks.
            guard closed.count < namedMax, closed.last?.webhookID != secret.webhookID else {
                continue
            }
            let webhook = try await Database.asked(
                patience: patience,
                try await store.webhooks.all(secret.tenant, secret.webhookID).first?.0)
            if let webhook, webhook.stop == nil { closed.append(secret) }
        }
        return (closed, opensOthers)
    }

    /// What helps when no line will ever open a webhook's secret. All that still sign are needed:
    /// receivers may know but one of them.
    public static let remedyForSecrets =
        "islet webhooks rotate --overlap-seconds 0 makes another secret, and islet webhooks remove "
        + "ends the webhook"

    private static func missing(for record: AppKeyRecord) -> CommandFailure {
        .failed(
            "the database has keys of apps, such as \(record.identity.keyID) of "
                + "\(record.identity.bundleID), and there is no --master-key-file to open them "
                + "with: \(remedy(for: record))")
    }

    private static func missing(for secret: WebhookSecret, _ keys: MasterKeys?) -> CommandFailure {
        guard let keys else {
            return .failed(
                "the database has secrets of webhooks, such as that of \(secret.webhookID), and "
                    + "there is no --master-key-file to open them with. If that file is lost, "
                    + remedyForSecrets)
        }
        return .failed(
            "--master-key-file has no line that opens the secret of the webhook "
                + "\(secret.webhookID): it was sealed with the master key \(secret.masterKeyID), "
                + "the file's first is \(keys.currentID): give the file that it was sealed with. "
                + "If that line is lost, \(remedyForSecrets)")
    }

    /// - Throws: when the key was sealed with a master key that the file does not have.
    public func requireLine(for record: AppKeyRecord) throws(CommandFailure) {
        guard !has(record.masterKeyID) else { return }
        throw .failed(
            "--master-key-file has no line that opens the key \(record.identity.keyID) of "
                + "\(record.identity.bundleID): it was sealed with the master key "
                + "\(record.masterKeyID), the file's first is \(currentID): "
                + Self.remedy(for: record))
    }

    private static func remedy(for record: AppKeyRecord) -> String {
        "give the file that the key was sealed with, or remove it: islet apps remove --tenant "
            + "NAME --bundle \(record.identity.bundleID) --key-id \(record.identity.keyID), with "
            + "the tenant that islet apps list names"
    }
}
