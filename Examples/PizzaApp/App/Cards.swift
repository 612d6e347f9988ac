import ActivityKit
import Foundation
import IsletActivities
import IsletClient

/// The cards of this phone, and the one place where the app speaks to Islet.
@MainActor final class Cards {
    let backend: Backend
    let keeper: CardKeeper
    /// Hands over push-to-start tokens, until the person signs out.
    private var startTokens: Task<Void, Never>?
    /// What was begun before a sign-out starts no card after it.
    private var signOuts = 0
    /// When `catchUp` last read what cards that listen are to show, all of them.
    private var readAt = Date.distantPast

    init(backend: Backend, islet: URL) {
        self.backend = backend
        #if DEBUG
            // Builds that Xcode installs have tokens of the sandbox, all others of production. With
            // the wrong one APNs answers BadDeviceToken and the card stands still.
            let environment = PushEnvironment.sandbox
        #else
            let environment = PushEnvironment.production
        #endif
        keeper = CardKeeper(
            server: islet,
            profile: AppProfile(
                bundleID: Bundle.main.bundleIdentifier ?? "com.example.pizza",
                environment: environment,
                frequentUpdates: ActivityAuthorizationInfo().frequentPushesEnabled),
            store: try? FileStateStore(), tickets: backend.ticket, handOver: backend.take)
    }

    /// Everything that goes on as long as the app runs. Call it from the launch on, and also when
    /// iOS launches the app in the background because a push has started a card: the app has a few
    /// seconds then to say which token the card has, or the card never changes.
    func run() async {
        // iOS ends the app and not its cards.
        let pizzas = Activity<PizzaDeliveryAttributes>.activities.map(\.id)
        let matches = Activity<MatchAttributes>.activities.map(\.id)
        await keeper.resume(living: Set(pizzas + matches))
        followTopics(["team:ARG"])
        await withTaskGroup(of: Void.self) { [keeper] group in
            group.addTask { await keeper.followCards(PizzaDeliveryAttributes.self) }
            group.addTask { await keeper.followCards(MatchAttributes.self) }
            group.addTask { await keeper.followFrequentUpdates() }
            group.addTask {
                for await news in keeper.news { print("Islet: \(news)") }
            }
            await group.waitForAll()
        }
    }

    /// What the person follows, whose phone it is from now on.
    func followTopics(_ topics: [String]) {
        guard #available(iOS 17.2, *) else { return }
        startTokens?.cancel()
        // There is one such token for each attributes type, without any card, and it changes from
        // time to time: read the sequence from every launch on.
        startTokens = Task { [keeper] in
            await keeper.followStartTokens(MatchAttributes.self, topics: topics)
        }
    }

    /// Orders, and starts the order's card. A card can be started only while the app is in front.
    func order() async throws {
        // A person who signs out meanwhile is shown nothing.
        let before = signOuts
        let order = try await backend.placeOrder()
        guard before == signOuts, ActivityAuthorizationInfo().areActivitiesEnabled else { return }
        // Where orders have an audience, a push may have been quicker.
        guard !shows(PizzaDeliveryAttributes.self, order.id) else { return }
        var attributes = order.attributes
        // By this `followCards` knows whose card it is. A card that a push starts has it, too.
        attributes.activityID = order.id
        // No stale date of its own: Islet sends one with each push. If no push comes after it, the
        // phone calls the card stale, which is not ended, and the widget shows it as outdated.
        _ = try Activity.request(
            attributes: attributes, content: ActivityContent(state: order.state, staleDate: nil),
            pushType: .token)
        // There is no token yet: `request` returns before iOS has one. `followCards` hears of the
        // card and of its token, and of each one that takes its place. Should a push bring the same
        // card a moment later, it ends this one.
    }

    /// Whether there is a card of the activity already: each one more would be a second one.
    private func shows<Attributes: ActivityAttributes & CardAttributes>(
        _ type: Attributes.Type, _ id: String
    ) -> Bool {
        Activity<Attributes>.activities.contains {
            $0.attributes.activityID == id
                && ($0.activityState == .active || $0.activityState == .stale)
        }
    }

