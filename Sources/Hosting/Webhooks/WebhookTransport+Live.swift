import AppKeys
import Delivery
import Domain
import EventLoop
import PushDispatch
import TLS
import Terminal
import WebClient

extension WebhookTransport {
    /// From looking the receiver's name up to the end of its answer. Standard Webhooks has 15 to 30
    /// seconds.
    private static let deadlineSeconds: Double = 15

    static func live(
        _ client: WebClient, _ masterKeys: MasterKeys, _ meters: NodeMeters
    ) -> WebhookTransport {
        WebhookTransport(
            post: { tenant, url, headers, body in
                meters.webhooks.withLock { $0.underWay += 1 }
                let began = ContinuousClock.now
                let reply = await client.send(
                    WebRequest(
                        url: url,
                        headers: headers + [("user-agent", "Islet/\(Version.current)")],
                        body: body, deadlineSeconds: deadlineSeconds,
                        share: "\(tenant.rawValue)"))
                let answer: WebhookAnswer? =
                    switch reply.answer {
                    case .answered(let status, let seconds):
                        .answered(status: status, retryAfterSeconds: seconds)
                    case .failed(.cancelled): nil
                    case .failed(let failure): .notAnswered(reason: failure.rawValue)
                    }
                let taken = ContinuousClock.now - began
                meters.webhooks.withLock { $0.note(answer, taken) }
                return answer
            },
            open: { masterKeys.open($0) },
            hmac: { HMACSHA256.code(for: $0, key: $1) }, sha256: SHA256.hash)
    }
}
