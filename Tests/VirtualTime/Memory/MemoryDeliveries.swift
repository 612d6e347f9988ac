import Domain
import EventStore
import TestSupport

struct MemoryDeliveryStore: DeliveryStore {
    let session: MemorySession

    /// A claim that its node never hears of goes with the node's connection.
    func claimNext(_ limit: Int, _: ClaimScope, _ now: Moment?) async throws(EventStoreError)
        -> [DeliveryClaim]
    {
        try await session.gate(.before)
        let claims = try session.transact { (tables, clock) in
            tables.claim(limit, at: now ?? clock, by: session)
        }
        do throws(EventStoreError) { try await session.gate(.after) } catch {
            _ = try? session.transact { (tables, _) in
                for claim in claims where tables.isOwned(claim, by: session.node) {
                    tables[claim].claim = nil
                }
            }
            throw error
        }
        return claims
    }

    func isCurrent(_ claim: DeliveryClaim) -> Bool { session.isCurrent(claim) }

    func page(_ claim: DeliveryClaim, _ onlyOwed: Bool, _ now: Moment, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [Registration]
    {
        try await session.read(under: claim) { (tables, _) in
            let cards = tables.page(claim, owedBy: onlyOwed ? now : nil, after: after)
            return cards.prefix(limit).map {
                $0.registration(claim.tenant, claim.snapshot.activityID)
            }
        }
    }

    /// Of a renewal that its node never hears of, the timestamp stays, and what the node writes
    /// under the former one is void.
    func renew(_ claim: DeliveryClaim, _ now: Moment?) async throws(EventStoreError)
        -> DeliveryClaim?
    {
        try await session.gate(.before)
        let renewed = try session.transact { (tables, clock) throws(EventStoreError) in
            try tables.requireOwned(claim, by: session.node)
            return tables.renew(claim, at: now ?? clock, by: session)
        }
        do throws(EventStoreError) { try await session.gate(.after) } catch {
            _ = try? session.transact { (tables, _) in
                guard let renewed, tables.isOwned(renewed, by: session.node) else { return }
                tables[claim].claim?.timestamp = claim.timestamp
            }
            throw error
        }
        return renewed
    }

    func record(_ claim: DeliveryClaim, _ results: [PhoneResult]) async throws(EventStoreError) {
        try await session.write(under: claim) { (tables, now) in
            tables[claim].note(results, claim)
            for result in results where !result.needsNoWrite {
                tables[claim].note(result, claim, at: now)
            }
        }
    }

    func complete(_ claim: DeliveryClaim, _ outcome: LedgerRow.Outcome)
        async throws(EventStoreError)
    {
        try await session.write(under: claim) { (tables, _) in
            tables[claim].complete(upTo: claim.completesUpTo, outcome)
            tables[claim].claim = nil
        }
    }

    func release(_ claim: DeliveryClaim) async {
        _ = try? session.transact { (tables, _) throws(EventStoreError) in
            try tables.requireOwned(claim, by: session.node)
            tables[claim].claim = nil
        }
    }

    func nextDue() async throws(EventStoreError) -> Moment? {
        try await session.statement { (tables, _) in tables.nextDue(for: session.node) }
    }

    func time() async throws(EventStoreError) -> Moment {
        try await session.statement { (_, now) in now }
    }
}

extension MemoryTables {
    fileprivate mutating func claim(
        _ limit: Int, at now: Moment, by session: MemorySession
    ) -> [DeliveryClaim] {
        var candidates: [(rank: Int, last: Int64, tenant: TenantID, activity: ActivityID)] = []
        for tenant in tenants {
            var due: [(last: Int64, activity: ActivityID)] = []
            for (id, indexed) in tenant.activities
            where indexed.index.claimedBy == nil && indexed.index.isDue(at: now) {
                due.append((indexed.index.lastTimestamp ?? 0, id))
            }
            due.sort { ($0.last, $0.activity) < ($1.last, $1.activity) }
            // Tenants take turns.
            for (rank, each) in due.enumerated() {
                candidates.append((rank, each.last, tenant.tenant.id, each.activity))
            }
        }
        candidates.sort {
            ($0.rank, $0.last, $0.tenant, $0.activity) < ($1.rank, $1.last, $1.tenant, $1.activity)
        }
        return candidates.prefix(limit).compactMap { candidate in
            stamp(candidate.tenant, candidate.activity, now, session)
        }
    }

