import Domain
import EventStore

/// A channel, and what only the store looks at.
struct MemoryChannel {
    var channel: Channel
    var lookAt: Moment?

    var isCurrent: Bool { channel.state.isCurrent }
    var dueAt: Moment? { channel.state == .wanted ? channel.retryAt : lookAt }
}

/// Whose followers would do better with a channel is not counted.
struct MemoryChannelStore: ChannelStore {
    let session: MemorySession

    func want(
        _ tenant: TenantID, _ activity: ActivityID, _ app: AppInEnvironment,
        _ storage: Channel.Storage
    ) async throws(EventStoreError) -> (channel: Channel, isNew: Bool) {
        try await session.statement { (tables, now) in
            tables.want(tenant, activity, app, storage, at: now)
        }
    }

    func wantForFollowers(_: TenantID, _: ActivityID, _: Int) -> Int { 0 }

    func find(_ tenant: TenantID, _ activity: ActivityID, _ bundleID: String)
        async throws(EventStoreError) -> [Channel]
    {
        try await session.statement { (tables, _) in
            tables[tenant, activity].channels.map(\.channel).filter {
                $0.app.bundleID.hasBytes(of: bundleID) && $0.state.isCurrent
            }
        }
    }

    func followers(_: TenantID, _: ActivityID, _: AppInEnvironment) throws(EventStoreError)
        -> ChannelFollowers
    { throw .notInMemory }

    func take(_ limit: Int, _ now: Moment?) async throws(EventStoreError) -> [ChannelTask] {
        try await session.statement { (tables, clock) in
            tables.takeChannels(limit, at: now ?? clock)
        }
    }

    func change(_ channel: Channel, _ change: ChannelChange, _ now: Moment?)
        async throws(EventStoreError) -> Bool
    {
        try await session.statement { (tables, clock) in
            tables[channel.tenant, channel.activityID].apply(
                change, to: channel, at: now ?? clock)
        }
    }

    func record(_ claim: DeliveryClaim, _ sent: [SentBroadcast]) async throws(EventStoreError) {
        try await session.write(under: claim) { (tables, now) in
            for sent in sent {
                let app = tables[claim].note(sent)
                if let app, claim.snapshot.phase != .ended {
                    _ = tables.want(
                        claim.tenant, claim.snapshot.activityID, app,
                        sent.channel.storage, at: now)
                }
            }
        }
    }

    func loseAll(_ app: TenantApp, openedBy time: Moment, _ wish: ChannelChange)
        async throws(EventStoreError)
    {
        try await session.statement { (tables, now) in
            tables.loseAll(app, openedBy: time, wish, at: now)
        }
    }

    func all() throws(EventStoreError) -> [Channel] { throw .notInMemory }

    func count(_ app: AppInEnvironment) async throws(EventStoreError) -> Int {
        try await session.statement { (tables, _) in
            tables.channels.count { $0.app == app && $0.state == .open }
        }
    }

}

extension MemoryTenant {
    fileprivate var channels: [MemoryChannel] {
        var all: [MemoryChannel] = []
        for indexed in activities.values where indexed.index.hasChannels {
            all += indexed.activity.channels
        }
        return all
    }
}

extension MemoryTables {
    var channels: [Channel] {
        tenants.flatMap(\.channels).map(\.channel)
    }

    fileprivate mutating func want(
        _ tenant: TenantID, _ activity: ActivityID, _ app: AppInEnvironment,
        _ storage: Channel.Storage, at now: Moment
    ) -> (channel: Channel, isNew: Bool) {
        let known = self[tenant, activity].channels.first { $0.isCurrent && $0.channel.app == app }
        if let known { return (known.channel, false) }
        let channel = Channel(
            id: nextID(), tenant: tenant, activityID: activity, app: app, storage: storage,
            retryAt: .epoch, wantedAt: now)
        self[tenant, activity].channels.append(MemoryChannel(channel: channel))
        return (channel, true)
    }

    fileprivate mutating func loseAll(
        _ app: TenantApp, openedBy time: Moment, _ wish: ChannelChange, at now: Moment
    ) {
        for channel in channels where channel.tenantApp == app && channel.state == .open {
            guard let openedAt = channel.openedAt, openedAt <= time else { continue }
            let next = Channel(
                id: nextID(), tenant: channel.tenant, activityID: channel.activityID,
                app: channel.app, storage: channel.storage, state: wish.state,
                attempts: wish.attempts, retryAt: wish.retryAt, lastFailure: wish.failure,
                wantedAt: now)
            self[channel.tenant, channel.activityID].replace(channel.id, by: next)
        }
    }

