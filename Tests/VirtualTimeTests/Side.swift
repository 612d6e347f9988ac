import DeliveryRules
import Domain
import EventStore
import TestSupport
import VirtualTime

/// One of two stores that are asked the same, with the claims it has given out. Answers are in
/// words that are true for both, so without ids and without the database's own times.
struct Side {
    private let nodes: [EventStore]
    private let tenant: TenantID
    private var claims: [String: (claim: DeliveryClaim, node: Int)] = [:]
    /// Starts that were left on their way last.
    private var unanswered: [String: (claim: DeliveryClaim, phones: [StartCandidate])] = [:]

    init(_ keeper: Keeper) async throws {
        let (first, second, _) = try await keeper.open()
        nodes = [first, second]
        tenant = try await first.tenants.ensure("acme").id
    }

    /// - Returns: what came of it.
    mutating func ask(_ question: Question) async -> String {
        do throws(EventStoreError) {
            return try await answer(question)
        } catch {
            return "failed: \(error.isTransient)"
        }
    }

    private mutating func answer(_ question: Question) async throws(EventStoreError) -> String {
        switch question {
        case .append(let events, let isAtomic):
            return "\(try await nodes[0].log.append(tenant, events, isAtomic: isAtomic))"
        case .fold(let limit, let verdict, let sendAfter, let restarts):
            let folded = try await nodes[0].projections.foldNext(nil, limit) {
                Sample.fold($0, verdict, sendAfter: sendAfter, restarts: restarts)
            }
            return "folded \(folded?.count ?? 0)"
        case .card(let activity, let request):
            let store = nodes[0].registrations
            let name = ActivityID(rawValue: activity)
            let change = try await store.change(tenant, name, request, CardMachine.handle).change
            let count = try await nodes[0].phoneCount(tenant, name)
            let tally = try await store.tally(tenant, name, nil)
            let closed = tally.closed.map { "\($0.key) \($0.value)" }.sorted()
            let lost = "\(tally.dead) dead, \(tally.unfit) unfit"
            return "\(change.answer), \(count) served, \(closed), \(lost)"
        case .putToken(let wish): return "\(try await nodes[0].startTokens.putToken(tenant, wish))"
        case .removeToken(let installation):
            return
                "\(try await nodes[0].startTokens.removeToken(tenant, installation, Sample.kind))"
        case .putAudience(let activity, let topics, let notBefore):
            return
                "\(try await nodes[0].startTokens.putAudience(tenant, activity, topics, notBefore))"
        case .claim(let node, let now): return try await claim(node, now)
        case .renew(let activity, let now):
            guard let (claim, node) = claims[activity] else { return "no claim" }
            return try await renew(claim, on: node, now)
        case .carryOut(let activity, let step):
            guard let (claim, node) = claims[activity] else { return "no claim" }
            return try await carryOut(claim, on: nodes[node], step)
        case .release(let activity):
            guard let (claim, node) = claims[activity] else { return "no claim" }
            await nodes[node].deliveries.release(claim)
            return "released"
        }
    }

    private mutating func claim(_ node: Int, _ now: Moment) async throws(EventStoreError) -> String
    {
        let given = try await nodes[node].deliveries.claimNext(9, .all, now)
        for claim in given { claims[claim.snapshot.activityID.rawValue] = (claim, node) }
        let next = try await nodes[node].deliveries.nextDue()
        let words = given.sorted { $0.snapshot.activityID < $1.snapshot.activityID }.map(\.inWords)
        return "\(words) next \(next?.rfc3339 ?? "never")"
    }

    private mutating func renew(
        _ claim: DeliveryClaim, on node: Int, _ now: Moment
    ) async throws(EventStoreError) -> String {
        let renewed = try await nodes[node].deliveries.renew(claim, now)
        guard let renewed else { return "nothing since" }
        claims[claim.snapshot.activityID.rawValue] = (renewed, node)
        return renewed.inWords
    }

    private mutating func carryOut(
        _ claim: DeliveryClaim, on store: EventStore, _ step: Question.Step
    ) async throws(EventStoreError) -> String {
        let (deliveries, startStore) = (store.deliveries, store.startDeliveries)
        switch step {
        case .push(let onlyOwed, let now, let limit, let results):
            let after = claim.progress?.afterRegistrationID ?? 0
            let page = try await deliveries.page(claim, onlyOwed, now, after, limit)
            try await deliveries.record(
                claim,
                zip(page, results).map { claim.result(of: $0, $1) })
            return "\(page.map(\.inWords))"
        case .complete(let now):
            try await deliveries.complete(
                claim,
                .init(
                    carriedBy: claim.pending.last?.version ?? 0, timestamp: nil, accepted: 1,
                    failed: 0, completedAt: now))
            return "settled"
        case .startAll(let state, let due, let isDead):
            return try await start(
                try await startStore.page(claim, 0, 9), claim, startStore, state, due, isDead)
        case .startDue(let now, let state, let due):
            return try await start(
                try await startStore.due(claim, now, 0, 9), claim, startStore, state, due, false)
        case .restart(let restartVersion, let state, let due):
            try await startStore.overtake(claim, restartVersion)
            let page = try await startStore.page(claim, restartVersion, 0, 9)
            let started = try await start(page, claim, startStore, state, due, false)
            let replaced = try await startStore.replaced(claim, 0, 9)
            return "\(started), replaced \(replaced.map { $0.pushToken.hex.prefix(1) })"
        case .endReplaced(let results):
            let replaced = try await startStore.replaced(claim, 0, 9)
            try await startStore.recordEnds(
                claim,
                zip(replaced, results).map {
                    PhoneResult(
                        registrationID: $0.id, tokenVersion: $0.tokenVersion, effect: $1)
                })
            return "ended \(replaced.map(\.inWords))"
        case .recordAfterLosingClaim(let state, let due):
            let left = unanswered.removeValue(forKey: claim.snapshot.activityID.rawValue)
            guard let left else { return "nothing is left" }
            try await startStore.recordAfterLosingClaim(
                left.claim, Self.results(left.phones, state, due, false))
            return "handed in \(left.phones.count)"
        case .markLeftoverStartsUnknown:
            try await startStore.markLeftoverStartsUnknown(claim)
            return "marked others unknown"
        case .finish:
            try await startStore.finish(claim)
            return "finished"
        case .close:
            try await startStore.close(claim)
            return "closed"
        }
    }

