/// What one answer means for the phone or the channel, and for the sender.
///
/// Source of the classes: Handling notification responses from APNs; Handling error responses from
/// APNs. A live card must not wait the 15 minutes that Apple suggests for 5xx, so the newest state
/// is tried again sooner.
public enum DeliveryVerdict: Hashable, Sendable {
    /// Done, or accepted for best-effort delivery; never proof of arrival.
    case accepted
    /// Worth another attempt with whatever state is newest then.
    case retryLater
    /// The token is dead; `sinceMilliseconds` is when APNs learned it, compared with the time of
    /// registration before anything is dropped.
    case tokenDead(sinceMilliseconds: Int64?)
    /// The token does not belong to this environment or app, and is not to be pushed to again. One
    /// is a bad token; many phones' at once are a configuration mistake.
    case tokenUnfit
    /// APNs has no such channel here: it is gone, or of the other environment.
    case channelGone
    /// The app has as many channels as Apple allows: old ones must go first.
    case limitReached
    /// The app lacks the broadcast capability: no channel works until a person enables it.
    case featureDisabled
    /// This request is malformed: a bug here, repeating it would not help.
    case requestRefused
    /// The provider token or the key is at fault: no push will work until a person acts.
    case credentialsRefused
    /// The connection's provider token is too old or belongs elsewhere: use a new connection.
    case connectionUnfit

    public init(_ response: PushResponse) {
        if (200..<300).contains(response.status) {
            self = .accepted
            return
        }
        switch response.reason {
        case .known(let reason):
            self = Self.verdict(of: reason, response.timestampMilliseconds)
        case .unknown, .none:
            self = Self.verdict(ofStatus: response.status, response.timestampMilliseconds)
        }
    }

    private static func verdict(of reason: Reason.Known, _ since: Int64?) -> DeliveryVerdict {
        switch reason {
        case .badDeviceToken, .deviceTokenNotForTopic: .tokenUnfit
        case .expiredToken, .unregistered: .tokenDead(sinceMilliseconds: since)
        case .channelNotRegistered: .channelGone
        case .cannotCreateChannelConfig: .limitReached
        case .featureNotEnabled: .featureDisabled
        case .expiredProviderToken, .unrelatedKeyIdInToken: .connectionUnfit
        case .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyIdInToken, .forbidden,
            .invalidProviderToken, .missingProviderToken, .topicDisallowed, .badTopic,
            .topicMismatch:
            .credentialsRefused
        case .idleTimeout, .tooManyProviderTokenUpdates, .tooManyRequests, .internalServerError,
            .serviceUnavailable, .serviceUnavailableSpaced, .shutdown:
            .retryLater
        case .badCollapseId, .badExpirationDate, .badMessageId, .badPriority, .duplicateHeaders,
            .invalidPushType, .missingDeviceToken, .missingTopic, .payloadEmpty, .badPath,
            .methodNotAllowed, .payloadTooLarge, .missingChannelId, .badChannelId,
            .badRequestParams, .badRequestPayload, .missingPushType:
            .requestRefused
        }
    }

    private static func verdict(ofStatus status: Int, _ since: Int64?) -> DeliveryVerdict {
        switch status {
        case 403: .credentialsRefused
        case 410: .tokenDead(sinceMilliseconds: since)
        case 429, 500...: .retryLater
        default: .requestRefused
        }
    }
}
