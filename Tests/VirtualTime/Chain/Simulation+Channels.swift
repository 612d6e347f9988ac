import APNs
import Domain
import EventStore
import HTTP
import Projections
import Simulator

/// Channels: who wants one, who listens, and what is looked at with every broadcast.
extension Simulation {
    private static let app = AppInEnvironment(bundleID: bundleID, environment: .production)

    /// A tenant wants an activity told by broadcasts.
    func wantChannel() {
        let shop = thread.pick(shops)
        let activity = thread.pick(shop.activities).id
        let storage: Channel.Storage = thread.chance(oneIn: 2) ? .newest : .none
        log("\(shop.tenant.rawValue) wants a channel for \(activity)")
        Task { [self] in
            _ = await insist { (store) async throws(EventStoreError) in
                try await store.channels.want(shop.tenant, activity, Self.app, storage)
            }
        }
    }

    /// The app is opened, reads the state, and begins a card that listens.
    func listen() {
        let person = thread.pick(people)
        let shop = shops[person.shop]
        let channels = database.look { tables in
            tables.channels.filter { $0.tenant == shop.tenant && $0.state == .open }
        }.sorted { $0.id < $1.id }
        guard !channels.isEmpty else { return }
        let channel = thread.pick(channels)
        guard let subject = shop.activities.first(where: { $0.id == channel.activityID }),
            let open = channel.channelID,
            let snapshot = database.look({ $0[shop.tenant, subject.id].snapshot }),
            snapshot.phase != .ended, !person.isGone, !world.isAway(person.phone),
            world.phone(person.phone)?.cards.contains(where: { $0.activity == subject.id }) == false
        else { return }
        let start = ActivityStart(
            kind: subject.kind.name, activity: subject.id, contentState: snapshot.contentState)
        guard
            (try? world.start(start, on: person.phone, channel: open, now: thread.now)) != nil
        else { return }
        book.listeners.insert(CardName(person: person.name, activity: subject.id))
        log("\(person.name) listens to \(subject.id)")
    }

    /// A broadcast is at APNs, and if it is accepted, on the phones that listen and are there.
    func broadcast(_ request: Request, for app: TenantApp, _ lot: APNsRefusal?) -> APNsAnswer {
        let (answer, effects) = world.broadcast(request, refusedFor: lot, now: thread.now)
        let channel = request.headers["apns-channel-id"] ?? ""
        let push = SentPush(request.body, to: channel, at: thread.now)
        log("channel: \(push.event) \(push.timestamp) \(answer.refusal?.rawValue ?? "accepted")")
        if answer.refusal == nil { check(push, on: channel) }
        for case .observed(let event) in effects { noticed(event) }
        return answer
    }

    private func check(_ push: SentPush, on channel: String) {
        let owner = database.look { tables in
            tables.channels.first { $0.channelID == channel }
        }
        guard let owner else { return find("a broadcast went to a channel that nobody has") }
        let before = book.broadcasts[channel] ?? []
        book.broadcasts[channel] = before + [push]
        if before.contains(where: { $0.timestamp == push.timestamp }) {
            find("two broadcasts for \(owner.activityID) have the timestamp \(push.timestamp)")
        }
        let end = before.first { $0.event == "end" && !isTakenBack($0) }
        if push.event == "update", end != nil {
            find("a broadcast for \(owner.activityID) came after its end")
        }
        let rows = database.look { $0[owner.tenant, owner.activityID].ledger }
        if !rows.contains(where: { $0.decision.contentState == push.contentState }) {
            find("a channel was sent what was never decided about \(owner.activityID)")
        }
    }

    /// A phone that listens, and was there all the while, shows the newest state.
    func checkListeners() {
        for person in people where !person.isGone && !book.wasAway.contains(person.name) {
            for card in world.phone(person.phone)?.cards ?? [] where !card.phase.isOver {
                let name = CardName(person: person.name, activity: card.activity)
                guard book.listeners.contains(name), !card.isNeverShown,
                    let channel = card.channel
                else { continue }
                let known = database.look { $0[shops[person.shop].tenant, card.activity] }
                let isServed = known.channels.contains {
                    $0.channel.channelID == channel && $0.channel.state == .open
                        && $0.channel.lastFailure == nil
                }
                guard isServed else { continue }
                if isBehind(card, known.ledger) {
                    find("\(person.name) listens and is not shown the newest of \(card.activity)")
                }
            }
        }
    }
}
