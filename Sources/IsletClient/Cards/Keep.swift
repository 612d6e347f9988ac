import Foundation

/// All that a `CardKeeper` remembers over a restart of the app.
struct Keep: Codable, Sendable {
    /// The app's own name for its copy on this phone; nobody else can guess it.
    var installation = UUID().uuidString.lowercased()
    /// Of one activity in the order in which they came.
    var cards: [KeptCard] = []
    var startTokens: [KeptStartToken] = []
    /// Without topics: the backend is to remove what a person who has signed out followed.
    var leftTokens: [StartToken] = []

    struct KeptStartToken: Codable, Hashable, Sendable {
        var token: StartToken
        var isHandedOver = false
        /// When the backend last took it. Nil also in what an earlier build of the app kept.
        var handedOverAt: Date?
    }

    init() {}

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        installation = try members.decode(String.self, forKey: .installation)
        cards = try members.decode([KeptCard].self, forKey: .cards)
        // ActivityKit gives them again at each launch; an earlier version spelled them otherwise.
        startTokens = (try? members.decode([KeptStartToken].self, forKey: .startTokens)) ?? []
        leftTokens = (try? members.decode([StartToken].self, forKey: .leftTokens)) ?? []
    }

    /// Changes a card, or the new one of that name.
    /// - Returns: the activities of cards that there was no room for.
    mutating func change(
        card id: String, of activity: String, at now: Date, _ change: (inout KeptCard) -> Void
    ) -> [String] {
        if let index = cards.firstIndex(where: { $0.id == id }) {
            change(&cards[index])
            cards[index].changedAt = now
            return []
        }
        var card = KeptCard(id: id, activity: activity, changedAt: now)
        change(&card)
        cards.append(card)
        return makeRoom()
    }

    /// Those that are over go first, then the oldest.
    private mutating func makeRoom() -> [String] {
        var forgotten: [String] = []
        while cards.count > Limits.cardsMax {
            let index = cards.firstIndex { $0.isOver } ?? oldest
            forgotten.append(cards.remove(at: index).activity)
        }
        return forgotten
    }

    private var oldest: Int {
        cards.indices.min { cards[$0].changedAt < cards[$1].changedAt } ?? 0
    }

    /// The next thing to do about a card.
    func next(_ card: KeptCard, _ profile: AppProfile) -> KeptCard.Step? {
        let step = card.next(profile)
        switch step {
        // What is said of the installation is said of its newest card, and closes what it has. That
        // may be one that listens and is yet to be started.
        case .report(.ended, nil)
        where newer(than: card) != nil || hasLiving(beside: card) || card.isReplaced == true:
            return nil
        // The phone shows another one, of which the person has said nothing.
        case .report(.dismissed, nil) where newer(than: card)?.isOver == false: return nil
        // The newest request of a phone counts, and is to be about its newest card.
        case .register where newer(than: card)?.isServed == true: return nil
        default: return step
        }
    }

    private func hasLiving(beside card: KeptCard) -> Bool {
        cards.contains { $0.isBeside(card) && $0.id != card.id && $0.isServed }
    }

    /// The newest of the same activity and person, unless it is this one or Islet never had it.
    func newer(than card: KeptCard) -> KeptCard? {
        cards.reversed().prefix { $0.id != card.id }
            .first { $0.isBeside(card) && !$0.wasNeverHeardOf }
    }

    /// Islet is asked for the activity's channel.
    mutating func asksToListen(to activity: String) {
        for index in cards.indices
        where cards[index].activity == activity && cards[index].registered != nil
            && cards[index].installation == nil
        {
            cards[index].mayListen = true
        }
    }

    /// - Parameter isDone: whether Islet may have closed the tokens without saying so. They are
    ///   reported again then, because the newest request of a phone counts.
    mutating func hasAsked(for activity: String, isDone: Bool) {
        for index in cards.indices
        where cards[index].activity == activity && cards[index].mayListen == true {
            if isDone { cards[index].forgetRegistration() } else { cards[index].mayListen = nil }
        }
    }

    /// Of several cards of one activity the one that came last. What was never heard of has come
    /// while the app was not running.
    func newest(among ids: [String]) -> String? {
        ids.last { id in !cards.contains { $0.id == id } }
            ?? cards.last { ids.contains($0.id) }?.id
    }

    /// It came after the others of its activity, whenever each was heard of.
    mutating func putLast(_ id: String) {
        guard let index = cards.firstIndex(where: { $0.id == id }) else { return }
        cards.append(cards.remove(at: index))
    }

    /// The phone is about to start a card that listens. The cards that it has of the activity get
    /// no more pushes, unless their tokens are reported again.
    mutating func listens(to activity: String) {
        for index in cards.indices
        where cards[index].activity == activity && !cards[index].isOver {
            if cards[index].token != nil { cards[index].isReplaced = true }
            cards[index].token = nil
            cards[index].forgetRegistration()
        }
    }

    /// The app was launched, and these cards are there.
    /// - Returns: names of those that no longer are.
    mutating func begin(living: Set<String>) -> [String] {
        for index in cards.indices {
            cards[index].refusals = nil
            if cards[index].closedBy == KeptCard.replaced, !cards[index].state.isOver {
                cards[index].tryAgain()
            }
            // The app went away before it heard an answer.
            if cards[index].mayListen == true { cards[index].forgetRegistration() }
            let isThere = cards[index].state.isOver || living.contains(cards[index].id)
            cards[index].isGone = isThere ? nil : true
        }
        return cards.filter { $0.isGone == true }.map(\.id)
    }

    /// They were not gone.
    /// - Returns: names of those that were taken for gone.
    mutating func find(_ ids: Set<String>) -> [String] {
        let found = cards.indices.filter { cards[$0].isGone == true && ids.contains(cards[$0].id) }
        for index in found { cards[index].isGone = nil }
        return found.map { cards[$0].id }
    }

    /// The phone may have been away, and APNs keeps one push of all that an app is sent. Islet
    /// sends the newest state of a card, or its end, when its token is registered once more.
    ///
    /// Nobody says that a push-to-start token is lost: APNs may have refused it, or a backup was
    /// restored that does not have it. So it is handed over once more from time to time.
    mutating func renew(at now: Date) {
        for index in cards.indices where mayHaveMissed(cards[index], at: now) {
            // Islet knows the token as before: what becomes of the card is reported under it.
            cards[index].registeredAs = nil
        }
        for index in startTokens.indices where !startTokens[index].token.topics.isEmpty {
            if isDue(startTokens[index].handedOverAt, after: Limits.startTokenSeconds, at: now) {
                startTokens[index].isHandedOver = false
            }
        }
    }

    private func mayHaveMissed(_ card: KeptCard, at now: Date) -> Bool {
        guard card.isServed, card.installation == nil, card.closedBy == nil,
            card.mayListen != true, card.registered == card.token,
            newer(than: card)?.isServed != true
        else { return false }
        return isDue(card.answeredAt, after: Limits.renewalSeconds, at: now)
    }

    /// What was last done then is to be done once more.
    private func isDue(_ doneAt: Date?, after seconds: Double, at now: Date) -> Bool {
        guard let doneAt else { return true }
        // The phone's clock may have been set back.
        return abs(now.timeIntervalSince(doneAt)) >= seconds
    }

    /// Forgets the cards that no phone shows any more.
    mutating func tidy(at now: Date) {
        cards.removeAll { now.timeIntervalSince($0.changedAt) > Limits.cardSecondsMax }
    }

    mutating func put(_ token: StartToken) {
        if let index = startTokens.firstIndex(where: { $0.token.kind == token.kind }) {
            if startTokens[index].token == token { return }
            startTokens[index] = KeptStartToken(token: token)
        } else if startTokens.count < Limits.startTokensMax {
            startTokens.append(KeptStartToken(token: token))
        }
    }

    /// Takes over what was kept before, behind which this is newer.
    mutating func continues(_ earlier: Keep) {
        // Reported meanwhile by a name that nobody has from now on.
        for index in cards.indices {
            cards[index].forgetRegistration()
            cards[index].reported = .active
        }
        takeOver(earlier.cards)
        let tokens = startTokens.map(\.token)
        (installation, startTokens) = (earlier.installation, earlier.startTokens)
        leftTokens = earlier.leftTokens + leftTokens
        for var token in tokens {
            token.installation = installation
            put(token)
        }
    }

    /// Newer reports count, and come after what was kept before.
    mutating func takeOver(_ earlier: [KeptCard]) {
        var older: [KeptCard] = []
        for card in earlier {
            if let index = cards.firstIndex(where: { $0.id == card.id }) {
                cards[index].continues(card)
            } else {
                older.append(card)
            }
        }
        cards = older + cards
    }
}
