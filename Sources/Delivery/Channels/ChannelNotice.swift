public import Domain

/// What operators should know about channels; never holds what is sent to them.
public enum ChannelNotice: Hashable, Sendable {
    /// APNs no longer knows a channel: whoever listened to it hears nothing more.
    case lost(ChannelApp)
    /// A channel may have been made whose name nobody noted; `islet channels sweep` finds it.
    case unaccounted(ChannelApp)
    /// The app has as many channels as Apple allows; `islet channels sweep` may find some that
    /// nobody needs.
    case limitReached(ChannelApp)
    case nearLimit(ChannelApp, count: Int)
    /// Broadcasting is not enabled for the app on Apple's developer site.
    case featureDisabled(ChannelApp)
    /// APNs refused what was asked of it; it is tried again later where that may help.
    case refused(ChannelApp, reason: String)
    /// No answer from APNs.
    case unanswered(ChannelApp, reason: String)
}
