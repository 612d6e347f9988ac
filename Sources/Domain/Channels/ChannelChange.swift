/// What becomes of a channel that was looked after.
public struct ChannelChange: Hashable, Sendable {
    /// The state after the change.
    public var state: Channel.State
    /// Of one that has just been opened; nil leaves it as it is.
    public var channelID: String?
    /// Failed requests in a row.
    public var attempts: Int
    /// When APNs is to be asked for it again.
    public var retryAt: Moment?
    /// Why the last one failed.
    public var failure: String?

    public init(
        _ state: Channel.State, channelID: String? = nil, attempts: Int = 0,
        retryAt: Moment? = nil, failure: String? = nil
    ) {
        self.state = state
        self.channelID = channelID
        self.attempts = attempts
        self.retryAt = retryAt
        self.failure = failure
    }
}

/// What became of one broadcast.
public enum BroadcastOutcome: Hashable, Sendable {
    /// The version is that of the newest decision whose push this was.
    case accepted(version: Int64)
    /// The channel is owed the newest state from then on.
    case retry(at: Moment, reason: String)
    /// APNs does not know the channel.
    case lost(reason: String)
    /// This one cannot succeed and repeating it would not help; later changes are still sent.
    case refused(reason: String)
}
