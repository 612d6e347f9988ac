public import DeliveryRules
public import Domain
import Encodings
public import EventStore

/// Sends single messages to one webhook.
public struct WebhookPost: Sendable {
    private let webhook: Webhook
    private let secrets: [[UInt8]]
    private let transport: WebhookTransport
    private let epoch: Int64

    /// - Parameter epoch: of the log, versions of which may mean something else in another one.
    /// - Returns: nil when one of the secrets cannot be opened: a message that is signed with but
    ///   some of them may be one that the receiver refuses.
    public init?(
        _ webhook: Webhook, _ sealed: [WebhookSecret], _ transport: WebhookTransport,
        epoch: Int64 = firstLogEpoch
    ) {
        self.webhook = webhook
        self.epoch = epoch
        self.transport = transport
        secrets = sealed.compactMap(transport.open)
        if secrets.isEmpty || secrets.count < sealed.count { return nil }
    }

    public func send(_ message: WebhookMessage, now: Moment) async -> WebhookAnswer? {
        let signature = WebhookSignature.headers(
            id: id(of: message), seconds: now.unixSeconds, body: message.body,
            secrets: secrets, hmac: transport.hmac)
        return await transport.post(
            webhook.tenant, webhook.url, [("content-type", "application/json")] + signature,
            message.body)
    }

    /// The same whenever and wherever the message is sent, which is how receivers know it again.
    private func id(of message: WebhookMessage) -> String {
        var name = Array("\(webhook.id)\n\(message.name)".utf8)
        if epoch != firstLogEpoch { name = Array("\(epoch)\n".utf8) + name }
        return "msg_" + Hexadecimal.encode(transport.sha256(name).prefix(16))
    }
}
