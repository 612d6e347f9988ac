public import Domain

/// What of a tenant's operation needs a hand. Each sort is counted up to a bound.
public struct Attention: Hashable, Sendable {
    public var blocked = 0
    /// Events that are parked and block no activity.
    public var parked = 0
    /// Activities that are neither ended nor in time.
    public var late = 0
    public var deferred: [DeferredPhones] = []
    public var alarms: [AppAlarm] = []
    /// When the first event that is not folded yet was recorded; nil when all are.
    public var unfoldedSince: Moment?
    public var freshness: Freshness
    /// Whether a phone has ever registered, and APNs ever accepted a push for a phone or a channel.
    public var hasPhone = false
    public var hasPush = false

    public init(freshness: Freshness) { self.freshness = freshness }
}
