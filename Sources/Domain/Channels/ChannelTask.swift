/// Where the activity of a channel stands, as far as the channel is concerned.
public enum ActivityStanding: Hashable, Sendable {
    /// No event has named it yet.
    case unknown
    case live
    /// - Parameter cardGoneAt: when the last card of it is dismissed.
    case ended(cardGoneAt: Moment)
}

/// A channel that is to be looked after, held for a while by whoever took it.
public struct ChannelTask: Hashable, Sendable {
    /// The channel as it is stored.
    public var channel: Channel
    /// Whether its activity still needs it.
    public var activity: ActivityStanding
    /// What the clock said when it was taken.
    public var takenAt: Moment

    public init(channel: Channel, activity: ActivityStanding, takenAt: Moment) {
        self.channel = channel
        self.activity = activity
        self.takenAt = takenAt
    }
}
