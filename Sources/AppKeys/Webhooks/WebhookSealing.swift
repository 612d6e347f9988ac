import DeliveryRules
public import Domain
import Encodings
public import EventStore
import TLS

extension MasterKeys {
    public func open(_ secret: WebhookSecret) -> [UInt8]? {
        open(
            secret.sealed, by: secret.masterKeyID,
            binding: Self.binding(secret.tenant, secret.webhookID))
    }

    public func seal(_ bytes: [UInt8], for tenant: TenantID, _ webhookID: String) -> WebhookSecret {
        let (sealed, id) = seal(bytes, binding: Self.binding(tenant, webhookID))
        return WebhookSecret(
            tenant: tenant, webhookID: webhookID, sealed: sealed, masterKeyID: id)
    }

    /// - Returns: a new secret as its owner is shown it, and sealed.
    public func makeSecret(
        _ tenant: TenantID, _ webhookID: String
    ) -> (shown: String, sealed: WebhookSecret) {
        let bytes = SecureRandom.bytes(WebhookSignature.secretBytes)
        return (WebhookSignature.shown(secret: bytes), seal(bytes, for: tenant, webhookID))
    }

    /// What a seal is for; no part of it can contain the separator.
    private static func binding(_ tenant: TenantID, _ webhookID: String) -> [UInt8] {
        Array(
            ["islet webhook secret", "\(tenant.rawValue)", webhookID].joined(separator: "\n").utf8)
    }
}

/// Names of webhooks.
public enum WebhookID {
    /// One that nobody has had before, and that nobody can guess.
    public static func make() -> String {
        "wh_" + Hexadecimal.encode(SecureRandom.bytes(12))
    }
}
