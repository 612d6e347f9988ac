public import DeliveryRules
public import Domain
public import EventStore

/// What the routes about webhooks need from the outside.
public struct WebhookSetup: Sendable {
    /// What is wrong with a URL, as the end of a sentence about it; nil when nothing is.
    public var complaint: @Sendable (_ url: String) -> String?
    public var makeID: @Sendable () -> String
    /// A new secret: as its owner is shown it, once, and sealed.
    public var makeSecret:
        @Sendable (_ tenant: TenantID, _ webhookID: String) -> (
            shown: String, sealed: WebhookSecret
        )
    /// Whether this node can open all of a webhook's secrets.
    public var canSign: @Sendable (_ secrets: [WebhookSecret]) -> Bool
    /// Sends a message that says nothing but that it arrives. Nil when no secret could be opened.
    public var test:
        @Sendable (_ webhook: Webhook, _ secrets: [WebhookSecret]) async -> WebhookAnswer?

    public init(
        complaint: @escaping @Sendable (_ url: String) -> String?,
        makeID: @escaping @Sendable () -> String,
        makeSecret:
            @escaping @Sendable (_ tenant: TenantID, _ webhookID: String) -> (
                shown: String, sealed: WebhookSecret
            ),
        canSign: @escaping @Sendable (_ secrets: [WebhookSecret]) -> Bool,
        test:
            @escaping @Sendable (_ webhook: Webhook, _ secrets: [WebhookSecret]) async
            -> WebhookAnswer?
    ) {
        self.complaint = complaint
        self.makeID = makeID
        self.makeSecret = makeSecret
        self.canSign = canSign
        self.test = test
    }
}
