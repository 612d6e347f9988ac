public import Domain

/// Broadcast channels: who wants one, what APNs calls it, what was sent to it.
public struct ChannelStore: Sendable {
    /// What became of one channel in a round.
    public struct Sent: Hashable, Sendable {
        public var channel: Channel
        public var outcome: BroadcastOutcome

        public init(channel: Channel, outcome: BroadcastOutcome) {
            self.channel = channel
            self.outcome = outcome
        }
    }

    /// Phones of one app that follow an activity, as far as they are known.
    public struct Followers: Hashable, Sendable {
        /// They are sent the activity's changes one by one.
        public var served: Int
        /// They were, and then asked for its channel.
        public var moved: Int
        /// They were told to listen to a channel, or their card was started so.
        public var listening: Int

        public init(served: Int = 0, moved: Int = 0, listening: Int = 0) {
            self.served = served
            self.moved = moved
            self.listening = listening
        }
    }

    /// Notes that a channel is wanted, unless there is one already.
    /// - Returns: the one there is now, and whether it is new.
    public var want:
        @Sendable (
            _ tenant: TenantID, _ activity: ActivityID, _ app: ChannelApp,
            _ storage: Channel.Storage
        ) async throws(EventStoreError) -> (channel: Channel, isNew: Bool)
    /// Notes that a channel is wanted for each app with which so many follow the activity.
    /// - Returns: the new ones.
    public var wantForFollowers:
        @Sendable (
            _ tenant: TenantID, _ activity: ActivityID, _ followers: Int
        ) async throws(EventStoreError) -> Int
    /// Of an activity, those of the app that are current, and the newest that is not.
    public var find:
        @Sendable (
            _ tenant: TenantID, _ activity: ActivityID, _ bundleID: String
        ) async throws(EventStoreError) -> [Channel]
    public var followers:
        @Sendable (
            _ tenant: TenantID, _ activity: ActivityID, _ app: ChannelApp
        ) async throws(EventStoreError) -> Followers
    /// Channels that somebody should look after now. Nobody else is given them for a minute.
    ///
    /// `now` is nil but in virtual time.
    public var take:
        @Sendable (_ limit: Int, _ now: Moment?) async throws(EventStoreError) -> [ChannelTask]
    /// Writes what became of a channel if it is still as it was read.
    public var change:
        @Sendable (
            _ channel: Channel, _ change: ChannelChange, _ now: Moment?
        ) async throws(EventStoreError) -> Bool
    /// Records what became of a round's broadcasts. In the place of a lost channel another one is
    /// wanted, unless the activity has ended.
    public var record:
        @Sendable (_ claim: DeliveryClaim, _ sent: [Sent]) async throws(EventStoreError) -> Void
    /// All current channels of all tenants.
    public var all: @Sendable () async throws(EventStoreError) -> [Channel]
    /// Open channels of an app.
    public var count: @Sendable (_ app: ChannelApp) async throws(EventStoreError) -> Int

    public init(
        want:
            @escaping @Sendable (
                _ tenant: TenantID, _ activity: ActivityID, _ app: ChannelApp,
                _ storage: Channel.Storage
            ) async throws(EventStoreError) -> (channel: Channel, isNew: Bool),
        wantForFollowers:
            @escaping @Sendable (
                _ tenant: TenantID, _ activity: ActivityID, _ followers: Int
            ) async throws(EventStoreError) -> Int,
        find:
            @escaping @Sendable (
                _ tenant: TenantID, _ activity: ActivityID, _ bundleID: String
            ) async throws(EventStoreError) -> [Channel],
        followers:
            @escaping @Sendable (
                _ tenant: TenantID, _ activity: ActivityID, _ app: ChannelApp
            ) async throws(EventStoreError) -> Followers,
        take:
            @escaping @Sendable (_ limit: Int, _ now: Moment?) async throws(EventStoreError)
            -> [ChannelTask],
        change:
            @escaping @Sendable (
                _ channel: Channel, _ change: ChannelChange, _ now: Moment?
            ) async throws(EventStoreError) -> Bool,
        record:
            @escaping @Sendable (_ claim: DeliveryClaim, _ sent: [Sent])
            async throws(EventStoreError) -> Void,
        all: @escaping @Sendable () async throws(EventStoreError) -> [Channel],
        count: @escaping @Sendable (_ app: ChannelApp) async throws(EventStoreError) -> Int
    ) {
        self.want = want
        self.wantForFollowers = wantForFollowers
        self.find = find
        self.followers = followers
        self.take = take
        self.change = change
        self.record = record
        self.all = all
        self.count = count
    }
}
