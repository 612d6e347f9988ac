import DeliveryRules
import Domain
import EventStore

@testable import API

extension WebhookSetup {
    /// Secrets are their own seals, and receivers answer by their names.
    static let fake = WebhookSetup(
        complaint: { $0.hasPrefix("https://") ? nil : "must look like https://host/path" },
        makeID: { "wh_" + String(UInt64.random(in: 0 ... .max), radix: 16) },
        makeSecret: { tenant, id in
            (
                "whsec_\(id)",
                WebhookSecret(
                    tenant: tenant, webhookID: id, sealed: Array("whsec_\(id)".utf8),
                    masterKeyID: "m1")
            )
        },
        canSign: { secrets in secrets.allSatisfy { $0.masterKeyID == "m1" } },
        test: { webhook, secrets in
            if secrets.isEmpty { return nil }
            return webhook.url.contains("broken")
                ? .answered(status: 500, retryAfterSeconds: nil)
                : .answered(status: 204, retryAfterSeconds: nil)
        })
}
