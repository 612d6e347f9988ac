import Domain
import EventStore

struct MemoryRegistrationStore: RegistrationStore {
    let session: MemorySession

    func change(
        _ tenant: TenantID, _ activity: ActivityID, _ request: CardRequest, _ rules: CardRules
    ) async throws(EventStoreError) -> (change: CardChange, id: Int64?) {
        try await session.statement { (tables, now) throws(EventStoreError) in
            try tables.requireKnown(tenant)
            return tables.change(tenant, activity, request, rules, at: now)
        }
    }

    /// Nobody asks: no tenant has a bound here.
    func kept(_: TenantID, _: Int) -> Int { 0 }

    func tally(_ tenant: TenantID, _ activity: ActivityID, _ moment: Moment?)
        async throws(EventStoreError) -> CardTally
    {
        try await session.statement { (tables, now) in
            CardTally(of: tables[tenant, activity].cards, at: moment ?? now)
        }
    }

    func behind(_ tenant: TenantID, _ activity: ActivityID) async throws(EventStoreError)
        -> PhonesBehind
    {
        try await session.statement { (tables, _) in
            let table = tables[tenant, activity]
            let missed = table.cards.compactMap { card -> PhonesBehind.Span? in
                guard card.state.closing != .replaced, var span = card.caughtUp else { return nil }
                let first = table.ledger.first { $0.decision.version > span.after }
                span.registeredSince =
                    first.map { card.registeredAt > $0.decision.decidedAt }
                    ?? false
                return span
            }
            return PhonesBehind(
                Dictionary(missed.map { ($0, 1) }, uniquingKeysWith: +),
                lastTimestamp: missed.isEmpty ? nil : table.lastTimestamp)
        }
    }
}

struct MemoryBoardStore: BoardStore {
    let session: MemorySession

    func search(_: TenantID, _: String, _: [String])
        throws(EventStoreError) -> (snapshots: [Snapshot], isPartial: Bool)
    { throw .notInMemory }

    func progress(
        _: TenantID, _: [ActivityID]
    ) throws(EventStoreError) -> [ActivityID: DeliveryProgress] {
        throw .notInMemory
    }

    /// Those that are served.
    func phones(_ tenant: TenantID, _ activity: ActivityID, _: Int64?, _: Int)
        async throws(EventStoreError) -> [PhoneRow]
    {
        try await session.statement { (tables, _) in
            tables[tenant, activity].cards.filter(\.isServed).map {
                PhoneRow(
                    id: $0.id, bundleID: $0.bundleID, environment: $0.environment.rawValue,
                    registeredAt: $0.registeredAt)
            }
        }
    }

    func behind(_: TenantID, _: ActivityID) throws(EventStoreError) -> [PhoneRow] {
        throw .notInMemory
    }

    func attention(_: TenantID, _: Moment) throws(EventStoreError) -> Attention {
        throw .notInMemory
    }
}

extension MemoryTables {
    fileprivate mutating func change(
        _ tenant: TenantID, _ activity: ActivityID, _ request: CardRequest,
        _ rules: CardRules, at now: Moment
    ) -> (change: CardChange, id: Int64?) {
        var cards = self[tenant, activity].cards
        let (named, former) = cards.chosen(for: request)
        let change = rules(
            request,
            Cards(
                named: named.map { cards[$0].state }, former: former.map { cards[$0].state },
                tokens: cards.countOfPhone(for: request),
                lastClosing: cards.lastClosing(for: request)))
        let heir = former.map { index in
            var card = cards[index]
            card.sentVersion = self[tenant, activity].deliveredVersion(card)
            return card
        }
        if let former, let state = change.former {
            cards[former].sentVersion = self[tenant, activity].deliveredVersion(cards[former])
            cards[former].close(state, at: now)
        }
        var id = named.map { cards[$0].id }
        if let state = change.named, named.map({ cards[$0].state }) != state {
            if let named {
                cards[named].sentVersion = self[tenant, activity].deliveredVersion(cards[named])
                cards[named].become(state, change, request, at: now)
                if case .rotate = request, let former, change.former != nil {
                    cards[named].rotatedFrom = cards[former].id
                }
            } else {
                let card = MemoryCard(
                    nextID(), state, change, request, insteadOf: heir, at: now)
                id = card?.id
                if let card { cards.append(card) }
            }
        }
        self[tenant, activity].cards = cards
        return (change, id)
    }
}

