/// What all who follow one activity with one app listen to: one broadcast reaches them all.
public struct Channel: Hashable, Sendable {
    /// Where it stands. A channel only moves on; one that is needed again is another one.
    public enum State: String, CaseIterable, Sendable {
        case wanted
        /// APNs is being asked for it. Noted beforehand, so that one whose asker died is missed.
        case creating
        case open
        /// APNs no longer knows it; nobody listens any more.
        case lost
        case deleted
        /// The activity ended before there was one, or nobody reported anything for it in a month.
        case withdrawn

        /// Whether it exists or is about to.
        public var isCurrent: Bool {
            switch self {
            case .wanted, .creating, .open: true
            case .lost, .deleted, .withdrawn: false
            }
        }
    }

    /// What APNs keeps for phones that are away; never to be changed.
    public enum Storage: String, CaseIterable, Sendable {
        /// Nothing: only phones that are connected hear a broadcast, and more may be sent.
        case none
        /// The newest message, up to 8 hours.
        case newest
    }

    /// Islet's own number for it.
    public var id: Int64
    /// The tenant of the activity.
    public var tenant: TenantID
    /// The activity that is followed.
    public var activityID: ActivityID
    /// The app whose copies listen.
    public var app: AppInEnvironment
    /// What APNs keeps for phones that are away.
    public var storage: Storage
    /// Where it stands in its life.
    public var state: State
    /// Apple's name for it, base64; nil until it is open.
    public var channelID: String?
    /// Version of the newest decision whose broadcast APNs accepted; 0 for none.
    public var sentVersion: Int64
    /// Failed ones since the last success: to make it, then to send to it.
    public var attempts: Int
    /// When a wanted one is to be asked for, and an open one is owed the newest state; nil: it is
    /// not.
    public var retryAt: Moment?
    /// Why the last request failed.
    public var lastFailure: String?
    /// When it was first wanted.
    public var wantedAt: Moment
    /// When APNs had made it.
    public var openedAt: Moment?

    /// The app with its tenant.
    public var tenantApp: TenantApp { TenantApp(tenant: tenant, app: app) }

    public init(
        id: Int64, tenant: TenantID, activityID: ActivityID, app: AppInEnvironment,
        storage: Storage = .none, state: State = .wanted, channelID: String? = nil,
        sentVersion: Int64 = 0, attempts: Int = 0, retryAt: Moment? = nil,
        lastFailure: String? = nil, wantedAt: Moment, openedAt: Moment? = nil
    ) {
        self.id = id
        self.tenant = tenant
        self.activityID = activityID
        self.app = app
        self.storage = storage
        self.state = state
        self.channelID = channelID
        self.sentVersion = sentVersion
        self.attempts = attempts
        self.retryAt = retryAt
        self.lastFailure = lastFailure
        self.wantedAt = wantedAt
        self.openedAt = openedAt
    }
}

/// Broadcasts of one change: how many APNs accepted, and how many it did not. They say nothing
/// about phones.
public struct ChannelTally: Hashable, Sendable, Codable {
    /// Broadcasts that APNs accepted.
    public var accepted: Int
    /// Broadcasts that failed.
    public var failed: Int

    /// No broadcast.
    public static let none = ChannelTally(accepted: 0, failed: 0)

    public init(accepted: Int, failed: Int) {
        self.accepted = accepted
        self.failed = failed
    }

    /// Broadcasts in all.
    public var count: Int { accepted + failed }
}

/// Where the activity of a channel stands, as far as the channel is concerned.
public enum ChannelActivity: Hashable, Sendable {
    /// No event has named it yet.
    case unknown
    case live
    /// - Parameter cardGoneAt: when the last card of it is dismissed.
    case ended(cardGoneAt: Moment)
}

/// A channel that is to be looked after. The node that took it owns it for a while.
public struct ChannelTask: Hashable, Sendable {
    /// The channel as it is stored.
    public var channel: Channel
    /// Whether its activity still needs it.
    public var activity: ChannelActivity
    /// What the clock said when it was taken.
    public var takenAt: Moment

    public init(channel: Channel, activity: ChannelActivity, takenAt: Moment) {
        self.channel = channel
        self.activity = activity
        self.takenAt = takenAt
    }
}

/// What becomes of a channel that was looked after.
public struct ChannelChange: Hashable, Sendable {
    /// The state after the change.
    public var state: Channel.State
    /// Its id if it has just been opened; nil leaves it as it is.
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

/// The result of one broadcast.
public enum BroadcastResult: Hashable, Sendable {
    /// The version is that of the newest decision whose push this was.
    case accepted(version: Int64)
    /// The channel is owed the newest state from then on.
    case retry(at: Moment, reason: String)
    /// APNs does not know the channel.
    case lost(reason: String)
    /// APNs has deleted it with all others of its app, which may not broadcast any more.
    case allLost(reason: String)
    /// This one cannot succeed and repeating it would not help; later changes are still sent.
    case refused(reason: String)

    /// The channel is gone: nobody listens to it any more.
    public var isLoss: Bool {
        switch self {
        case .lost, .allLost: true
        case .accepted, .retry, .refused: false
        }
    }
}
