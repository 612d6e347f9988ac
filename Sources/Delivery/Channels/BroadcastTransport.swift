public import APNs
public import Domain

/// How broadcasts are sent, and calls that manage channels. The live one has connections of
/// its own for both: a broadcast must not queue behind a million pushes.
public typealias BroadcastTransport = @Sendable (TenantApp, APNsRequest) async -> PushResult

/// What operators should know about channels; never has what is sent to them.
public enum ChannelDiagnostic: Hashable, Sendable {
    /// APNs no longer knows a channel: the phones that listened to it get nothing more.
    case lost(AppInEnvironment)
    /// A channel may have been made whose name nobody noted; `islet channels sweep` finds it.
    case unaccounted(AppInEnvironment)
    /// The app has as many channels as Apple allows; `islet channels sweep` may find some that
    /// nobody needs.
    case limitReached(AppInEnvironment)
    case nearLimit(AppInEnvironment, count: Int)
    /// Broadcasting is not enabled for the app on Apple's developer site.
    case featureDisabled(AppInEnvironment)
    /// APNs refuses the app's key for channels, which says nothing of its pushes. It is tried
    /// again.
    case keyRefused(AppInEnvironment, reason: String)
    /// APNs refused what was asked of it; it is tried again later where that may help.
    case refused(AppInEnvironment, reason: String)
    /// No answer from APNs.
    case unanswered(AppInEnvironment, reason: String)
    /// APNs answers that it cannot do it just now. It is tried again.
    case notTaken(AppInEnvironment, reason: String)
}

extension PushResult {
    /// Nil when there is nothing that anybody need know.
    func diagnostic(about app: AppInEnvironment) -> Sender.Diagnostic? {
        guard case .answered(let response) = self else {
            if case .deferred = self { return nil }
            return .channel(.unanswered(app, reason: failure))
        }
        switch response.verdict {
        case .accepted: return nil
        case .retryLater, .connectionUnfit:
            return .channel(.notTaken(app, reason: response.failure))
        case .channelGone: return .channel(.lost(app))
        case .limitReached: return .channel(.limitReached(app))
        case .featureDisabled: return .channel(.featureDisabled(app))
        case .requestRefused, .tokenDead, .tokenUnfit:
            return .channel(.refused(app, reason: response.failure))
        case .credentialsRefused: return .channel(.keyRefused(app, reason: response.failure))
        }
    }
}