    /// - Returns: nil when nothing was decided since that may be sent now.
    fileprivate mutating func renew(
        _ claim: DeliveryClaim, at now: Moment, by session: MemorySession
    ) -> DeliveryClaim? {
        let newest = self[claim].pending.last?.version ?? 0
        let indexed = self[claim.tenant].activities[claim.snapshot.activityID]
        guard newest > claim.pending.last?.version ?? 0, indexed?.index.isDue(at: now) == true
        else { return nil }
        return stamp(claim.tenant, claim.snapshot.activityID, now, session)
    }

    private mutating func stamp(
        _ tenant: TenantID, _ activity: ActivityID, _ now: Moment, _ session: MemorySession
    ) -> DeliveryClaim? {
        let policies = TenantPolicies(self[tenant].policies.inOrder)
        return self[tenant, activity].stamp(tenant, policies, now, session)
    }

    fileprivate func page(
        _ claim: DeliveryClaim, owedBy moment: Moment?, after: Int64
    ) -> [MemoryCard] {
        let tenant = self[claim.tenant]
        let started =
            !claim.mayStartCards
            ? []
            : self[claim].starts.filter {
                $0.claimedBy == claim.timestamp
            }.compactMap { tenant.device($0.deviceID) }
        return self[claim].cards.filter { card in
            card.isServed && card.id > after
                && moment.map { now in card.retryAt.map { $0 <= now } ?? false } ?? true
                && !started.contains { $0.hosts(card) }
        }
    }

    fileprivate func nextDue(for node: Int) -> Moment? {
        var next: Moment?
        for tenant in tenants {
            for indexed in tenant.activities.values where indexed.index.claimedBy != node {
                guard let due = indexed.index.firstDue else { continue }
                let free = Moment(unixSeconds: (indexed.index.lastTimestamp ?? -1) + 1)
                next = min(next ?? max(due, free), max(due, free))
            }
        }
        return next
    }
}

extension MemoryActivity {
    /// When there is something to send: decisions, owed phones, an audience, starts.
    var firstDue: Moment? {
        var first = firstPending
        func note(_ due: Moment?) {
            if let due { first = min(first ?? due, due) }
        }
        guard let snapshot else { return first }
        for card in cards { note(card.retryAt) }
        for known in channels where known.channel.state == .open { note(known.channel.retryAt) }
        guard snapshot.blockage == nil, snapshot.awaits == nil else { return first }
        note(audience?.dueAt)
        for start in starts { note(start.start.dueAt) }
        return first
    }

    /// Makes the next timestamp durable.
    fileprivate mutating func stamp(
        _ tenant: TenantID, _ policies: TenantPolicies, _ now: Moment, _ session: MemorySession
    ) -> DeliveryClaim? {
        let isRepeated = session.database.flaw == .repeatedStamps && fanOut != nil && claim == nil
        if !isRepeated { lastTimestamp = max((lastTimestamp ?? -1) + 1, now.unixSeconds) }
        guard let snapshot, let timestamp = lastTimestamp else { return nil }
        claim = Claim(node: session.node, timestamp: timestamp)
        let pending = pending
        let progress = fanOut.flatMap { fanOut in
            pending.first.map { $0.version <= fanOut.completesUpTo } == true ? fanOut : nil
        }
        return DeliveryClaim(
            tenant: tenant, snapshot: snapshot, pending: pending, lastCompleted: lastCompleted,
            timestamp: timestamp, claimedAt: now, progress: progress,
            audience: claimedAudience(at: now), openRestartVersion: openRestartVersion,
            isRestartDue: isRestartDue(at: now),
            channels: channels.filter(\.isCurrent).map(\.channel), policies: policies)
    }