    /// Follows a match with the card that Islet says: one that listens to a channel, which a
    /// million phones may, or one with a token of its own. A match that is over gets none.
    func follow(_ match: MatchAttributes, _ id: String) async throws {
        // A push may have started it, or the person taps twice. It is kept up to date as it is.
        guard !shows(MatchAttributes.self, id) else { return }
        let before = signOuts
        var channel: PushType?
        switch try await keeper.following(id) {
        // The person swiped this match away before. Nothing brings it back.
        case .nothing: return
        case .pushToken: break
        case .channel(let name):
            if #available(iOS 18, *) { channel = .channel(name) }
        }
        let card: Activity<MatchAttributes>
        let version: Int64
        do {
            // Nothing to show, or nobody any more to show it to.
            guard let shown = try await keeper.card(of: id, as: MatchAttributes.self),
                !shown.hasEnded, before == signOuts
            else { return await tellTokens(of: id) }
            version = shown.version
            var attributes = match
            attributes.activityID = id
            card = try Activity.request(
                attributes: attributes,
                content: ActivityContent(
                    state: shown.contentState, staleDate: shown.staleDate(at: Date())),
                pushType: channel ?? .token)
        } catch {
            await tellTokens(of: id)
            throw error
        }
        guard channel != nil else { return await tellTokens(of: id) }
        let startedAt = Date()
        await keeper.cardListens(card.id, of: id)
        // A goal between the reading and the start, or the end, was broadcast to others only.
        guard let newest = try await keeper.card(of: id, as: MatchAttributes.self),
            newest.version != version
        else { return }
        await Self.show(newest, startedAt: startedAt, on: id, keeper)
    }

    /// When it gives the channel's name, Islet closes the token of a card that a push has started
    /// meanwhile. If no listening card comes of it, the app must report the tokens of the cards
    /// that are there once more, because the newest request of a phone counts. New tokens need no
    /// call like this one: `followCards` reports each that iOS gives, whether the app or a push
    /// started the card.
    private func tellTokens(of id: String) async {
        for card in Activity<MatchAttributes>.activities where card.attributes.activityID == id {
            guard let token = card.pushToken else { continue }
            await keeper.card(card.id, of: id, hasToken: Secret(pushToken: token))
        }
    }

    /// The app is in front, and the phone may have been away before: it does not get all pushes
    /// that it missed. Call it whenever the app comes to the front.
    func catchUp() async {
        // Islet sends what they missed to the cards that have a token.
        await keeper.settle()
        // A card that listens has none: the app reads what it is to show. A ticket is good for 20
        // requests in 20 minutes, so not every time.
        guard abs(readAt.timeIntervalSinceNow) >= 120 else { return }
        readAt = Date()
        let before = signOuts
        let listening = Activity<MatchAttributes>.activities.filter {
            $0.pushToken == nil && ($0.activityState == .active || $0.activityState == .stale)
        }
        for id in Set(listening.compactMap { $0.attributes.activityID }) where before == signOuts {
            do {
                guard let shown = try await keeper.card(of: id, as: MatchAttributes.self) else {
                    continue
                }
                await Self.show(shown, on: id, keeper)
            } catch {
                // Such as without network: they are read the next time.
                readAt = .distantPast
            }
        }
    }

    /// Not on the main actor, from which an `Activity` may not be sent to its own methods.
    /// - Parameter startedAt: when the card was started, if it was just now.
    private nonisolated static func show(
        _ shown: ShownCard<MatchAttributes>, startedAt: Date? = nil, on id: String,
        _ keeper: CardKeeper
    ) async {
        let content = ActivityContent(state: shown.contentState, staleDate: shown.staleAt)
        // iOS ignores an update with an earlier timestamp than another one of the card had, also
        // one by push. By the server's clock whatever is broadcast later has a later one; the
        // phone's may be wrong. A start may count as an update of its time by the phone's clock, so
        // that one is passed, unless the two are far apart.
        let asOf = shown.asOf ?? Date()
        let timestamp = startedAt.map { max(asOf, min($0, asOf.addingTimeInterval(5))) } ?? asOf
        for card in Activity<MatchAttributes>.activities
        where card.attributes.activityID == id && card.pushToken == nil {
            if shown.hasEnded {
                // It is not as if the person had swiped it away.
                await keeper.willEnd(card.id, of: id)
                await card.end(content)
            } else if #available(iOS 17.2, *) {
                // A card that listens has iOS 18 at least.
                await card.update(content, timestamp: timestamp)
            }
        }
    }

    /// The person signs out, and the next one on this phone is to get nothing of theirs. Your
    /// backend gives tickets for it once more, so its own sign-out comes afterwards. When the next
    /// person has signed in, call `followTopics`.
    func signOut() async {
        signOuts += 1
        // It would hand over what this person follows with the next person's tokens.
        startTokens?.cancel()
        if await !keeper.signOut() { print("Islet: what is left of the sign-out is sent later") }
    }
}
