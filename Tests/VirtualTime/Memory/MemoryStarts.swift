import Domain
import EventStore

struct MemoryStartTokenStore: StartTokenStore {
    let session: MemorySession

    func putToken(_ tenant: TenantID, _ wish: StartWish) async throws(EventStoreError) -> StartPut {
        try await session.statement { (tables, now) throws(EventStoreError) in
            try tables.requireKnown(tenant)
            let device = tables.device(for: wish, of: tenant)
            let put = tables[tenant].put(wish, on: device, at: now)
            tables[tenant].want(wish, on: device, at: now)
            return put
        }
    }

    func removeToken(_ tenant: TenantID, _ installation: String, _ kind: String)
        async throws(EventStoreError) -> Int
    {
        try await session.statement { (tables, _) in
            var count = 0
            for index in tables[tenant].devices.indices
            where tables[tenant].devices[index].installation.hasBytes(of: installation) {
                let removed = tables[tenant].devices[index].tokens
                    .removeValue(forKey: kind)
                if removed != nil { count += 1 }
            }
            return count
        }
    }

    func tokens(_ tenant: TenantID, _ installation: String, _ kind: String)
        async throws(EventStoreError) -> [StartToken]
    {
        try await session.statement { (tables, _) in
            tables[tenant].devices.filter { $0.installation.hasBytes(of: installation) }
                .sorted { $0.bundleID < $1.bundleID }
                .compactMap { $0.tokens[kind]?.shown }
        }
    }

    func putAudience(
        _ tenant: TenantID, _ activity: ActivityID, _ topics: [AudienceTopic], _ notBefore: Moment?
    ) async throws(EventStoreError) -> StartPut {
        try await session.statement { (tables, _) throws(EventStoreError) in
            try tables.requireKnown(tenant)
            return tables[tenant, activity].put(topics, notBefore)
        }
    }

    func audience(_ tenant: TenantID, _ activity: ActivityID) async throws(EventStoreError)
        -> AudienceReport?
    { try await session.statement { (tables, _) in tables[tenant, activity].report } }

}

extension MemoryTables {
    /// The phone of that installation and app. An app that has forgotten its installation is known
    /// by its token.
    /// - Returns: its id.
    fileprivate mutating func device(for wish: StartWish, of tenant: TenantID) -> Int64 {
        func isOfApp(_ device: MemoryDevice) -> Bool { device.bundleID.hasBytes(of: wish.bundleID) }
        let devices = self[tenant].devices
        if let known = devices.first(where: {
            isOfApp($0) && $0.installation.hasBytes(of: wish.installation)
        }) {
            return known.id
        }
        if let index = devices.firstIndex(where: {
            isOfApp($0) && $0.tokens[wish.kind]?.wish.token == wish.token
        }) {
            self[tenant].devices[index].installation = wish.installation
            return devices[index].id
        }
        let id = nextID()
        self[tenant].devices.append(
            MemoryDevice(id: id, installation: wish.installation, bundleID: wish.bundleID))
        return id
    }
}

extension MemoryTenant {
    fileprivate mutating func put(
        _ wish: StartWish, on id: Int64, at now: Moment
    ) -> StartPut {
        var isNew = false
        for index in devices.indices where devices[index].bundleID.hasBytes(of: wish.bundleID) {
            if devices[index].id != id {
                // No phone is served twice.
                if devices[index].tokens[wish.kind]?.wish.token == wish.token {
                    devices[index].tokens[wish.kind] = nil
                }
                continue
            }
            let before = devices[index].tokens[wish.kind]
            isNew = before == nil
            devices[index].tokens[wish.kind] = MemoryDevice.Token(
                wish: wish, version: (before?.version ?? 0) + 1, putAt: now,
                changedAt: before?.wish.token == wish.token ? before?.changedAt ?? now : now)
        }
        return isNew ? .new : .changed
    }

    /// Starts for activities that live, and once more where another token was surely refused.
    fileprivate mutating func want(_ wish: StartWish, on id: Int64, at now: Moment) {
        let changedAt = device(id)?.tokens[wish.kind]?.changedAt ?? now
        let topics = Set(wish.topics.map { ByteKey($0.rawValue) })
        for (name, indexed) in activities {
            let activity = indexed.activity
            guard let audience = activity.audience, !audience.isClosed,
                !topics.isDisjoint(with: audience.topics.map(ByteKey.init))
            else { continue }
            if let snapshot = activity.snapshot,
                snapshot.kind != wish.kind || snapshot.phase == .ended
            {
                continue
            }
            let wanted = MemoryStart(
                deviceID: id, restartVersion: 0,
                start: CardStart(dueAt: audience.notBefore ?? .epoch),
                putVersion: audience.putVersion, changedAt: now)
            guard let known = activity.start(of: id, restartVersion: 0) else {
                activities[name]?.activity.starts.append(wanted)
                continue
            }
            guard known.start.state == .refused, known.changedAt < changedAt else { continue }
            activities[name]?.activity.replace(wanted)
        }
    }
}

extension MemoryActivity {
    mutating func replace(_ start: MemoryStart) {
        let index = starts.firstIndex {
            $0.deviceID == start.deviceID && $0.restartVersion == start.restartVersion
        }
        if let index { starts[index] = start } else { starts.append(start) }
    }

    fileprivate mutating func put(
        _ topics: [AudienceTopic], _ notBefore: Moment?
    ) -> StartPut {
        let names = Set(topics).sorted().map(\.rawValue)
        var wanted = MemoryAudience(
            topics: names, notBefore: notBefore, dueAt: notBefore ?? .epoch)
        if let audience {
            let isSame = audience.topics.map(ByteKey.init) == names.map(ByteKey.init)
            if isSame, audience.notBefore == notBefore { return .known }
            wanted.putVersion = audience.putVersion + 1
        }
        let isNew = audience == nil
        audience = wanted
        // What was only found for an earlier wish.
        starts.removeAll {
            $0.restartVersion == 0 && $0.start.dueAt != nil && $0.start.state != .trying
                && $0.putVersion < wanted.putVersion
        }
        return isNew ? .new : .changed
    }

    fileprivate var report: AudienceReport? {
        guard let audience else { return nil }
        var counts: [StartState: Int] = [:]
        for start in starts where start.restartVersion == 0 {
            counts[start.start.state, default: 0] += 1
        }
        let waiting = starts.filter {
            $0.restartVersion == 0 && [.waiting, .held].contains($0.start.state)
        }
        return AudienceReport(
            topics: audience.topics, notBefore: audience.notBefore, counts: counts,
            nextAt: waiting.compactMap(\.start.dueAt).min(), isComplete: audience.dueAt == nil,
            isClosed: audience.isClosed)
    }
}

extension MemoryDevice.Token {
    fileprivate var shown: StartToken {
        StartToken(
            bundleID: wish.bundleID, environment: wish.environment,
            topics: wish.topics.map(\.rawValue), locale: wish.locale,
            frequentUpdates: wish.frequentUpdates, appBuild: wish.appBuild, osMajor: wish.osMajor,
            putAt: putAt, isDead: isDead)
    }
}
