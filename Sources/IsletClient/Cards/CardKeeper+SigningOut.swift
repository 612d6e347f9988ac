import Foundation

extension CardKeeper {
    /// The person signs out: nothing of theirs is to appear on this phone any more. Ends the cards
    /// of all kinds that `followCards` follows, closes them at Islet, and has the backend remove
    /// the push-to-start tokens of every kind. Afterwards the phone goes by another name, for the
    /// next person.
    ///
    /// Call it while the backend still takes requests of the person's. An app without `followCards`
    /// ends its cards itself, before.
    /// - Parameter bound: how long it waits for the network at most.
    /// - Returns: false when something is still to be told. It is remembered, and tried as long as
    ///   the backend takes it.
    @discardableResult
    public func signOut(within bound: Duration = .seconds(10)) async -> Bool {
        // Those that are missing since the launch need not be waited for.
        for card in keep.cards where card.isGone == true { backoffs[.card(id: card.id)] = nil }
        keep.leave(at: timing.now())
        for kind in shownKinds.values { left.formUnion(kind.names()) }
        left.formUnion(keep.cards.map(\.id))
        changed()
        for kind in shownKinds.values { await kind.end() }
        let timer = Task { [timing] in
            try? await timing.sleep(bound)
            if !Task.isCancelled { self.settled() }
        }
        await settle()
        timer.cancel()
        let isDone = !hasWork
        keep.passOn(profile)
        let open = Set(keep.cards.map(\.activity))
        ticketOf = ticketOf.filter { open.contains($0.key) }
        changed()
        return isDone
    }
}

/// What ActivityKit shows of one kind.
struct ShownKind: Sendable {
    var names: @Sendable () -> [String]
    /// Ends all of it at once.
    var end: @Sendable () async -> Void
}

extension Keep {
    /// Whose phone it is leaves it.
    fileprivate mutating func leave(at now: Date) {
        for index in cards.indices {
            guard !cards[index].state.isOver else { continue }
            (cards[index].state, cards[index].isGone) = (.ended, nil)
            cards[index].changedAt = now
        }
        startTokens = startTokens.map { kept in
            kept.token.topics.isEmpty ? kept : KeptStartToken(token: kept.token.withoutTopics)
        }
    }

    /// The next person goes by another name. What is still to be told goes by the one of before.
    fileprivate mutating func passOn(_ profile: AppProfile) {
        cards = cards.filter { next($0, profile) != nil }.map { card in
            var card = card
            card.installation = card.installation ?? installation
            return card
        }
        let open = startTokens.filter { !$0.isHandedOver || !$0.token.topics.isEmpty }
        let left = leftTokens + open.map(\.token.withoutTopics)
        leftTokens = Array(left.suffix(Limits.startTokensMax))
        startTokens = []
        installation = UUID().uuidString.lowercased()
    }
}

extension StartToken {
    fileprivate var withoutTopics: StartToken {
        StartToken(
            installation: installation, kind: kind, token: token, topics: [], profile: profile)
    }
}
