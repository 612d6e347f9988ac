/// What one answer means for a channel and for the sender.
///
/// Source of the classes: Handling error responses from APNs.
public enum BroadcastVerdict: Hashable, Sendable {
    /// Done, or accepted for best-effort delivery to the phones that listen.
    case accepted
    /// Worth another attempt, of a broadcast with whatever state is newest then.
    case retryLater
    /// APNs has no such channel here: it is gone, or of the other environment.
    case channelGone
    /// The app has as many channels as Apple allows: old ones must go first.
    case limitReached
    /// The app lacks the broadcast capability: no channel works until a person enables it.
    case featureDisabled
    /// This request is malformed: a bug here, repeating it would not help.
    case requestRefused
    /// The provider token or the key is at fault: nothing will work until a person acts.
    case credentialsRefused

    public init(_ response: BroadcastResponse) {
        if (200..<300).contains(response.status) {
            self = .accepted
            return
        }
        switch response.reason {
        case .known(let reason): self = Self.verdict(of: reason)
        case .unknown, .none: self = Self.verdict(ofStatus: response.status)
        }
    }

    private static func verdict(of reason: BroadcastReason.Known) -> BroadcastVerdict {
        switch reason {
        case .channelNotRegistered: .channelGone
        case .cannotCreateChannelConfig: .limitReached
        case .featureNotEnabled: .featureDisabled
        case .topicMismatch, .topicDisallowed, .badCertificate, .badCertificateEnvironment,
            .missingProviderToken, .invalidProviderToken:
            .credentialsRefused
        // The client has tried a new token on a new connection already.
        case .expiredProviderToken, .tooManyProviderTokenUpdates, .tooManyRequests,
            .internalServerError, .serviceUnavailable, .shutdown:
            .retryLater
        case .missingChannelId, .badChannelId, .badRequestParams, .badRequestPayload,
            .payloadEmpty, .badMessageId, .badPriority, .missingPushType, .invalidPushType,
            .badExpirationDate, .badPath, .methodNotAllowed, .payloadTooLarge:
            .requestRefused
        }
    }

    private static func verdict(ofStatus status: Int) -> BroadcastVerdict {
        switch status {
        case 403: .credentialsRefused
        case 429, 500...: .retryLater
        default: .requestRefused
        }
    }
}
