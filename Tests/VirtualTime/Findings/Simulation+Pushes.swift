import Domain
import EventStore
import Simulator

/// What is looked at with every push and whatever a phone makes of it.
extension Simulation {
    /// A push has come to APNs.
    func received(_ push: SentPush, _ events: [PhoneEvent]) {
        var push = push
        push.isObeyed = events.contains {
            $0.entry.timestamp == push.timestamp && $0.ignoredReason == nil
        }
        let name = name(of: push)
        let answer = push.refusal?.rawValue ?? "accepted"
        log(
            "\(name?.person ?? "?") \(name?.activity.rawValue ?? "?"): "
                + "\(push.event) \(push.timestamp) \(answer) \(push.words?.body ?? "")")
        check(push, for: name)
        book.note(push, for: name)
        for event in events { noticed(event) }
    }

    /// APNs tells the connection to go away.
    /// - Parameter seconds: how long what is under way on it takes at most.
    func close(_ connection: UInt64, within seconds: Double) {
        let until = thread.now.adding(seconds: seconds)
        book.closing[connection] = book.closing[connection] ?? until
    }

    /// True when a push comes by a connection that has been told to go away long enough ago.
    func refusesStreams(on connection: UInt64) -> Bool {
        guard let until = book.closing[connection], until < thread.now else { return false }
        find("a push came by a connection that was told to go away")
        return true
    }

    /// It told of what a restored log does not have.
    func isTakenBack(_ push: SentPush) -> Bool {
        book.restoredAt.map { push.at < $0 } ?? false
    }

    private func name(of push: SentPush) -> CardName? {
        if let owner = book.owners[push.tokenHex] { return owner }
        guard let person = book.startTokens[push.tokenHex], let activity = push.startedActivity
        else { return nil }
        return CardName(person: person, activity: activity)
    }

    func ledger(of name: CardName) -> [LedgerRow] {
        guard let person = people.first(where: { $0.name == name.person }) else { return [] }
        let tenant = shops[person.shop].tenant
        return database.look { $0[tenant, name.activity].ledger }
    }

    func cards(of name: CardName) -> [MemoryCard] {
        guard let person = people.first(where: { $0.name == name.person }) else { return [] }
        let tenant = shops[person.shop].tenant
        return database.look { $0[tenant, name.activity].cards }
    }

    private func check(_ push: SentPush, for name: CardName?) {
        guard let name else { return find("a push went to a token that nobody told of") }
        if let refusal = push.refusal {
            let isDead = [.expiredToken, .unregistered].contains(refusal)
            if !push.isExpected, !isDead { find("APNs refused a push: \(refusal)") }
        }
        let before = (book.pushes[push.tokenHex] ?? []).filter { $0.refusal == nil }
        // A push-to-start token is that of all activities of a kind.
        let isTwin = before.contains {
            $0.timestamp == push.timestamp && $0.startedActivity == push.startedActivity
        }
        if push.refusal == nil, isTwin {
            find("\(name.person) was sent two pushes with the timestamp \(push.timestamp)")
        }
        let end = before.first {
            $0.event == "end" && $0.timestamp < push.timestamp && !isTakenBack($0)
        }
        if end != nil, push.event == "update" {
            find("\(name.person) was sent an update after the end")
        }
        let card = cards(of: name).first { $0.token.hex == push.tokenHex }
        if let deadAt = card?.deadAt, deadAt.unixSeconds < push.timestamp {
            find("\(name.person)'s dead token was sent a push")
        }
        if let unfit = book.unfit[push.tokenHex], unfit.timestamp < push.timestamp,
            card?.state.tokenVersion == unfit.tokenVersion
        {
            find("\(name.person) was sent a push to a token that APNs does not know")
        }
        let rows = ledger(of: name)
        if !rows.contains(where: { $0.decision.contentState == push.contentState }) {
            find("\(name.person) was sent what was never decided about \(name.activity)")
        }
        // The end of a card that a fresh one has taken the place of may come with a later round.
        let isReplacementEnd = push.event == "end" && card?.state.closing == .replaced
        if !isReplacementEnd { checkPriority(push, rows, for: card?.isFrequent == true) }
        let restarts = rows.count { $0.decision.order?.restarts == true }
        if push.event == "start", push.refusal == nil, book.starts[name] ?? 0 > restarts {
            find("\(name.activity) was started once more on the phone of \(name.person)")
        }
    }

    /// A push at priority 10 carries out a decision that the budget has allowed it.
    private func checkPriority(
        _ push: SentPush, _ rows: [LedgerRow], for isFrequent: Bool
    ) {
        guard push.isImmediate, push.event != "start" else { return }
        let newsSeconds = 700.0
        let isAllowed = rows.contains { row in
            guard row.decision.isImmediate(for: isFrequent ? .frequent : .standard)
            else { return false }
            guard let outcome = row.outcome else { return true }
            let latest = max(row.decision.decidedAt, outcome.completedAt)
            return push.at.seconds(since: latest) < newsSeconds
        }
        if !isAllowed { find("a push has priority 10 that no decision has") }
    }

    /// Something has changed on a phone, or a push was passed over.
    func check(_ event: PhoneEvent, _ person: Person) {
        guard let timestamp = event.entry.timestamp else { return }
        if let reason = event.ignoredReason {
            if !isHonest(reason, event.entry.outcome, person) {
                find("the phone of \(person.name) passed a push over: \(reason)")
            }
            return
        }
        // A start is on its way for a while. What waits for somebody APNs drops in time.
        let isLate = { (warning: String) in
            warning.contains("never shown")
                && self.thread.now.seconds(since: Moment(unixSeconds: timestamp)) < 60
        }
        if let warning = event.entry.warnings.first(where: { !isLate($0) }) {
            find("the phone of \(person.name) found a mistake: \(warning)")
        }
        let name = CardName(person: person.name, activity: event.entry.activity)
        let card = world.phone(person.phone)?.cards.last {
            $0.activity == name.activity && $0.lastTimestamp == timestamp
        }
        guard let card else { return }
        // APNs may have kept it for a phone that was away, and what should take its place was lost.
        if let restoredAt = book.restoredAt, timestamp < restoredAt.unixSeconds { return }
        let shown = book.shownVersion[name] ?? 0
        let row = ledger(of: name).first {
            $0.decision.version >= shown && $0.decision.contentState == card.face.contentState
        }
        guard let row else {
            return find("\(name.activity) went backwards on the phone of \(person.name)")
        }
        book.shownVersion[name] = row.decision.version
    }

    /// What even a sender without fault cannot prevent.
    private func isHonest(
        _ reason: String, _ outcome: PhoneLogEntry.Outcome, _ person: Person
    ) -> Bool {
        outcome == .outdated || reason.hasSuffix("already") || reason.contains("MaximumExceeded")
            || reason.hasPrefix("the budget of") || reason.contains("never shown")
            || (reason.contains("too old") && book.wasAway.contains(person.name))
    }
}
