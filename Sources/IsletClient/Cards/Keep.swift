import Foundation

/// All that a `CardKeeper` remembers over a restart of the app.
struct Keep: Codable, Sendable {
    /// The app's own name for its copy on this phone; nobody else can guess it.
    var installation = UUID().uuidString.lowercased()
    var cards: [KeptCard] = []
    var startTokens: [KeptStartToken] = []

    struct KeptStartToken: Codable, Hashable, Sendable {
        var token: StartToken
        var isHandedOver = false
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
            let index = cards.firstIndex { $0.state.isOver } ?? oldest
            forgotten.append(cards.remove(at: index).activity)
        }
        return forgotten
    }

    private var oldest: Int {
        cards.indices.min { cards[$0].changedAt < cards[$1].changedAt } ?? 0
    }

    /// Lets others go first: one whose activity nobody knows must not hold up the rest.
    mutating func putLast(card id: String) {
        guard let index = cards.firstIndex(where: { $0.id == id }) else { return }
        cards.append(cards.remove(at: index))
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
}
