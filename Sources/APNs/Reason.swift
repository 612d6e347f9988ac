/// Why APNs refused a request. Reasons that Apple adds later are kept as `unknown`.
///
/// Source: Handling notification responses from APNs; Handling error responses from APNs.
public enum Reason: Hashable, Sendable {
    /// A reason from Apple's tables for pushes to devices, and for broadcasts and channels.
    public enum Known: String, CaseIterable, Sendable {
        case badCollapseId = "BadCollapseId"
        case badDeviceToken = "BadDeviceToken"
        case badExpirationDate = "BadExpirationDate"
        case badMessageId = "BadMessageId"
        case badPriority = "BadPriority"
        case badTopic = "BadTopic"
        case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
        case duplicateHeaders = "DuplicateHeaders"
        case idleTimeout = "IdleTimeout"
        case invalidPushType = "InvalidPushType"
        case missingDeviceToken = "MissingDeviceToken"
        case missingTopic = "MissingTopic"
        case payloadEmpty = "PayloadEmpty"
        case topicDisallowed = "TopicDisallowed"
        case badCertificate = "BadCertificate"
        case badCertificateEnvironment = "BadCertificateEnvironment"
        case badEnvironmentKeyIdInToken = "BadEnvironmentKeyIdInToken"
        case expiredProviderToken = "ExpiredProviderToken"
        case forbidden = "Forbidden"
        case invalidProviderToken = "InvalidProviderToken"
        case missingProviderToken = "MissingProviderToken"
        case unrelatedKeyIdInToken = "UnrelatedKeyIdInToken"
        case badPath = "BadPath"
        case methodNotAllowed = "MethodNotAllowed"
        case expiredToken = "ExpiredToken"
        case unregistered = "Unregistered"
        case payloadTooLarge = "PayloadTooLarge"
        case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
        case tooManyRequests = "TooManyRequests"
        case internalServerError = "InternalServerError"
        case serviceUnavailable = "ServiceUnavailable"
        case shutdown = "Shutdown"
        // Of broadcasts and channels only.
        case featureNotEnabled = "FeatureNotEnabled"
        case missingChannelId = "MissingChannelId"
        case badChannelId = "BadChannelId"
        case channelNotRegistered = "ChannelNotRegistered"
        case badRequestParams = "BadRequestParams"
        case badRequestPayload = "BadRequestPayload"
        case missingPushType = "MissingPushType"
        case cannotCreateChannelConfig = "CannotCreateChannelConfig"
        case topicMismatch = "TopicMismatch"
        /// Apple prints it with a space there.
        case serviceUnavailableSpaced = "Service Unavailable"
    }

    case known(Known)
    case unknown(String)

    /// - Parameter text: of anybody who answers in APNs' place.
    public init(_ text: String) {
        self = Known(rawValue: text).map(Reason.known) ?? .unknown(Self.printable(text))
    }

    /// Of a text that is none of Apple's, what can be printed, up to 64 bytes.
    private static func printable(_ text: String) -> String {
        let plain = text.utf8.lazy.filter { (0x21..<0x7F).contains($0) }.prefix(64)
        return String(decoding: Array(plain), as: UTF8.self)
    }

    /// The reason as Apple spells it.
    public var text: String {
        switch self {
        case .known(let known): known.rawValue
        case .unknown(let text): text
        }
    }
}
