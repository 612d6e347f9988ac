import Domain
import EventStore

struct MemoryStartDeliveryStore: StartDeliveryStore {
    let session: MemorySession

    func markLeftoverStartsUnknown(_ claim: DeliveryClaim) async throws(EventStoreError) {
        try await session.write(under: claim) { (tables, now) in
            tables[claim].changeStarts(at: now) { start in
                guard start.start.state == .trying, start.start.dueAt != nil,
                    start.claimedBy != claim.timestamp
                else { return }
                (start.start.state, start.start.dueAt) = (.unknown, nil)
                start.start.reason = CardStart.cutShort
            }
        }
    }

    func due(_ claim: DeliveryClaim, _ now: Moment, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [StartCandidate]
    {
        try await session.read(under: claim) { (tables, _) in
            tables.due(claim, restartVersion: 0, at: now, after: after).prefix(limit)
                .compactMap { tables.candidate($0.deviceID, claim) }
        }
    }

    func held(
        _ claim: DeliveryClaim, for reasons: [String], untilLaterThan until: Moment?,
        _ after: Int64, _ limit: Int
    ) async throws(EventStoreError) -> [StartCandidate] {
        try await session.read(under: claim) { (tables, _) in
            tables[claim].starts.filter { start in
                guard let dueAt = start.start.dueAt, until.map({ dueAt > $0 }) ?? true else {
                    return false
                }
                return start.restartVersion == 0 && start.deviceID > after
                    && start.start.state == .held
                    && start.start.reason.map(reasons.contains) ?? false
            }.sorted { $0.deviceID < $1.deviceID }.prefix(limit)
                .compactMap { tables.candidate($0.deviceID, claim) }
        }
    }

    func page(_ claim: DeliveryClaim, _ after: Int64, _ limit: Int) async throws(EventStoreError)
        -> [StartCandidate]
    {
        try await session.read(under: claim) { (tables, _) in
            tables.followers(claim).filter { $0 > after }.prefix(limit)
                .compactMap { tables.candidate($0, claim) }
        }
    }

    func begin(_ claim: DeliveryClaim, _ intents: [StartIntent]) async throws(EventStoreError)
        -> Set<Int64>
    {
        try await session.write(under: claim) { (tables, now) in
            tables.begin(intents, claim, at: now)
        }
    }

    func record(_ claim: DeliveryClaim, _ results: [StartResult], _ cursor: Int64?)
        async throws(EventStoreError)
    {
        try await session.write(under: claim) { (tables, now) in
            for result in results { tables.note(result, claim, at: now) }
            tables[claim].move(claim, to: cursor)
        }
    }

    func recordAfterLosingClaim(_ claim: DeliveryClaim, _ results: [StartResult])
        async throws(EventStoreError)
    {
        try await session.statement { (tables, now) in
            for result in results { tables.note(result, claim, at: now) }
        }
    }

    func finish(_ claim: DeliveryClaim) async throws(EventStoreError) {
        try await session.write(under: claim) { (tables, _) in
            let audience = tables[claim].audience
            // What is to be looked at after the claim's second stays due.
            guard audience?.putVersion == claim.audience?.putVersion, let dueAt = audience?.dueAt,
                dueAt < Moment(unixSeconds: claim.timestamp + 1)
            else { return }
            tables[claim].audience?.dueAt = nil
        }
    }

    func close(_ claim: DeliveryClaim) async throws(EventStoreError) {
        try await session.write(under: claim) { (tables, now) in
            tables[claim].audience?.dueAt = nil
            tables[claim].audience?.isClosed = true
            tables[claim].changeStarts(at: now) { start in
                guard [.waiting, .held].contains(start.start.state) else { return }
                (start.start.state, start.start.dueAt) = (.needless, nil)
                start.start.reason = "ended"
            }
        }
    }
}

extension MemoryStartDeliveryStore {
    func overtake(_ claim: DeliveryClaim, _ restartVersion: Int64) async throws(EventStoreError) {
        try await session.write(under: claim) { (tables, _) in
            tables[claim].starts.removeAll {
                $0.restartVersion > 0 && $0.restartVersion < restartVersion
                    && [.waiting, .held].contains($0.start.state)
            }
        }
    }

