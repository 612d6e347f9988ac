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
    /// A BCP 47 language tag: in which language alerts are, such as `pt-BR`.
    public var locale: String?
    /// The app may update frequently and the person allows it:
    /// `ActivityAuthorizationInfo().frequentPushesEnabled`.
    public var frequentUpdates: Bool
    public var appBuild: String?
    /// Only from iOS 18 on can a start say how its card is updated.
    public var osMajor: Int

    public init(
        bundleID: String, environment: PushEnvironment,
        locale: String? = AppProfile.languageTag(of: .current), frequentUpdates: Bool = false,
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

    /// Language, script and region, without what the person has chosen beside them: a calendar or a
    /// first day of the week says nothing about an alert's words.
    /// - Returns: nil when the locale has no language.
    public static func languageTag(of locale: Locale) -> String? {
        let subtags = locale.identifier(.bcp47).split(separator: "-").prefix { $0.count > 1 }
        return subtags.isEmpty ? nil : String(subtags.joined(separator: "-"))
    }

    private enum CodingKeys: String, CodingKey {
        case environment, locale, frequentUpdates, appBuild, osMajor
        case bundleID = "bundleId"
    }
}

/// What a registration says.
struct TokenBody: Encodable {
    var pushToken: Secret
    var profile: AppProfile
    var installation: String

    private enum CodingKeys: String, CodingKey {
        case pushToken, installation
    }

    func encode(to encoder: any Encoder) throws {
        try profile.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(pushToken, forKey: .pushToken)
        try members.encode(installation, forKey: .installation)
    }
}
