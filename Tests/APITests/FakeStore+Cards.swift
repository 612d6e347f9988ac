import Domain
import EventStore

/// Cards by token, in the order in which they came.
struct FakeCards {
    private(set) var cards: [(token: PushToken, state: CardState)] = []

    var served: [PushToken] { cards.filter { $0.state.closing == nil }.map(\.token) }

    mutating func change(_ request: CardRequest, _ rules: RegistrationStore.Rules) -> CardChange {
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
            let others = cards.indices.filter {
                cards[$0].token != wish.token && wish.installation != nil
                    && cards[$0].state.installation == wish.installation
            }
            return (
                place(wish.token),
                others.first { cards[$0].state.closing == .dismissed }
                    ?? others.first { cards[$0].state.closing == nil }
            )
        case .rotate(let from, let to): return (place(to), place(from))
        case .report(.token(let token), _), .remove(let token): return (place(token), nil)
        case .report(.installation(let name), _):
            return (cards.lastIndex { $0.state.installation == name }, nil)
        }
    }

    private func newToken(_ request: CardRequest) -> PushToken? {
        switch request {
        case .register(let wish): wish.token
        case .rotate(_, let to): to
        case .report, .remove: nil
        }
    }
}

extension FakeStore {
    nonisolated var registrationStore: RegistrationStore {
        RegistrationStore(
            change: { tenant, activity, request, rules async throws(EventStoreError) in
                try await self.change(Key(tenant: tenant, activity: activity), request, rules)
            }, count: { _, _ in 0 })
    }

    nonisolated var ticketStore: TicketStore {
        TicketStore(
            secrets: { tenant async throws(EventStoreError) in try await self.secrets(tenant) },
            ensure: { tenant, fresh async throws(EventStoreError) in
                try await self.addSecret(tenant, fresh)
            },
            rotate: { tenant, fresh async throws(EventStoreError) in
                try await self.addSecret(tenant, fresh)
            })
    }
}