    func page(_ claim: DeliveryClaim, _ restartVersion: Int64, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [StartCandidate]
    {
        try await session.read(under: claim) { (tables, _) in
            let cards = tables[claim].cards.filter { $0.isServed && $0.id > after }
            let found = cards.compactMap { card -> StartCandidate? in
                let device = tables[claim.tenant].devices.first { $0.hosts(card) }
                return device.flatMap {
                    tables.candidate($0.id, claim, restartVersion: restartVersion, instead: card)
                }
            }
            return Array(found.filter { $0.token != nil }.prefix(limit))
        }
    }

    func due(
        _ claim: DeliveryClaim, _ restartVersion: Int64, _ now: Moment, _ after: Int64, _ limit: Int
    ) async throws(EventStoreError) -> [StartCandidate] {
        try await session.read(under: claim) { (tables, _) in
            tables.due(claim, restartVersion: restartVersion, at: now, after: after).prefix(limit)
                .compactMap { start in
                    let device = tables[claim.tenant].device(start.deviceID)
                    let card = tables[claim].cards.first { card in
                        card.isServed && device?.hosts(card) == true
                    }
                    return tables.candidate(
                        start.deviceID, claim, restartVersion: restartVersion, instead: card)
                }
        }
    }

    func replaced(_ claim: DeliveryClaim, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [Registration]
    {
        try await session.read(under: claim) { (tables, _) in
            let activity = tables[claim]
            let ending = activity.starts.filter {
                $0.restartVersion > 0 && activity.isEnding($0)
            }.compactMap(\.replacedRegistrationID)
            return activity.cards.filter { $0.id > after && ending.contains($0.id) }
                .prefix(limit)
                .map { $0.registration(claim.tenant, claim.snapshot.activityID) }
        }
    }

    func recordEnds(_ claim: DeliveryClaim, _ results: [PhoneResult]) async throws(EventStoreError)
    {
        try await session.write(under: claim) { (tables, _) in
            tables[claim].noteEnds(results)
        }
    }

}

extension MemoryDevice {
    func hosts(_ card: MemoryCard) -> Bool {
        Optional(installation).hasBytes(of: card.state.installation)
            && bundleID.hasBytes(of: card.bundleID)
    }
}

extension MemoryTables {
    /// Devices of the audience.
    fileprivate func followers(_ claim: DeliveryClaim) -> [Int64] {
        let topics = Set((self[claim].audience?.topics ?? []).map(ByteKey.init))
        return self[claim.tenant].devices.filter { device in
            device.tokens[claim.snapshot.kind]?.follows(topics) == true
        }.map(\.id).sorted()
    }

    fileprivate func due(
        _ claim: DeliveryClaim, restartVersion: Int64, at now: Moment, after: Int64
    ) -> [MemoryStart] {
        self[claim].starts.filter {
            $0.restartVersion == restartVersion && $0.deviceID > after
                && [.waiting, .held].contains($0.start.state)
                && $0.start.dueAt.map { $0 <= now } ?? false
        }.sorted { $0.deviceID < $1.deviceID }
    }

    /// - Parameters:
    ///   - restartVersion: 0 for the activity's first card on the phone, for which it must
    ///     follow a topic.
    ///   - card: that the fresh one takes the place of.
    fileprivate func candidate(
        _ id: Int64, _ claim: DeliveryClaim, restartVersion: Int64 = 0,
        instead card: MemoryCard? = nil
    ) -> StartCandidate? {
        guard let device = self[claim.tenant].device(id) else { return nil }
        let activity = self[claim]
        let topics = Set((activity.audience?.topics ?? []).map(ByteKey.init))
        let token = device.tokens[claim.snapshot.kind].flatMap { token -> MemoryDevice.Token? in
            let isWanted =
                restartVersion == 0
                ? token.follows(topics) : card?.environment == token.wish.environment
            return !token.isDead && isWanted ? token : nil
        }
        return StartCandidate(
            deviceID: id, bundleID: device.bundleID, token: token?.claimed,
            budget: device.budget, budgetVersion: device.budgetVersion,
            start: activity.start(of: id, restartVersion: restartVersion)?.start,
            hasCard: restartVersion == 0 && activity.cards.contains { device.hosts($0) },
            restartVersion: restartVersion,
            replacedRegistrationID: card?.id)
    }

    fileprivate mutating func begin(
        _ intents: [StartIntent], _ claim: DeliveryClaim, at now: Moment
    ) -> Set<Int64> {
        let putVersion = self[claim].audience?.putVersion
        let isForWish = intents.allSatisfy { $0.candidate.restartVersion == 0 }
        guard !isForWish || putVersion == claim.audience?.putVersion ?? 0 else { return [] }
        var tried: Set<Int64> = []
        for intent in intents {
            let candidate = intent.candidate
            let known = self[claim].start(
                of: candidate.deviceID, restartVersion: candidate.restartVersion)
            let isOpen = known.map { [.waiting, .held].contains($0.start.state) }
            guard var start = intent.start else {
                if isOpen == true { self[claim].forget(candidate) }
                continue
            }
            // It is paid for whether or not it is written.
            let isUnpaid = start.state == .trying && !pay(intent, claim.tenant)
            guard isOpen != false else { continue }
            if isUnpaid {
                (start.state, start.dueAt) = (.waiting, .epoch)
                start.attempts -= 1
                if start.attempts <= 0 { start.firstTriedAt = nil }
            }
            self[claim].replace(
                MemoryStart(
                    deviceID: candidate.deviceID, restartVersion: candidate.restartVersion,
                    start: start,
                    putVersion: isForWish ? putVersion ?? 0 : 0,
                    claimedBy: start.state == .trying ? claim.timestamp : nil,
                    replacedRegistrationID: candidate.replacedRegistrationID, changedAt: now))
            if start.state == .trying { tried.insert(candidate.deviceID) }
        }
        return tried
    }

    /// - Returns: false when somebody else has taken from the budget meanwhile.
    private mutating func pay(_ intent: StartIntent, _ tenant: TenantID) -> Bool {
        let index = self[tenant].devices.firstIndex {
            $0.id == intent.candidate.deviceID
                && $0.budgetVersion == intent.candidate.budgetVersion
        }
        guard let index else { return false }
        self[tenant].devices[index].budget = intent.budget
        self[tenant].devices[index].budgetVersion += 1
        return true
    }

    /// What a start took whose push never left, unless something else was taken since.
    private mutating func repay(_ before: StartCandidate, _ tenant: TenantID, _ device: Int) {
        guard self[tenant].devices[device].budgetVersion == before.budgetVersion + 1 else {
            return
        }
        self[tenant].devices[device].budget = before.budget
        self[tenant].devices[device].budgetVersion += 1
    }

    fileprivate mutating func note(_ result: StartResult, _ claim: DeliveryClaim, at now: Moment) {
        let (kind, candidate) = (claim.snapshot.kind, result.candidate)
        let device = self[claim.tenant].devices.firstIndex { $0.id == candidate.deviceID }
        let token = device.flatMap { self[claim.tenant].devices[$0].tokens[kind] }
        let isRenewed =
            result.isTokenDead && token.map { $0.version != candidate.token?.version } ?? false
        if let device, result.isTokenDead, let token, token.version == candidate.token?.version {
            self[claim.tenant].devices[device].tokens[kind]?.isDead = true
        }
        guard
            var start = self[claim].start(
                of: candidate.deviceID, restartVersion: candidate.restartVersion),
            start.isUnanswered(of: claim)
        else { return }
        if let device, result.isUnsent { repay(candidate, claim.tenant, device) }
        start.start = result.start
        if isRenewed { (start.start.state, start.start.dueAt) = (.waiting, .epoch) }
        if start.restartVersion > 0, result.start.state != .started { start.claimedBy = nil }
        if start.start.state == .started, let old = start.replacedRegistrationID {
            start.start.dueAt = .epoch
            start.replacedRegistrationID = self[claim].rotated(from: old) ?? old
        }
        start.changedAt = now
        self[claim].replace(start)
        guard start.start.state == .started, let old = start.replacedRegistrationID else { return }
        self[claim].closeReplaced(old, at: now)
    }
}

extension MemoryActivity {
    fileprivate mutating func changeStarts(
        at now: Moment, _ change: (inout MemoryStart) -> Void
    ) {
        for index in starts.indices {
            let before = starts[index].start
            change(&starts[index])
            if starts[index].start != before { starts[index].changedAt = now }
        }
    }

    fileprivate mutating func noteEnds(_ results: [PhoneResult]) {
        for index in starts.indices
        where starts[index].restartVersion > 0
            && [.started, .unknown].contains(starts[index].start.state)
        {
            let old = starts[index].replacedRegistrationID
            let effect = results.first { $0.registrationID == old }?.effect
            switch effect {
            case .retry(let at, _): starts[index].start.dueAt = at
            case .accepted, .dead, .unfit, .givenUp:
                (starts[index].start.dueAt, starts[index].replacedRegistrationID) = (nil, nil)
            case nil where !isEnding(starts[index]): starts[index].start.dueAt = nil
            case nil: break
            }
        }
        for index in cards.indices {
            guard let result = results.first(where: { $0.registrationID == cards[index].id })
            else { continue }
            if case .retry(_, let reason) = result.effect {
                cards[index].countTry(result)
                cards[index].lastFailure = reason
            } else if cards[index].closedAt != nil {
                cards[index].state.hasSuccessor = true
            }
        }
    }

    fileprivate mutating func forget(_ candidate: StartCandidate) {
        starts.removeAll {
            $0.deviceID == candidate.deviceID && $0.restartVersion == candidate.restartVersion
        }
    }

    fileprivate mutating func move(_ claim: DeliveryClaim, to cursor: Int64?) {
        guard let cursor, let audience, audience.putVersion == claim.audience?.putVersion else {
            return
        }
        self.audience?.cursor = max(audience.cursor, cursor)
    }

    /// The registration of the same card, if its token was rotated since and it lives.
    fileprivate func rotated(from id: Int64) -> Int64? {
        guard let installation = cards.first(where: { $0.id == id })?.state.installation else {
            return nil
        }
        return cards.first {
            $0.rotatedFrom == id && $0.closedAt == nil
                && $0.state.installation.hasBytes(of: installation)
        }?.id
    }

    fileprivate mutating func closeReplaced(_ id: Int64, at now: Moment) {
        guard let index = cards.firstIndex(where: { $0.id == id }) else { return }
        cards[index].sentVersion = deliveredVersion(cards[index])
        cards[index].state.closing = cards[index].state.closing ?? .replaced
        cards[index].state.hasSuccessor = true
        (cards[index].closedAt, cards[index].retryAt) = (cards[index].closedAt ?? now, nil)
    }
}

extension MemoryStart {
    /// No later claim has tried it, and nobody but the claim's sender can know the result.
    fileprivate func isUnanswered(of claim: DeliveryClaim) -> Bool {
        let isCutShort = start.state == .unknown && start.reason == CardStart.cutShort
        return claimedBy == claim.timestamp && (start.state == .trying || isCutShort)
    }
}

extension MemoryDevice.Token {
    func follows(_ topics: Set<ByteKey>) -> Bool {
        wish.topics.contains { topics.contains(ByteKey($0.rawValue)) }
    }

    fileprivate var claimed: StartCandidate.Token {
        StartCandidate.Token(
            pushToken: wish.token, environment: wish.environment, version: version, putAt: putAt,
            locale: wish.locale, osMajor: wish.osMajor)
    }
}
