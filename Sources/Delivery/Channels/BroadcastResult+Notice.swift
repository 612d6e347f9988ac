import APNs
import APNsClient
import Domain

extension BroadcastResult {
    var response: BroadcastResponse? {
        if case .answered(let response) = self { response } else { nil }
    }

    /// Why there was no answer.
    var reason: String {
        switch self {
        case .answered: ""
        case .notAnswered(let reason, _), .deferred(let reason): reason
        }
    }

    /// Nil when there is nothing that anybody need know.
    func notice(about app: ChannelApp) -> Sender.Notice? {
        if case .deferred = self { return nil }
        guard let response else { return .channel(.unanswered(app, reason: reason)) }
        switch response.verdict {
        case .accepted, .retryLater: return nil
        case .channelGone: return .channel(.lost(app))
        case .limitReached: return .channel(.limitReached(app))
        case .featureDisabled: return .channel(.featureDisabled(app))
        case .requestRefused: return .channel(.refused(app, reason: response.failure))
        case .credentialsRefused: return .credentialsRefused(reason: response.failure)
        }
    }
}
