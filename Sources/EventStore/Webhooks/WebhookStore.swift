public import Domain

/// What a webhook's messages are signed with, sealed.
public struct WebhookSecret: Hashable, Sendable {
    public var tenant: TenantID
    public var webhookID: String
    public var id: Int64
    public var sealed: [UInt8]
    public var masterKeyID: String
    /// From then on it does not sign; nil for the one in use.
    public var endsAt: Moment?

    public init(
        tenant: TenantID, webhookID: String, id: Int64 = 0, sealed: [UInt8], masterKeyID: String,
        endsAt: Moment? = nil
    ) {
        self.tenant = tenant
        self.webhookID = webhookID
        self.id = id
        self.sealed = sealed
        self.masterKeyID = masterKeyID
        self.endsAt = endsAt
    }
}

/// What is to be otherwise about a webhook; nil leaves it as it is.
public struct WebhookEdit: Hashable, Sendable {
    public var url: String?
    public var kinds: [String]?
    public var phases: [Phase]?
    public var isEnabled: Bool?

    public init(
        url: String? = nil, kinds: [String]? = nil, phases: [Phase]? = nil, isEnabled: Bool? = nil
    ) {
        self.url = url
        self.kinds = kinds
        self.phases = phases
        self.isEnabled = isEnabled
    }
}

/// What there is to say about a webhook beyond what it is.
public struct WebhookFigures: Hashable, Sendable {
    public var delivered: Int64 = 0
    public var failed: Int64 = 0
    public var deliveredAt: Moment?
    /// Messages that wait to be sent again, and those that were given up, of each up to
    /// `Limits.countedMax`.
    public var waiting = 0
    public var givenUp = 0
    /// Events of the log that are folded and not dealt with yet.
    public var behind: Int64 = 0

    public init() {}
}

/// Webhooks of tenants, what they are signed with, and what they are sent.
public protocol WebhookStore: Sendable {
    /// Of a tenant, or of one with an id; oldest first.
    func all(_ tenant: TenantID, _ id: String?) async throws(EventStoreError) -> [(
        Webhook, WebhookFigures
    )]
    /// Adds one that receives what changes from now on.
    /// - Returns: false when the tenant has as many as it may have.
    func add(_ webhook: Webhook, _ secret: WebhookSecret) async throws(EventStoreError) -> Bool
    /// One that is turned on goes on where it stopped.
    /// - Returns: false when there is none.
    func edit(_ tenant: TenantID, _ id: String, _ edit: WebhookEdit) async throws(EventStoreError)
        -> Bool
    /// Ends the pause of one that has been failing, now that something arrived: what waits for it
    /// is due at once.
    func resume(_ tenant: TenantID, _ id: String) async throws(EventStoreError)
    /// With its messages.
    func remove(_ tenant: TenantID, _ id: String) async throws(EventStoreError) -> Bool
    /// The secrets that sign now, newest first; without an id those of all webhooks.
    func secrets(_ of: (tenant: TenantID, id: String)?) async throws(EventStoreError)
        -> [WebhookSecret]
    /// Signs with another secret from now on, and for a while with those before.
    func rotate(_ secret: WebhookSecret, _ overlapSeconds: Double) async throws(EventStoreError)
        -> Bool
    /// Replaces a secret's seal.
    /// - Returns: false when it is gone or was sealed again meanwhile.
    func reseal(_ secret: WebhookSecret, _ sealed: [UInt8], _ masterKeyID: String)
        async throws(EventStoreError) -> Bool
    var feed: any WebhookFeed { get }
}