extension CardTally {
    /// A card once, whatever tokens its phone had.
    fileprivate init(of cards: [MemoryCard], at moment: Moment) {
        self.init()
        var lasts: [ByteKey: MemoryCard] = [:]
        for card in cards where card.isUnserved(at: moment) {
            guard let name = card.state.installation else {
                if !card.state.hasSuccessor, !card.isReplaced(at: moment) {
                    add(card, at: moment)
                }
                continue
            }
            let isServed = cards.contains {
                $0.state.installation.hasBytes(of: name) && $0.registeredAt <= moment
                    && !$0.isUnserved(at: moment)
            }
            if isServed { continue }
            let other = lasts[ByteKey(name)]
            if other.map({ card.saysMore(than: $0, at: moment) }) ?? true {
                lasts[ByteKey(name)] = card
            }
        }
        for card in lasts.values { add(card, at: moment) }
    }

    private mutating func add(_ card: MemoryCard, at moment: Moment) {
        if let closing = card.state.closing, let at = card.closedAt, at <= moment {
            closed[closing, default: 0] += 1
        } else if card.isUnfit {
            unfit += 1
        } else {
            dead += 1
        }
    }
}

extension MemoryCard {
    private var unservedSince: Moment? { [closedAt, deadAt].compactMap { $0 }.min() }

    fileprivate func isUnserved(at moment: Moment) -> Bool {
        unservedSince.map { $0 <= moment } ?? false
    }

    fileprivate func isReplaced(at moment: Moment) -> Bool {
        state.closing == .replaced && closedAt.map { $0 <= moment } ?? false
    }

    /// Of the same installation's card.
    fileprivate func saysMore(than other: MemoryCard, at moment: Moment) -> Bool {
        let isReplaced = isReplaced(at: moment)
        guard isReplaced == other.isReplaced(at: moment) else { return !isReplaced }
        guard let mine = unservedSince, let theirs = other.unservedSince, mine != theirs else {
            return id > other.id
        }
        return mine > theirs
    }
}

extension [MemoryCard] {
    /// Indices of the cards that a request is about; see `Cards`.
    fileprivate func chosen(for request: CardRequest) -> (named: Int?, former: Int?) {
        func place(_ token: PushToken) -> Int? { firstIndex { $0.token == token } }
        func own(_ installation: String?) -> [Int] {
            guard let installation else { return [] }
            return indices.filter { self[$0].state.installation.hasBytes(of: installation) }
        }
        switch request {
        case .register(let wish):
            let named = place(wish.token)
            let name = wish.installation ?? named.flatMap { self[$0].state.installation }
            let others = own(name).filter { $0 != named }
            return (
                named,
                others.first { self[$0].state.closing == .dismissed }
                    ?? others.first { self[$0].state.closing == nil }
            )
        case .rotate(let from, let to): return (place(to), place(from))
        case .report(.token(let token), _), .remove(let token): return (place(token), nil)
        case .report(.installation(let name, _), _):
            let mine = own(name)
            return (mine.last { self[$0].state.closing == nil } ?? mine.last, nil)
        case .listen(let name, _):
            let mine = own(name)
            return (
                mine.first { self[$0].state.closing == .dismissed }
                    ?? mine.last { self[$0].state.closing == nil } ?? mine.last, nil
            )
        }
    }
}

extension [MemoryCard] {
    /// How the newest of the same phone's cards under other tokens was closed.
    fileprivate func lastClosing(for request: CardRequest) -> Closing? {
        guard case .register(let wish) = request else { return nil }
        let known = first { $0.token == wish.token }?.state.installation
        guard let own = wish.installation ?? known else { return nil }
        let others = filter {
            $0.token != wish.token && $0.state.installation.hasBytes(of: own)
        }
        return Cards.lastClosing(of: others.map(\.state))
    }

