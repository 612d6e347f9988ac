public import Domain
public import EventStore

/// What a store of cards has to do, in memory: cards by token, in the order in which they came, and
/// those that listen by their installation and app, in the order in which they asked.
public struct CardModel: Sendable {
    private var cards: [(token: PushToken, state: CardState)] = []
    private var listeners: [(name: Listener, state: CardState)] = []

    private struct Listener: Hashable {
        var installation: String
        var bundleID: String
    }

    public init() {}

    public var served: [PushToken] { cards.filter { $0.state.closing == nil }.map(\.token) }

    public var listening: Int { listeners.count { $0.state.closing == nil } }

    public mutating func change(
        _ request: CardRequest, _ rules: CardRules
    ) -> CardChange {
        let (named, former) = places(request)
        let listener = listener(request)
        let change = rules(
            request,
            Cards(
                named: named.map { cards[$0].state }, former: former.map { cards[$0].state },
                listener: listeners.first { $0.name == listener }?.state,
                lastClosing: lastClosing(request)))
        if let listener, let state = change.listener { note(listener, state) }
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
            let others = others(than: wish)
            return (
                place(wish.token),
                others.first { cards[$0].state.closing == .dismissed }
                    ?? others.first { cards[$0].state.closing == nil }
            )
        case .rotate(let from, let to): return (place(to), place(from))
        case .report(.token(let token), _), .remove(let token): return (place(token), nil)
        case .report(.installation(let name, _), _):
            let mine = cards.indices.filter { cards[$0].state.installation == name }
            return (mine.last { cards[$0].state.closing == nil } ?? mine.last, nil)
        case .listen(let name, _):
            let mine = cards.indices.filter { cards[$0].state.installation == name }
            return (
                mine.first { cards[$0].state.closing == .dismissed }
                    ?? mine.last { cards[$0].state.closing == nil } ?? mine.last, nil
            )
        }
    }

    /// The same installation's under other tokens.
    private func others(than wish: CardWish) -> [Int] {
        let known = cards.first { $0.token == wish.token }?.state.installation
        guard let installation = wish.installation ?? known else { return [] }
        return cards.indices.filter {
            cards[$0].token != wish.token && cards[$0].state.installation == installation
        }
    }

    private func lastClosing(_ request: CardRequest) -> Closing? {
        guard case .register(let wish) = request else { return nil }
        return Cards.lastClosing(of: others(than: wish).map { cards[$0].state })
    }

    private mutating func note(_ name: Listener, _ state: CardState) {
        guard let place = listeners.firstIndex(where: { $0.name == name }) else {
            return listeners.append((name, state))
        }
        let asksAgain = state.closing == nil && listeners[place].state.closing != nil
        listeners[place].state = state
        if asksAgain { listeners.append(listeners.remove(at: place)) }
    }

    private func listener(_ request: CardRequest) -> Listener? {
        switch request {
        case .register(let wish):
            let known = cards.first { $0.token == wish.token }?.state.installation
            return (wish.installation ?? known).map {
                Listener(installation: $0, bundleID: wish.bundleID)
            }
        case .listen(let installation, let app):
            return Listener(installation: installation, bundleID: app.bundleID)
        case .report(.installation(let installation, let bundleID), _):
            let mine = listeners.filter { $0.name.installation == installation }
            return (mine.last { $0.state.closing == nil } ?? mine.last)?.name
                ?? bundleID.map { Listener(installation: installation, bundleID: $0) }
        case .rotate, .report(.token, _), .remove: return nil
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
