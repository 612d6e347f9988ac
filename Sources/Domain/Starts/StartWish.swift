/// A phone on which cards may be started although the app is not running.
public struct StartWish: Hashable, Sendable {
    /// The app's own name for its copy on this phone.
    @ByBytes public var installation: String
    /// Name of the activity kind: ActivityKit has one token for each attributes type.
    @ByBytes public var kind: String
    /// ActivityKit's push-to-start token.
    public var token: PushToken
    /// Which of Apple's environments the token belongs to.
    public var environment: APNsEnvironment
    /// The app's bundle id, without the push-type suffix.
    @ByBytes public var bundleID: String
    /// What the person follows; sorted, each once, at least one.
    public var topics: [AudienceTopic]
    /// BCP 47, such as `pt-BR`.
    public var locale: String?
    /// Whether the person allows frequent updates.
    public var frequentUpdates: Bool
    /// As the app names its build.
    public var appBuild: String?
    /// The major version of iOS.
    public var osMajor: Int?

    public init(
        installation: String, kind: String, token: PushToken, environment: APNsEnvironment,
        bundleID: String, topics: [AudienceTopic], locale: String? = nil,
        frequentUpdates: Bool = false, appBuild: String? = nil, osMajor: Int? = nil
    ) {
        self.installation = installation
        self.kind = kind
        self.token = token
        self.environment = environment
        self.bundleID = bundleID
        self.topics = Set(topics).sorted()
        self.locale = locale
        self.frequentUpdates = frequentUpdates
        self.appBuild = appBuild
        self.osMajor = osMajor
    }
}
