import Domain
import EventStore
import Pipeline
import Simulator
import TestSupport

/// What is true after every step, and what must be when nothing is on its way any more.
extension Simulation {
    /// What is still on its way; nil when nothing is.
    var unrest: String? {
        for (name, requests) in book.unsent
        where !requests.isEmpty && !people.contains(where: { $0.name == name.person && $0.isGone })
        {
            return "\(name.person) has something to say of \(name.activity)"
        }
        return database.look { tables in
            for tenant in tables.tenants {
                if tenant.checkpoint < tenant.head { return "events are not folded" }
                for (id, indexed) in tenant.activities where indexed.activity.snapshot != nil {
                    let activity = indexed.activity
                    if !activity.pending.isEmpty { return "a decision about \(id) is not sent" }
                    let owed = activity.cards.first { $0.retryAt != nil }
                    if let owed { return "\(owed.state.installation ?? "") is owed \(id)" }
                    let channel = activity.channels.first {
                        $0.channel.state == .open && $0.channel.retryAt != nil
                    }
                    if channel != nil { return "a channel is owed \(id)" }
                    if activity.starts.contains(where: activity.isEnding) {
                        return "an old card of \(id) is not ended"
                    }
                }
            }
            return nil
        }
    }

    func checkAfterStep() {
        let sentence = database.look { tables -> String? in
            for tenant in tables.tenants {
                let mark = [tenant.head, tenant.checkpoint]
                guard book.checked[tenant.tenant.id] != mark else { continue }
                book.checked[tenant.tenant.id] = mark
                if let sentence = Self.flaw(in: tenant) { return sentence }
            }
            return nil
        }
        if let sentence { find(sentence) }
    }

    private static func flaw(in tenant: MemoryTenant) -> String? {
        guard tenant.events.map(\.position) == Array(1..<(tenant.head + 1)) else {
            return "positions are not dense"
        }
        let parked = Set(tenant.parked.map(\.position))
        for (id, indexed) in tenant.activities {
            let stream = tenant.stream(id)
            guard stream.map(\.version) == Array(1..<(Int64(stream.count) + 1)) else {
                return "versions of \(id) are not dense"
            }
            let folded = stream.filter {
                $0.position <= tenant.checkpoint && !parked.contains($0.position)
            }
            guard folded.map(\.version) == indexed.activity.ledger.map(\.decision.version) else {
                return "the changes of \(id) have not one decision each"
            }
        }
        return nil
    }

    func checkAtRest() {
        if let unrest { find("when all was quiet, \(unrest)") }
        for shop in shops { shop.checkLog() }
        database.look { $0.tenants }.forEach(checkFolded)
        for person in people where !person.isGone { checkShown(person) }
        checkListeners()
        for name in book.tokens.keys.sorted(by: { "\($0)" < "\($1)" }) {
            checkSaidOnce(name)
            checkDegrees(name)
            checkSaid(name)
        }
        checkAccounts()
    }

    /// The same log gives the same states and decisions.
    func checkFolded(_ tenant: MemoryTenant) {
        let outcome = BatchFolder.fold(
            FoldBatch(
                tenant: tenant.tenant.id, events: tenant.events, snapshots: [:],
                policies: TenantPolicies(tenant.policies.inOrder)))
        for snapshot in outcome.snapshots {
            var stored = tenant.activities[snapshot.activityID]?.activity.snapshot
            stored?.dueAt = snapshot.dueAt
            if stored != snapshot { find("\(snapshot.activityID) is another when folded anew") }
        }
        let decisions = Dictionary(grouping: outcome.decisions, by: \.activityID)
        for (id, decisions) in decisions.sorted(by: { $0.key < $1.key })
        where tenant.activities[id]?.activity.ledger.map(\.decision) != decisions {
            find("decisions about \(id) are others when made anew")
        }
    }

    /// A phone that can be reached shows the newest state.
    func checkShown(_ person: Person) {
        for card in world.phone(person.phone)?.cards ?? [] where !card.phase.isOver {
            guard let token = card.token, book.served.contains(token.hex) else { continue }
            let name = CardName(person: person.name, activity: card.activity)
            let all = cards(of: name)
            guard let registration = all.first(where: { $0.token == token }) else {
                find("the registration of \(person.name) for \(card.activity) is gone")
                continue
            }
            guard isServed(registration, name, among: all), !card.isNeverShown
            else { continue }
            if isBehind(card, ledger(of: name)) {
                find("\(person.name) is not shown the newest state of \(card.activity)")
            }
        }
    }