    /// - Parameter state: that the phones' starts come to; `trying` leaves them on their way.
    private mutating func start(
        _ page: [StartCandidate], _ claim: DeliveryClaim, _ startStore: any StartDeliveryStore,
        _ state: StartState, _ due: Moment?, _ isDead: Bool
    ) async throws(EventStoreError) -> String {
        let intents = page.filter { $0.token != nil && !$0.hasCard }.map { candidate in
            StartIntent(
                candidate, start: CardStart(state: .trying, attempts: 1, dueAt: due),
                budget: Sample.event("").data)
        }
        let begun = try await startStore.begin(claim, intents)
        let phones = page.filter { begun.contains($0.deviceID) }
        if state == .trying {
            unanswered[claim.snapshot.activityID.rawValue] = (claim, phones)
        }
        let results = Self.results(phones, state, due, isDead)
        try await startStore.record(claim, results, page.last?.deviceID)
        let words = page.map { candidate in
            """
            \(candidate.token?.pushToken.hex.prefix(1) ?? "-") \(candidate.budgetVersion) \
            \(candidate.start.map { "\($0.state)" } ?? "-") \(candidate.hasCard) \
            \(candidate.replacedRegistrationID != nil)
            """
        }
        return "\(words), begun \(begun.count)"
    }

    private static func results(
        _ phones: [StartCandidate], _ state: StartState, _ due: Moment?, _ isDead: Bool
    ) -> [StartResult] {
        guard state != .trying else { return [] }
        let start = CardStart(state: state, attempts: 1, dueAt: state == .waiting ? due : nil)
        return phones.map {
            StartResult($0, start: start, isTokenDead: isDead, isUnsent: state == .waiting)
        }
    }

    /// Everything that is folded and decided, in words.
    func contents(_ activities: [String]) async throws(EventStoreError) -> [String] {
        var lines: [String] = []
        for name in activities {
            let activity = ActivityID(rawValue: name)
            let rows = try await nodes[0].projections.decisions(tenant, activity, 0, 200)
            lines += rows.map { "\(name) \($0.decision.version) \($0.outcome != nil)" }
            let report = try await nodes[0].startTokens.audience(tenant, activity)
            let counts = report?.counts.map { "\($0.key) \($0.value)" }.sorted()
            let nextAt = report?.nextAt?.rfc3339 ?? "never"
            lines.append(
                "\(name) \(counts ?? []) \(nextAt) \(report?.isComplete ?? false) "
                    + "\(report?.isClosed ?? false)")
        }
        return lines
    }
}

extension DeliveryClaim {
    fileprivate var inWords: String {
        let audience = audience.map { "\($0.putVersion) \($0.isDue)" } ?? "none"
        let resumed = progress.map { round in
            "v\(round.completesUpTo) \(round.accepted)+\(round.failed)@\(round.timestamp ?? 0)"
        }
        return """
            \(snapshot.activityID) v\(snapshot.version) settles \(completesUpTo) \
            pending \(pending.map(\.version)) then \(upcoming?.version ?? 0) \
            after \(lastCompleted?.version ?? 0) \
            at \(timestamp) resumed \(resumed ?? "not") audience \(audience) \
            restart \(openRestartVersion ?? 0) starts \(mayStartCards) policies \(policies.revision)
            """
    }

    /// Of a phone that is owed nothing, the round's progress says that it has had what is
    /// completed.
    fileprivate func result(of phone: Registration, _ result: PhoneResult.Effect) -> PhoneResult {
        guard case .accepted(let version) = result, phone.isUpToDate, version <= completesUpTo,
            completesUpTo > 0
        else {
            return PhoneResult(
                registrationID: phone.id, tokenVersion: phone.tokenVersion, effect: result)
        }
        return PhoneResult(
            registrationID: phone.id, tokenVersion: phone.tokenVersion,
            effect: .accepted(version: completesUpTo), needsNoWrite: true,
            wasCoveredByEarlierPush: completesUpTo.isMultiple(of: 2))
    }
}

extension Registration {
    fileprivate var inWords: String {
        "\(pushToken.hex.prefix(1)) \(sentVersion) \(attempts) \(isOwed) \(isProven)"
    }
}