    /// Tenants take turns. A node that takes one has ten seconds to ask for it, and one that asks
    /// has a minute; an open channel is looked at every ten.
    fileprivate mutating func takeChannels(_ limit: Int, at now: Moment) -> [ChannelTask] {
        var due: [(rank: Int, at: Moment, channel: Channel)] = []
        for tenant in tenants {
            var mine: [(at: Moment, channel: Channel)] = []
            for known in tenant.channels {
                guard let at = known.dueAt, at <= now else { continue }
                mine.append((at, known.channel))
            }
            mine.sort { ($0.at, $0.channel.id) < ($1.at, $1.channel.id) }
            for (rank, next) in mine.enumerated() { due.append((rank, next.at, next.channel)) }
        }
        due.sort { ($0.rank, $0.at, $0.channel.id) < ($1.rank, $1.at, $1.channel.id) }
        return due.prefix(limit).compactMap { next in
            self[next.channel.tenant, next.channel.activityID].take(next.channel.id, at: now)
        }
    }
}

extension MemoryActivity {
    fileprivate mutating func take(_ id: Int64, at now: Moment) -> ChannelTask? {
        guard let index = channels.firstIndex(where: { $0.channel.id == id }) else { return nil }
        switch channels[index].channel.state {
        case .wanted: channels[index].channel.retryAt = now.adding(seconds: 10)
        case .creating: channels[index].lookAt = now.adding(seconds: 60)
        case .open: channels[index].lookAt = now.adding(seconds: 600)
        case .lost, .deleted, .withdrawn: channels[index].lookAt = nil
        }
        return ChannelTask(
            channel: channels[index].channel, activity: channelActivity, takenAt: now)
    }

    private var channelActivity: ChannelActivity {
        guard let snapshot else { return .unknown }
        guard snapshot.phase == .ended else { return .live }
        let dismissals = ledger.filter { $0.decision.verdict == .end }
            .compactMap(\.decision.dismissAt)
        return .ended(cardGoneAt: dismissals.reduce(snapshot.updatedAt, max))
    }

    /// - Returns: false when it is another one by now than was read.
    fileprivate mutating func apply(
        _ change: ChannelChange, to read: Channel, at now: Moment
    ) -> Bool {
        let index = channels.firstIndex {
            $0.channel.id == read.id && $0.channel.state == read.state
                && (read.state == .open || $0.channel.attempts == read.attempts)
        }
        guard let index else { return false }
        channels[index].channel.state = change.state
        channels[index].channel.channelID = change.channelID ?? read.channelID
        channels[index].channel.attempts = change.attempts
        channels[index].channel.retryAt = change.retryAt
        channels[index].channel.lastFailure = change.failure
        switch change.state {
        case .creating: channels[index].lookAt = now.adding(seconds: 60)
        case .open:
            channels[index].lookAt = now.adding(seconds: 600)
            channels[index].channel.openedAt = now
        case .wanted, .lost, .deleted, .withdrawn: channels[index].lookAt = nil
        }
        return true
    }

    /// The old one is lost for the reason for which the new one has to wait.
    fileprivate mutating func replace(_ id: Int64, by next: Channel) {
        guard let index = channels.firstIndex(where: { $0.channel.id == id }) else { return }
        channels[index].lookAt = nil
        channels[index].channel.state = .lost
        channels[index].channel.attempts += 1
        channels[index].channel.retryAt = nil
        channels[index].channel.lastFailure = next.lastFailure
        channels.append(MemoryChannel(channel: next))
    }

    /// - Returns: whose it was when it is lost.
    fileprivate mutating func note(_ sent: SentBroadcast) -> AppInEnvironment? {
        let index = channels.firstIndex {
            $0.channel.id == sent.channel.id && $0.channel.state == .open
        }
        guard let index else { return nil }
        channels[index].channel.retryAt = nil
        channels[index].channel.lastFailure = nil
        switch sent.result {
        case .accepted(let version):
            let sentVersion = max(channels[index].channel.sentVersion, version)
            (channels[index].channel.sentVersion, channels[index].channel.attempts) =
                (sentVersion, 0)
            return nil
        case .retry(let at, let reason):
            channels[index].channel.retryAt = at
            channels[index].channel.lastFailure = reason
        case .refused(let reason): channels[index].channel.lastFailure = reason
        case .lost(let reason), .allLost(let reason):
            channels[index].channel.state = .lost
            channels[index].channel.lastFailure = reason
            channels[index].lookAt = nil
        }
        channels[index].channel.attempts += 1
        return channels[index].channel.state == .lost ? sent.channel.app : nil
    }
}