    /// Cards that a request looks at: of its tokens, and of the phone that it is about.
    fileprivate func countOfPhone(for request: CardRequest) -> Int {
        let tokens: [PushToken]
        var name: String?
        switch request {
        case .register(let wish): (tokens, name) = ([wish.token], wish.installation)
        case .rotate(let from, let to): tokens = [from, to]
        case .report(.token(let token), _), .remove(let token): tokens = [token]
        case .report(.installation(let own, _), _), .listen(let own, _):
            (tokens, name) = ([], own)
        }
        let known = tokens.first.flatMap { token in first { $0.token == token } }
        let own = name ?? known?.state.installation
        return count {
            tokens.contains($0.token) || (own != nil && $0.state.installation == own)
        }
    }
}

extension MemoryCard {
    /// A card that nobody had heard of.
    /// - Parameter heir: the same phone's under its former token, whose debts this one takes over.
    fileprivate init?(
        _ id: Int64, _ state: CardState, _ change: CardChange, _ request: CardRequest,
        insteadOf heir: MemoryCard?, at now: Moment
    ) {
        switch request {
        case .register(let wish):
            let heir = change.former == nil ? nil : heir
            self.init(
                id: id, token: wish.token, state: state, environment: wish.environment,
                bundleID: wish.bundleID, locale: wish.locale, isFrequent: wish.frequentUpdates,
                sentVersion: heir?.sentVersion ?? 0, attempts: heir?.attempts ?? 0,
                registeredAt: heir?.registeredAt ?? now)
            (caughtUp, missed) = (heir?.caughtUp, heir?.missed)
        case .rotate(_, let to):
            guard var card = heir else { return nil }
            card.rotatedFrom = card.id
            (card.id, card.token, card.state) = (id, to, state)
            (card.lastFailure, card.deadAt, card.closedAt, card.retryAt) = (nil, nil, nil, nil)
            (card.isUnfit, card.isProven) = (false, false)
            self = card
        case .report, .remove, .listen: return nil
        }
        closedAt = state.closing == nil ? nil : now
        retryAt = change.owesNewest && state.closing == nil ? .epoch : nil
    }

    fileprivate mutating func close(_ state: CardState, at now: Moment) {
        self.state.closing = state.closing
        self.state.hasSuccessor = state.hasSuccessor
        closedAt = closedAt ?? now
        retryAt = nil
    }

    fileprivate mutating func become(
        _ state: CardState, _ change: CardChange, _ request: CardRequest, at now: Moment
    ) {
        self.state = state
        closedAt = state.closing == nil ? nil : closedAt ?? now
        if change.owesNewest, attempts > 0 { missed = missed ?? MissedPush(by: self) }
        if change.owesNewest { (attempts, lastFailure, deadAt, isUnfit) = (0, nil, nil, false) }
        if state.closing != nil {
            retryAt = nil
        } else if change.owesNewest {
            retryAt = .epoch
        }
        guard case .register(let wish) = request else { return }
        isProven = isProven && (environment, bundleID) == (wish.environment, wish.bundleID)
        (environment, bundleID, locale) = (wish.environment, wish.bundleID, wish.locale)
        (isFrequent, registeredAt) = (wish.frequentUpdates, now)
    }

    func registration(_ tenant: TenantID, _ activity: ActivityID) -> Registration {
        Registration(
            id: id, tenant: tenant, activityID: activity, pushToken: token,
            environment: environment, bundleID: bundleID, sentVersion: sentVersion,
            attempts: attempts, registeredAt: registeredAt, tokenVersion: state.tokenVersion,
            locale: locale, tier: isFrequent ? .frequent : .standard,
            isOwed: retryAt != nil, installation: state.installation, isProven: isProven)
    }
}

extension Moment {
    /// Due since ever.
    static let epoch = Moment(microseconds: 0)
}
