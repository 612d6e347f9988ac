/// Why APNs refused a request about channels. Reasons that Apple adds later are kept as `unknown`.
///
/// Source: Handling error responses from APNs; Sending channel management requests to APNs.
public enum BroadcastReason: Hashable, Sendable {
    /// A reason from Apple's table for channels.
    public enum Known: String, CaseIterable, Sendable {
        case featureNotEnabled = "FeatureNotEnabled"
        case missingChannelId = "MissingChannelId"
        case badChannelId = "BadChannelId"
        case channelNotRegistered = "ChannelNotRegistered"
        case badRequestParams = "BadRequestParams"
        case badRequestPayload = "BadRequestPayload"
        case payloadEmpty = "PayloadEmpty"
        case badMessageId = "BadMessageId"
        case badPriority = "BadPriority"
        case missingPushType = "MissingPushType"
        case invalidPushType = "InvalidPushType"
        case cannotCreateChannelConfig = "CannotCreateChannelConfig"
        case badExpirationDate = "BadExpirationDate"
        case topicDisallowed = "TopicDisallowed"
        case topicMismatch = "TopicMismatch"
        case badCertificate = "BadCertificate"
        case badCertificateEnvironment = "BadCertificateEnvironment"
        case missingProviderToken = "MissingProviderToken"
        case expiredProviderToken = "ExpiredProviderToken"
        case invalidProviderToken = "InvalidProviderToken"
        case badPath = "BadPath"
        case methodNotAllowed = "MethodNotAllowed"
        case payloadTooLarge = "PayloadTooLarge"
        case tooManyRequests = "TooManyRequests"
        case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
        case internalServerError = "InternalServerError"
        /// Apple prints it with a space here and without one for device pushes.
        case serviceUnavailable = "Service Unavailable"
        case shutdown = "Shutdown"
    }

    case known(Known)
    case unknown(String)

    /// - Parameter text: of anybody who answers in APNs' place.
    public init(_ text: String) {
        let spelled = text == "ServiceUnavailable" ? Known.serviceUnavailable.rawValue : text
        self =
            Known(rawValue: spelled).map(BroadcastReason.known)
            ?? .unknown(Reason.printable(text))
    }

    /// The reason as Apple spells it.
    public var text: String {
        switch self {
        case .known(let known): known.rawValue
        case .unknown(let text): text
        }
    }
}