    private func claimedAudience(at now: Moment) -> ClaimedAudience? {
        guard let audience else { return nil }
        let isStartDue = starts.contains { start in
            start.restartVersion == 0 && start.start.dueAt.map { $0 <= now } ?? false
        }
        guard !audience.isClosed || isStartDue else { return nil }
        return ClaimedAudience(
            putVersion: audience.putVersion, cursor: audience.cursor,
            isDue: isStartDue || audience.dueAt.map { $0 <= now } ?? false)
    }

    private func isRestartDue(at now: Moment) -> Bool {
        starts.contains { start in
            start.restartVersion > 0 && [.waiting, .held].contains(start.start.state)
                && start.start.dueAt.map { $0 <= now } ?? false
        }
    }

    private var openRestartVersion: Int64? {
        starts.filter { $0.restartVersion > 0 && ($0.start.dueAt != nil || isEnding($0)) }.map(
            \.restartVersion
        ).max()
    }

    /// A fan-out to everyone notes how far it has come.
    fileprivate mutating func note(_ results: [PhoneResult], _ claim: DeliveryClaim) {
        guard claim.completesUpTo > 0, let last = results.last?.registrationID else { return }
        var progress = RecordedProgress(
            completesUpTo: claim.completesUpTo, afterRegistrationID: last, accepted: 0, failed: 0,
            timestamp: nil)
        if let fanOut, fanOut.completesUpTo == claim.completesUpTo { progress = fanOut }
        let accepted = results.count { $0.isAccepted }
        progress.accepted += accepted
        progress.failed += results.count - accepted
        progress.afterRegistrationID = last
        if results.contains(where: \.wasPushed) { progress.timestamp = claim.timestamp }
        fanOut = progress
    }

    /// An answer about a registration that was made again, has died or was closed is void. Of a
    /// phone that was owed nothing, what was completed before is written down with it.
    fileprivate mutating func note(
        _ result: PhoneResult, _ claim: DeliveryClaim, at now: Moment
    ) {
        guard
            let index = cards.firstIndex(where: {
                $0.id == result.registrationID && $0.state.tokenVersion == result.tokenVersion
                    && $0.isServed
            })
        else { return }
        if cards[index].isUpToDate {
            let completed = claim.lastCompleted?.version ?? 0
            cards[index].sentVersion = max(cards[index].sentVersion, completed)
        }
        cards[index].countTry(result)
        switch result.effect {
        case .accepted(let version):
            if cards[index].attempts > 1 || cards[index].missed != nil,
                version > cards[index].sentVersion
            {
                let missed = cards[index].missed ?? MissedPush(by: cards[index])
                let before = ledger.last { $0.decision.decidedAt < missed.registeredAt }
                let after = max(missed.sentVersion, before?.decision.version ?? 0)
                cards[index].caughtUp = .init(after: after, through: version)
            }
            cards[index].missed = nil
            cards[index].sentVersion = max(cards[index].sentVersion, version)
            (cards[index].attempts, cards[index].retryAt) = (0, nil)
            (cards[index].lastFailure, cards[index].isProven) = (nil, true)
        case .retry(let at, let reason):
            (cards[index].retryAt, cards[index].lastFailure) = (at, reason)
        case .dead(let reason, let since, let retryAt):
            let dies = since.map { cards[index].registeredAt <= $0 } ?? true
            (cards[index].retryAt, cards[index].lastFailure) = (dies ? nil : retryAt, reason)
            cards[index].deadAt = dies ? now : nil
        case .unfit(let reason):
            (cards[index].retryAt, cards[index].lastFailure) = (nil, reason)
            (cards[index].deadAt, cards[index].isUnfit) = (now, true)
        case .givenUp(let reason):
            (cards[index].retryAt, cards[index].lastFailure) = (nil, reason)
        }
    }
}

extension PhoneResult {
    var acceptedVersion: Int64? {
        if case .accepted(let version) = effect { version } else { nil }
    }
}
