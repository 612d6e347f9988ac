public import Domain
public import EventStore

/// What a store of cards has to do, in memory: cards by token, in the order in which they came.
public struct CardModel: Sendable {
    private var cards: [(token: PushToken, state: CardState)] = []

    public init() {}

    public var served: [PushToken] { cards.filter { $0.state.closing == nil }.map(\.token) }

    public mutating func change(
        _ request: CardRequest, _ rules: RegistrationStore.Rules
    ) -> CardChange {
        let (named, former) = places(request)
        let change = rules(
            request,
            Cards(named: named.map { cards[$0].state }, former: former.map { cards[$0].state }))
        if let former, let state = change.former { cards[former].state = state }
        guard let state = change.named else { return change }
        if let named {
            cards[named].state = state
        } else if let token = newToken(request) {
            cards.append((token, state))
        }
        return change
    }

    private func places(_ request: CardRequest) -> (named: Int?, former: Int?) {
        func place(_ token: PushToken) -> Int? { cards.firstIndex { $0.token == token } }
        switch request {
        case .register(let wish):
            let known = place(wish.token).flatMap { cards[$0].state.installation }
            let installation = wish.installation ?? known
            let others = cards.indices.filter {
                cards[$0].token != wish.token && installation != nil
                    && cards[$0].state.installation == installation
            }
            return (
                place(wish.token),
                others.first { cards[$0].state.closing == .dismissed }
                    ?? others.first { cards[$0].state.closing == nil }
            )
        case .rotate(let from, let to): return (place(to), place(from))
        case .report(.token(let token), _), .remove(let token): return (place(token), nil)
        case .report(.installation(let name), _):
            let mine = cards.indices.filter { cards[$0].state.installation == name }
            return (mine.last { cards[$0].state.closing == nil } ?? mine.last, nil)
        case .listen(let name):
            let mine = cards.indices.filter { cards[$0].state.installation == name }
            return (
                mine.first { cards[$0].state.closing == .dismissed }
                    ?? mine.last { cards[$0].state.closing == nil } ?? mine.last, nil
            )
        }
    }

    private func newToken(_ request: CardRequest) -> PushToken? {
        switch request {
        case .register(let wish): wish.token
        case .rotate(_, let to): to
        case .report, .remove, .listen: nil
        }
    }
}
