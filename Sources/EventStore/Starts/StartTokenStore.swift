public import Domain

/// What is known of a phone on which cards may be started; never its token.
public struct StartToken: Hashable, Sendable {
    @ByBytes public var bundleID: String
    public var environment: APNsEnvironment
    public var topics: [String]
    public var locale: String?
    public var frequentUpdates: Bool
    public var appBuild: String?
    public var osMajor: Int?
    public var putAt: Moment
    /// APNs says that the token works no more.
    public var isDead: Bool

    public init(
        bundleID: String, environment: APNsEnvironment, topics: [String], locale: String?,
        frequentUpdates: Bool, appBuild: String?, osMajor: Int?, putAt: Moment, isDead: Bool
    ) {
        self.bundleID = bundleID
        self.environment = environment
        self.topics = topics
        self.locale = locale
        self.frequentUpdates = frequentUpdates
        self.appBuild = appBuild
        self.osMajor = osMajor
        self.putAt = putAt
        self.isDead = isDead
    }
}

/// On whose phones a card is to appear, and what came of it so far.
public struct AudienceReport: Hashable, Sendable {
    public var topics: [String]
    public var notBefore: Moment?
    /// Phones by the result of their start, of each up to `Limits.countedMax`.
    public var counts: [StartState: Int]
    /// When the next of the waiting and held ones is looked at.
    public var nextAt: Moment?
    /// Every phone that there was when the topics were put has been looked at.
    public var isComplete: Bool
    /// The activity has ended: nothing is started any more.
    public var isClosed: Bool
    /// Type of the event whose facts the card's attributes need; nothing is started before it.
    public var awaits: String?
    /// Of those that wait, the ones for whose app nothing is sent.
    public var deferred: [DeferredPhones]

    public init(
        topics: [String], notBefore: Moment?, counts: [StartState: Int], nextAt: Moment?,
        isComplete: Bool, isClosed: Bool, awaits: String? = nil, deferred: [DeferredPhones] = []
    ) {
        self.topics = topics
        self.notBefore = notBefore
        self.counts = counts
        self.nextAt = nextAt
        self.isComplete = isComplete
        self.isClosed = isClosed
        self.awaits = awaits
        self.deferred = deferred
    }
}

public enum StartPut: Hashable, Sendable {
    case new, changed
    /// Nothing else than what was there.
    case known
}

/// Phones on which cards may be started, and audiences of activities.
public protocol StartTokenStore: Sendable {
    /// Puts a phone's token and topics in place of those before. Living activities with one of
    /// the topics are started on it.
    func putToken(_ tenant: TenantID, _ wish: StartWish) async throws(EventStoreError) -> StartPut
    /// - Returns: how many tokens are gone: there is one for each app that has the installation.
    func removeToken(_ tenant: TenantID, _ installation: String, _ kind: String)
        async throws(EventStoreError) -> Int
    /// By bundle id.
    func tokens(_ tenant: TenantID, _ installation: String, _ kind: String)
        async throws(EventStoreError) -> [StartToken]
    /// Says on whose phones a card is to appear, in place of what was said before. What was
    /// started stays, and what only waited is found again.
    func putAudience(
        _ tenant: TenantID, _ activity: ActivityID, _ topics: [AudienceTopic], _ notBefore: Moment?
    ) async throws(EventStoreError) -> StartPut
    /// Nil when nobody put one.
    func audience(_ tenant: TenantID, _ activity: ActivityID) async throws(EventStoreError)
        -> AudienceReport?
}
