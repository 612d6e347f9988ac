public import Foundation

/// Which of Apple's two worlds a copy of an app is of: it is `sandbox` when Xcode has installed it.
public enum PushEnvironment: String, Codable, Sendable {
    case sandbox, production
}

/// What an app and its phone say with each push token.
public struct AppProfile: Hashable, Codable, Sendable {
    /// Without a push-type suffix.
    public var bundleID: String
    public var environment: PushEnvironment
    /// A BCP 47 language tag: in which language alerts are.
    public var locale: String?
    /// The app may update frequently and the person allows it:
    /// `ActivityAuthorizationInfo().frequentPushesEnabled`.
    public var frequentUpdates: Bool
    public var appBuild: String?
    /// Only from iOS 18 on can a start say how its card is updated.
    public var osMajor: Int

    public init(
        bundleID: String, environment: PushEnvironment,
        locale: String? = Locale.current.identifier(.bcp47), frequentUpdates: Bool = false,
        appBuild: String? = nil,
        osMajor: Int = ProcessInfo.processInfo.operatingSystemVersion.majorVersion
    ) {
        self.bundleID = bundleID
        self.environment = environment
        self.locale = locale
        self.frequentUpdates = frequentUpdates
        self.appBuild = appBuild
        self.osMajor = osMajor
    }
}

/// What both a registration and a start token say.
struct TokenBody: Encodable {
    var pushToken: Secret
    var profile: AppProfile
    var installation: String?
    var topics: [String]?

    private enum CodingKeys: String, CodingKey {
        case pushToken, environment, installation, topics, locale, frequentUpdates, appBuild
        case osMajor
        case bundleID = "bundleId"
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(pushToken, forKey: .pushToken)
        try members.encode(profile.environment, forKey: .environment)
        try members.encode(profile.bundleID, forKey: .bundleID)
        try members.encodeIfPresent(installation, forKey: .installation)
        try members.encodeIfPresent(topics, forKey: .topics)
        try members.encodeIfPresent(profile.locale, forKey: .locale)
        try members.encode(profile.frequentUpdates, forKey: .frequentUpdates)
        try members.encodeIfPresent(profile.appBuild, forKey: .appBuild)
        try members.encode(profile.osMajor, forKey: .osMajor)
    }
}
