public import AppKeys
public import Delivery
import DeliveryRules
import Domain
import TLS
import Terminal
public import WebClient

extension WebhookTransport {
    /// From looking the receiver's name up to the end of its answer. Standard Webhooks has 15 to 30
    /// seconds.
    private static let deadlineSeconds: Double = 15

    public static func live(_ client: WebClient, _ masterKeys: MasterKeys) -> WebhookTransport {
        WebhookTransport(
            post: { tenant, url, headers, body in
                let reply = await client.send(
                    WebRequest(
                        url: url,
                        headers: headers + [("user-agent", "Islet/\(Version.current)")],
                        body: body, deadlineSeconds: deadlineSeconds,
                        share: "\(tenant.rawValue)"))
                return switch reply.answer {
                case .answered(let status, let seconds):
                    .answered(status: status, retryAfterSeconds: seconds)
                case .failed(.cancelled): nil
                case .failed(let failure): .notAnswered(reason: failure.rawValue)
                }
            },
            open: { masterKeys.open($0) },
            hmac: { HMACSHA256.code(for: $0, key: $1) }, sha256: SHA256.hash)
    }
}
