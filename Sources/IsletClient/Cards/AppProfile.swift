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
    /// A BCP 47 language tag: in which language alerts are, such as `pt-BR`. An identifier of a
    /// `Locale` (`pt_BR`) becomes the tag that it means, and nil what means none: Islet refuses a
    /// phone whose language is no tag.
    public var locale: String? { didSet { locale = Self.languageTag(locale) } }
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
        self.locale = Self.languageTag(locale)
        self.frequentUpdates = frequentUpdates
        self.appBuild = appBuild
        self.osMajor = osMajor
    }

    /// Language, script and region, without what the person has chosen beside them: a calendar or a
    /// first day of the week says nothing about an alert's words.
    /// - Returns: nil when the locale has no language.
    public static func languageTag(of locale: Locale) -> String? {
        let tag = languageTag(locale.identifier(.bcp47))
        return tag == "und" || tag == "root" ? nil : tag
    }

    /// Without extensions, nor what an identifier of a `Locale` has behind an `@`.
    private static func languageTag(_ text: String?) -> String? {
        guard let name = text?.split(separator: "@", omittingEmptySubsequences: false).first
        else { return nil }
        let parts = name.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
        let subtags = parts.prefix { $0.count != 1 }
        let isTag = subtags.allSatisfy { subtag in
            (2...8).contains(subtag.count)
                && subtag.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        }
        guard isTag, subtags.first?.allSatisfy(\.isLetter) == true else { return nil }
        return subtags.joined(separator: "-")
    }
}

/// What a registration says.
struct TokenBody: Encodable {
    var pushToken: Secret
    var profile: AppProfile
    var installation: String

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: TokenMember.self)
        try members.encode(pushToken, forKey: .pushToken)
        try members.encode(installation, forKey: .installation)
        try members.encode(profile)
    }
}

/// What Islet takes with a token.
enum TokenMember: String, CodingKey {
    case pushToken, environment, installation, kind, topics, locale, frequentUpdates, appBuild
    case osMajor
    case bundleID = "bundleId"
}

extension KeyedEncodingContainer<TokenMember> {
    mutating func encode(_ profile: AppProfile) throws {
        try encode(profile.environment, forKey: .environment)
        try encode(profile.bundleID, forKey: .bundleID)
        try encodeIfPresent(profile.locale, forKey: .locale)
        try encode(profile.frequentUpdates, forKey: .frequentUpdates)
        try encodeIfPresent(profile.appBuild, forKey: .appBuild)
        try encode(profile.osMajor, forKey: .osMajor)
    }
}

extension KeyedDecodingContainer<TokenMember> {
    func profile() throws -> AppProfile {
        AppProfile(
            bundleID: try decode(String.self, forKey: .bundleID),
            environment: try decode(PushEnvironment.self, forKey: .environment),
            locale: try decodeIfPresent(String.self, forKey: .locale),
            frequentUpdates: try decode(Bool.self, forKey: .frequentUpdates),
            appBuild: try decodeIfPresent(String.self, forKey: .appBuild),
            osMajor: try decode(Int.self, forKey: .osMajor))
    }
}
