public import Foundation

/// The app's side of Islet: tells it which cards this phone has, under which tokens, and what
/// becomes of them, until it is known, however often the network or the app goes away meanwhile.
///
/// One keeper for an app. Whatever it gets it remembers at once and carries out by itself: no call
/// waits for the network but `settle`, `signOut`, `following` and `card(of:as:)`.
public actor CardKeeper {
    /// Asks the app's own backend for a ticket for an activity. After 20 seconds it is cancelled,
    /// and called again later.
    public typealias TicketSource = @Sendable (_ activity: String) async throws -> Secret
    /// Gives a push-to-start token to the app's own backend, within 20 seconds as well. Throw a
    /// `ClientError` to have the news say why it was not taken; of other errors they name the type.
    /// What a `ClientError` says is refused for good is not tried again before the next launch.
    /// After the person's sign-out it is given up, also if the backend answers with a status such
    /// as 401 or 403: throw `unreadable`.
    public typealias StartTokenTaker = @Sendable (StartToken) async throws -> Void

    /// The results of the work, to be shown or logged; the newest ones, when nobody reads.
    public nonisolated let news: AsyncStream<CardNews>

    let server: Server
    let tickets: TicketSource
    let takeStartToken: StartTokenTaker?
    let store: (any StateStore)?
    let retries: RetryPolicy
    let timing: Timing
    let newsSink: AsyncStream<CardNews>.Continuation
    var profile: AppProfile
    var keep: Keep
    var ticketOf: [TicketKey: KeptTicket] = [:]
    /// What ActivityKit shows of each kind that is followed.
    var shownKinds: [String: ShownKind] = [:]
    /// Where the push-to-start tokens of each kind come from that are followed.
    var startTokenSources: [String: StartTokenSource] = [:]
    /// Names of cards of people who have signed out, of which nothing more is to be reported.
    var left: Set<String> = []
    /// What of `startTokens` the backend has refused for good since the launch.
    var refusedTokens: Set<StartToken> = []
    /// How many people have signed out since the launch.
    var signOuts = 0
    /// How often something of theirs was refused for good.
    var leftRefusals = 0
    /// How many calls of `following` wait for an answer, by the phone's name in them.
    var asking: [String: Int] = [:]
    /// A person has signed out of whom it could not be read what was kept.
    var hasLeft = false
    /// What was kept before could not be read yet, as before the phone's first unlocking.
    private(set) var isUnread = false
    /// The cards that there were at the launch.
    private var living: Set<String>?
    var backoffs: [WorkItem: Backoff] = [:]
    /// What is under way.
    var running: [WorkQueue: Task<Void, Never>] = [:]
    var pause: Task<Void, any Error>?
    var settling: [UUID: CheckedContinuation<Void, Never>] = [:]
    var isStopped = false

    /// - Parameters:
    ///   - store: where it remembers; with nil until the process ends.
    ///   - handOver: what gives push-to-start tokens to the app's backend.
    public init(
        server: URL, profile: AppProfile, store: (any StateStore)?,
        transport: HTTPTransport = .urlSession(), tickets: @escaping TicketSource,
        handOver: StartTokenTaker? = nil
    ) {
        self.init(
            server: server, profile: profile, store: store, transport: transport,
            timing: Timing(), tickets: tickets, handOver: handOver)
    }

    package init(
        server: URL, profile: AppProfile, store: (any StateStore)?, transport: HTTPTransport,
        timing: Timing, tickets: @escaping TicketSource, handOver: StartTokenTaker?
    ) {
        self.server = Server(url: server, transport: transport)
        self.profile = profile
        self.store = store
        self.timing = timing
        self.tickets = tickets
        takeStartToken = handOver
        // Never more often than every five minutes when it stays away.
        retries = RetryPolicy(
            firstPause: .seconds(1), pauseMax: .seconds(Limits.pauseSecondsMax))
        (news, newsSink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Limits.newsMax))
        do { keep = try Self.read(self.store) ?? Keep() } catch {
            // Better a phone that registers again than none.
            keep = Keep()
            isUnread = !(error is DecodingError)
            newsSink.yield(.notKept("what was kept cannot be read"))
        }
    }

    private static func read(_ store: (any StateStore)?) throws -> Keep? {
        try store?.load().map { try JSONDecoder().decode(Keep.self, from: $0) }
    }

    deinit { newsSink.finish() }

    /// The app's own name for its copy on this phone.
    public var installation: String { keep.installation }

    /// Goes on with what was left undone: call it when the app is launched. What Islet had refused
    /// is tried once more, as is a token that it took for replaced, and what `settle` renews is
    /// renewed.
    /// - Parameter living: names of the cards that there are, `Activity.activities.map(\.id)` of
    ///   every kind. One that is gone was swiped away or ended while the app was not running.
    ///   Nobody knows which, so a few seconds later it is reported as ended, unless `followCards`
    ///   finds that it is there after all.
    public func resume(living: Set<String>) {
        self.living = living
        begin()
        changed()
    }

    private func begin() {
        guard let living else { return }
        refusedTokens = []
        keep.tidy(at: timing.now())
        let graceEnd = timing.now().addingTimeInterval(Limits.goneSeconds)
        for id in keep.begin(living: living) {
            // ActivityKit may yet say that it is there.
            backoffs[.card(id: id)] = Backoff(notBefore: graceEnd, askedUntil: graceEnd)
        }
        keep.renew(at: timing.now())
        renewStartTokens()
    }

    /// Cards that ActivityKit has now, whatever it had at the launch.
    func areThere(_ ids: Set<String>) {
        living?.formUnion(ids)
        let found = keep.find(ids)
        if found.isEmpty { return }
        for id in found { backoffs[.card(id: id)] = nil }
        keep.renew(at: timing.now())
    }

    /// A card has a push token, its first or another one.
    public func card(_ id: String, of activity: String, hasToken token: Secret) {
        change(id, activity) {
            $0.isGone = nil
            $0.get(token)
        }
    }

    /// A card was started that listens to a channel and has no token.
    public func cardListens(_ id: String, of activity: String) {
        change(id, activity) {
            $0.isGone = nil
            ($0.token, $0.isReplaced) = (nil, nil)
        }
    }

    /// ActivityKit says that a card has become something else. A card that has ended is dismissed
    /// sooner or later, by iOS or by the person, which says nothing of what the person wants.
    public func card(_ id: String, of activity: String, became state: CardState) {
        change(id, activity) {
            $0.isGone = nil
            $0.become(state)
        }
    }

    /// The app is about to end a card itself, for example because another one takes its place.
    /// ActivityKit says `dismissed` of such a card as of one that was swiped away, after which the
    /// person is shown no other one of the activity.
    public func willEnd(_ id: String, of activity: String) {
        card(id, of: activity, became: .ended)
    }

    /// The person has allowed frequent updates or forbidden them, or has another language.
    public func setProfile(_ profile: AppProfile) {
        guard profile != self.profile else { return }
        self.profile = profile
        renewStartTokens()
        changed()
    }

    /// Each says what the profile says now.
    private func renewStartTokens() {
        for kept in keep.startTokens {
            keep.put(startToken(kept.token.token, kept.token.kind, kept.token.topics))
        }
    }

    /// `ActivityAuthorizationInfo().frequentPushesEnabled` has changed.
    public func setFrequentUpdates(_ areAllowed: Bool) {
        var profile = profile
        profile.frequentUpdates = areAllowed
        setProfile(profile)
    }

    /// There is a push-to-start token for a kind, or the person follows something else.
    /// - Parameter topics: such as `team:ARG`; with none the person follows nothing of this kind
    ///   any more, and the backend removes the token.
    public func canStart(_ kind: String, with token: Secret, topics: [String]) {
        let token = startToken(token, kind, topics)
        refusedTokens.remove(token)
        keep.put(token)
        changed()
    }

    private func startToken(_ token: Secret, _ kind: String, _ topics: [String]) -> StartToken {
        StartToken(
            installation: keep.installation, kind: kind, token: token, topics: topics,
            profile: profile)
    }

    func change(
        _ id: String, _ activity: String, _ change: (inout KeptCard) -> Void
    ) {
        guard !left.contains(id) else { return }
        if keep.cards.contains(where: { $0.id == id && $0.isGone == true }) {
            backoffs[.card(id: id)] = nil
        }
        let item = WorkItem.card(id: id)
        let waited = waitsToTryAgain(id) && backoffs[item]?.failures == 0
        let forgotten = keep.change(card: id, of: activity, at: timing.now(), change)
        // Only the token that was replaced had to wait.
        if waited, !waitsToTryAgain(id) { backoffs[item] = nil }
        for activity in forgotten { newsSink.yield(.forgotten(activity: activity)) }
        changed()
    }

    func changed() {
        isStopped = false
        save()
        // What is done waits for nothing, no matter who did it.
        let due = Set(items)
        backoffs = backoffs.filter { due.contains($0.key) }
        work()
    }

    func save() {
        do {
            try readEarlier()
            try store?.save(JSONEncoder().encode(keep))
        } catch {
            newsSink.yield(.notKept("\(type(of: error))"))
        }
    }

    /// What could not be read must not be written over before it was.
    func readEarlier() throws {
        guard isUnread else { return }
        // Reported since the launch, so that they are there, whatever there was at the launch.
        let reported = keep.cards.filter { $0.isGone != true }.map(\.id)
        do {
            if let earlier = try Self.read(store) {
                if hasLeft { leave(earlier) } else { keep.continues(earlier) }
            }
        } catch is DecodingError {
            newsSink.yield(.notKept("what was kept cannot be read"))
        }
        (isUnread, hasLeft) = (false, false)
        living?.formUnion(reported)
        begin()
    }

    /// Tries at once what waits, for example because the network is back, and returns when nothing
    /// is left to do, it has failed again, or the task is cancelled: for the moments that iOS gives
    /// an app at times. Only where the server asked to wait for some time it goes on waiting.
    ///
    /// Call it whenever the app comes to the front. A phone that was away does not get all pushes
    /// that it missed, so each card with a token is registered once more, at most every two
    /// minutes, and Islet sends it the newest state or the end. A push-to-start token is handed
    /// over once more a day after the backend took it, for Islet may have lost it. And what
    /// ActivityKit did not have at the launch is looked for.
    public func settle() async {
        if isUnread { save() }
        lookForCards()
        lookForStartTokens()
        keep.renew(at: timing.now())
        guard hasWork else { return }
        isStopped = false
        backoffs.releaseAll()
        work()
        if !running.isEmpty { await untilSettled() }
    }

    /// Ends the work until `resume`, `settle`, or the next thing that the keeper gets. What is left
    /// is remembered. A person who signs out takes more: `signOut`.
    public func stop() {
        isStopped = true
        for queue in running.values { queue.cancel() }
        work()
    }
}
