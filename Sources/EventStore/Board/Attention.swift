public import Domain

/// What of a tenant's operation needs a hand. Of each sort up to a bound are counted.
public struct Attention: Hashable, Sendable {
    public var faulted: Int
    /// Neither ended nor in time.
    public var late: Int
    public var deferred: [DeferredPhones]
    public var alarms: [AppAlarm]
    /// When the first event that is not folded yet was recorded; nil when all are.
    public var unfoldedSince: Moment?
    public var progress: Progress
    /// Whether a phone has ever registered, and APNs ever accepted a push.
    public var hasPhone: Bool
    public var hasPush: Bool

    public init(
        faulted: Int = 0, late: Int = 0, deferred: [DeferredPhones] = [], alarms: [AppAlarm] = [],
        unfoldedSince: Moment? = nil, progress: Progress, hasPhone: Bool = false,
        hasPush: Bool = false
    ) {
        self.faulted = faulted
        self.late = late
        self.deferred = deferred
        self.alarms = alarms
        self.unfoldedSince = unfoldedSince
        self.progress = progress
        self.hasPhone = hasPhone
        self.hasPush = hasPush
    }
}
