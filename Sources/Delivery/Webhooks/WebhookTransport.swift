public import DeliveryRules
public import Domain
public import EventStore

/// How a message is sent, and how it is signed. The live one has libcurl and OpenSSL.
public struct WebhookTransport: Sendable {
    /// One POST of JSON, on a tenant's account. Nil when the task was cancelled before there was an
    /// answer.
    public var post:
        @Sendable (
            _ tenant: TenantID, _ url: String, _ headers: [(name: String, value: String)],
            _ body: [UInt8]
        ) async -> WebhookAnswer?
    /// The bytes that a seal hides; nil when this node cannot open it.
    public var open: @Sendable (WebhookSecret) -> [UInt8]?
    /// HMAC-SHA256.
    public var hmac: @Sendable (_ message: [UInt8], _ key: [UInt8]) -> [UInt8]
    public var sha256: @Sendable ([UInt8]) -> [UInt8]

    public init(
        post:
            @escaping @Sendable (
                _ tenant: TenantID, _ url: String, _ headers: [(name: String, value: String)],
                _ body: [UInt8]
            ) async -> WebhookAnswer?,
        open: @escaping @Sendable (WebhookSecret) -> [UInt8]?,
        hmac: @escaping @Sendable (_ message: [UInt8], _ key: [UInt8]) -> [UInt8],
        sha256: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) {
        self.post = post
        self.open = open
        self.hmac = hmac
        self.sha256 = sha256
    }
}
