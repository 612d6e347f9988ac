import Encodings
import API
import Delivery
import Domain
import EventStore
import PushDispatch
import TLS

extension MasterKeys {
    func open(_ secret: WebhookSecret) -> [UInt8]? {
        open(
            secret.sealed, by: secret.masterKeyID,
            binding: Self.binding(secret.tenant, secret.webhookID))
    }

    func seal(_ bytes: [UInt8], for tenant: TenantID, _ webhookID: String) -> WebhookSecret {
        let (sealed, id) = seal(bytes, binding: Self.binding(tenant, webhookID))
        return WebhookSecret(
            tenant: tenant, webhookID: webhookID, sealed: sealed, masterKeyID: id)
    }

    /// - Returns: a new secret as its owner is shown it, and sealed.
    func makeSecret(
        _ tenant: TenantID, _ webhookID: String
    ) -> (shown: String, sealed: WebhookSecret) {
        let bytes = SecureRandom.bytes(WebhookSignature.secretBytes)
        return (WebhookSignature.shown(secret: bytes), seal(bytes, for: tenant, webhookID))
    }

    /// What a seal holds for; no part of it can contain the separator.
    private static func binding(_ tenant: TenantID, _ webhookID: String) -> [UInt8] {
        Array(
            ["islet webhook secret", "\(tenant.rawValue)", webhookID].joined(separator: "\n").utf8)
    }
}

extension WebhookSetup {
    static func live(
        _ options: WebhookOptions, _ masterKeys: MasterKeys, _ transport: WebhookTransport
    ) -> WebhookSetup {
        WebhookSetup(
            complaint: { options.complaint(about: $0) },
            makeID: { WebhookID.make() },
            makeSecret: { masterKeys.makeSecret($0, $1) },
            test: { webhook, secrets in
                let now = WallClock.now()
                guard let post = WebhookPost(webhook, secrets, transport) else { return nil }
                let answer = await post.send(.test(now: now), now: now)
                return answer ?? .notAnswered(reason: "cancelled")
            })
    }
}

/// Names of webhooks.
enum WebhookID {
    /// One that nobody has had before, and that nobody can guess.
    static func make() -> String {
        "wh_" + Hexadecimal.encode(SecureRandom.bytes(12))
    }
}
