public import Domain

/// One phone's wish to be kept up to date about one activity.
public struct Registration: Hashable, Sendable {
    public var id: Int64
    public var tenant: TenantID
    public var activityID: ActivityID
    public var pushToken: PushToken
    public var environment: APNsEnvironment
    /// The app's bundle id, without the push-type suffix.
    @ByBytes public var bundleID: String
    /// Version of the newest decision of which it is written down that APNs accepted its push; 0
    /// for none. A phone that is up to date has had all that was completed, whatever this says.
    public var sentVersion: Int64
    /// Failed attempts since the last success.
    public var attempts: Int
    public var registeredAt: Moment
    /// What the phone is set to, as a BCP 47 tag; nil when the app did not say.
    public var locale: String?
    public var tier: PhoneTier
    /// Grows whenever the phone registers again.
    public var tokenVersion: Int
    /// It is to be sent the newest state, now or later, whether something changes or not.
    public var isOwed: Bool
    /// The app's own name for its copy on the phone; nil when the app did not say.
    @ByBytes public var installation: String?
    /// APNs has accepted a push to this token.
    public var isProven: Bool

    public var app: TenantApp {
        TenantApp(tenant: tenant, bundleID: bundleID, environment: environment)
    }

    public init(
        id: Int64, tenant: TenantID, activityID: ActivityID, pushToken: PushToken,
        environment: APNsEnvironment, bundleID: String, sentVersion: Int64, attempts: Int,
        registeredAt: Moment, tokenVersion: Int, locale: String? = nil,
        tier: PhoneTier = .standard, isOwed: Bool = false, installation: String? = nil,
        isProven: Bool = false
    ) {
        self.id = id
        self.tenant = tenant
        self.activityID = activityID
        self.pushToken = pushToken
        self.environment = environment
        self.bundleID = bundleID
        self.sentVersion = sentVersion
        self.attempts = attempts
        self.registeredAt = registeredAt
        self.locale = locale
        self.tier = tier
        self.tokenVersion = tokenVersion
        self.isOwed = isOwed
        self.installation = installation
        self.isProven = isProven
    }

    /// Nothing failed since it was last sent something, and it is owed nothing.
    public var isUpToDate: Bool { attempts == 0 && !isOwed }
}

/// What a request makes of the cards that it is about; pure.
public typealias CardRules = @Sendable (_ request: CardRequest, _ cards: Cards) -> CardChange

/// The phones that are to be sent something.
public protocol RegistrationStore: Sendable {
    /// Carries out what the rules say: all of it or nothing. They are asked again when someone else
    /// was quicker.
    /// - Returns: their last word, and the id of the named card if there is one.
    func change(
        _ tenant: TenantID, _ activity: ActivityID, _ request: CardRequest, _ rules: CardRules
    ) async throws(EventStoreError) -> (change: CardChange, id: Int64?)
    /// How much the tenant keeps of phones and for them, on all activities: registrations, phones
    /// that listen to channels or on which cards may be started, audiences and channels.
    /// - Parameter most: as far as it is counted.
    func kept(_ tenant: TenantID, _ most: Int) async throws(EventStoreError) -> Int
    /// Those of the activity's cards that were not served any more at a time, or are not now.
    func tally(_ tenant: TenantID, _ activity: ActivityID, _ at: Moment?)
        async throws(EventStoreError) -> CardTally
    /// Those that missed something when a push failed, and got it by a later one.
    func behind(_ tenant: TenantID, _ activity: ActivityID) async throws(EventStoreError)
        -> PhonesBehind
}
