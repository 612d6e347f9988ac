public import Domain

/// The result of one channel in a fan-out.
public typealias SentBroadcast = (channel: Channel, result: BroadcastResult)

/// Phones of one app that follow an activity, as far as they are known, of each sort up to
/// `Limits.countedMax`.
public struct ChannelFollowers: Hashable, Sendable {
    /// They are sent the activity's changes one by one.
    public var served: Int
    /// They were, and then asked for its channel.
    public var moved: Int
    /// They were asked to listen to a channel, or their card was started so.
    public var listening: Int

    public init(served: Int = 0, moved: Int = 0, listening: Int = 0) {
        self.served = served
        self.moved = moved
        self.listening = listening
    }
}

/// Broadcast channels: who wants one, what APNs calls it, what was sent to it.
public protocol ChannelStore: Sendable {
    /// Notes that a channel is wanted, unless there is one already.
    /// - Returns: the one there is now, and whether it is new.
    func want(
        _ tenant: TenantID, _ activity: ActivityID, _ app: AppInEnvironment,
        _ storage: Channel.Storage
    ) async throws(EventStoreError) -> (channel: Channel, isNew: Bool)
    /// Notes that a channel is wanted for each app with which so many follow the activity. What it
    /// reads is bounded, and with very many apps it may miss some.
    /// - Returns: the new ones.
    func wantForFollowers(_ tenant: TenantID, _ activity: ActivityID, _ followers: Int)
        async throws(EventStoreError) -> Int
    /// Of an activity, those of the app that are current, and the newest that is not.
    func find(_ tenant: TenantID, _ activity: ActivityID, _ bundleID: String)
        async throws(EventStoreError) -> [Channel]
    func followers(_ tenant: TenantID, _ activity: ActivityID, _ app: AppInEnvironment)
        async throws(EventStoreError) -> ChannelFollowers
    /// Channels that somebody should look after now, those of tenants in turns, of each the ones
    /// that are due for longest. Nobody else is given them for a while.
    ///
    /// `now` is nil but in virtual time.
    func take(_ limit: Int, _ now: Moment?) async throws(EventStoreError) -> [ChannelTask]
    /// Writes the result of a request about a channel, if the row is still as it was read.
    func change(_ channel: Channel, _ change: ChannelChange, _ now: Moment?)
        async throws(EventStoreError) -> Bool
    /// Records the results of a fan-out's broadcasts. A lost channel is replaced by a wish for
    /// another one, unless the activity has ended.
    func record(_ claim: DeliveryClaim, _ sent: [SentBroadcast]) async throws(EventStoreError)
    /// Notes that APNs has deleted all channels of an app that were open by a time. Each is
    /// replaced by the wish for another one; that of an activity that has ended is withdrawn later.
    func loseAll(_ app: TenantApp, openedBy time: Moment, _ wish: ChannelChange)
        async throws(EventStoreError)
    /// All current channels of all tenants.
    func all() async throws(EventStoreError) -> [Channel]
    /// Open channels of an app.
    func count(_ app: AppInEnvironment) async throws(EventStoreError) -> Int
}