    /// Whether a card lacks the newest state that was to go out about its activity.
    func isBehind(_ card: Card, _ rows: [LedgerRow]) -> Bool {
        let end = rows.first { $0.decision.verdict == .end }
        guard let newest = end ?? rows.last(where: { $0.decision.verdict.pushes }) else {
            return false
        }
        let isNewest = rows.contains {
            $0.decision.version >= newest.decision.version
                && $0.decision.contentState == card.face.contentState
        }
        return end != nil || !isNewest
    }

    /// False for a card that there is a good reason not to push to.
    private func isServed(
        _ card: MemoryCard, _ name: CardName, among cards: [MemoryCard]
    ) -> Bool {
        let pushes = book.pushes[card.token.hex] ?? []
        if card.deadAt != nil {
            let reasons: [APNsRefusal] =
                card.isUnfit
                ? [.badDeviceToken, .deviceTokenNotForTopic] : [.expiredToken, .unregistered]
            let hasDied = pushes.contains { $0.refusal.map(reasons.contains) ?? false }
            if !hasDied { find("the token of \(name.person) was given up though it lives") }
            return false
        }
        switch card.state.closing {
        case nil: break
        case .dismissed where book.dismissed.contains(name): return false
        case .replaced where cards.contains(where: { $0.id != card.id }): return false
        case .replaced where book.starts[name] != nil: return false
        case .dismissed, .ended, .replaced, .removed, .broadcast:
            find("the card of \(name.person) is not served any more though it is there")
            return false
        }
        if card.lastFailure != nil {
            if pushes.last?.refusal == nil { find("\(name.person) failed without a failure") }
            return false
        }
        // What came back after a while was too old for the phone.
        let wasLate = pushes.last { $0.refusal == nil }.map { !$0.isObeyed } ?? false
        return !(wasLate && book.wasAway.contains(name.person))
    }

    /// What the ledger says went out, went out.
    private func checkAccounts() {
        var timestamps: [ActivityID: Set<Int64>] = [:]
        for push in book.pushes.values.joined() {
            let owner = book.owners[push.tokenHex]?.activity ?? push.startedActivity
            if let owner { timestamps[owner, default: []].insert(push.timestamp) }
        }
        for tenant in database.look({ $0.tenants }) {
            for (id, indexed) in tenant.activities.sorted(by: { $0.key < $1.key }) {
                let activity = indexed.activity
                checkTimestamps(activity, of: id, sent: timestamps[id] ?? [])
                checkRounds(activity, of: id)
                checkCounts(activity, of: id)
                checkBudget(activity, of: id)
            }
        }
    }

    /// What was completed was sent to each phone that was there all the while.
    private func checkRounds(_ activity: MemoryActivity, of id: ActivityID) {
        for row in activity.ledger {
            guard let outcome = row.outcome, outcome.accepted + outcome.failed == 0 else {
                continue
            }
            let wasThere = activity.cards.contains { card in
                card.registeredAt <= row.decision.decidedAt
                    && [card.closedAt, card.deadAt].allSatisfy {
                        $0.map { $0 > outcome.completedAt } ?? true
                    }
                    && card.sentVersion < row.decision.version
                    // A token that has replaced a dead one was not there yet.
                    && !activity.cards.contains { other in
                        other.id != card.id
                            && other.state.installation == card.state.installation
                            && other.deadAt.map { $0 <= outcome.completedAt } ?? false
                    }
            }
            if wasThere {
                return find("version \(row.decision.version) of \(id) was sent to nobody")
            }
        }
    }

    /// No round was sent to more phones than there have ever been.
    private func checkCounts(_ activity: MemoryActivity, of id: ActivityID) {
        let phones = activity.cards.count + activity.starts.count { $0.restartVersion > 0 }
        for row in activity.ledger {
            guard let outcome = row.outcome, outcome.accepted + outcome.failed > phones else {
                continue
            }
            return find("version \(row.decision.version) of \(id) counts phones twice")
        }
    }

    /// Every round that phones accepted has sent something: with its own timestamp, or before it
    /// was cut short with one that came before. One that failed may never have come to APNs. Those
    /// that were covered by an earlier push of it count as accepted: one of which all were has no
    /// timestamp.
    private func checkTimestamps(
        _ activity: MemoryActivity, of id: ActivityID, sent: Set<Int64>
    ) {
        var last: Int64 = 0
        var wasTold = false
        for outcome in activity.ledger.compactMap(\.outcome) where outcome.accepted > 0 {
            guard let timestamp = outcome.timestamp else {
                guard wasTold else { return find("nobody was told of \(id) ahead of a round") }
                continue
            }
            wasTold = true
            guard outcome.failed == 0 else { continue }
            guard timestamp == last || sent.contains(where: { last < $0 && $0 <= timestamp }) else {
                return find("nobody was sent push \(timestamp) of \(id) in the ledger")
            }
            last = timestamp
        }
    }
}
