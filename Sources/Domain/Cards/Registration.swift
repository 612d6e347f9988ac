/// One phone's wish to be kept up to date about one activity.
public struct Registration: Hashable, Sendable {
    /// Islet's own number for it.
    public var id: Int64
    /// The tenant of the activity.
    public var tenant: TenantID
    /// The activity that the phone shows.
    public var activityID: ActivityID
    /// Where pushes go.
    public var pushToken: PushToken
    /// Which of Apple's environments knows the token.
    public var environment: APNsEnvironment
    /// The app's bundle id, without the push-type suffix.
    @ByBytes public var bundleID: String
    /// Version of the newest decision of which it is written down that APNs accepted its push; 0
    /// for none. A phone that is up to date has had all that was completed, whatever this says.
    public var sentVersion: Int64
    /// Failed attempts since the last success.
    public var attempts: Int
    /// When the phone registered last.
    public var registeredAt: Moment
    /// What the phone is set to, as a BCP 47 tag; nil when the app did not say.
    public var locale: String?
    /// Which budget the phone has.
    public var tier: PhoneTier
    /// Grows whenever the phone registers again.
    public var tokenVersion: Int
    /// It is to be sent the newest state, now or later, whether something changes or not.
    public var isOwed: Bool
    /// The app's own name for its copy on the phone; nil when the app did not say.
    @ByBytes public var installation: String?
    /// APNs has accepted a push to this token.
    public var isProven: Bool

    /// The app that the card belongs to.
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
